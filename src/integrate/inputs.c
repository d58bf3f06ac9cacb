// SPDX-License-Identifier: Apache-2.0
// The inputs of a step: copied, and checked for values from which no simulation recovers.
#include "integrate/inputs.h"

void cri_inputs_copy(const cr_model* m, cr_data* to, const cr_data* from) {
#define CR_STATE(name, rows, width, tangent, unit, frame, text) \
  cr_copy(to->name, from->name, m->rows*(width));
#include "model/data_fields.h"
  to->time = from->time;
}

// joint of a coordinate of qpos
static int joint_of_coordinate(const cr_model* m, int i) {
  int j = m->njnt - 1;
  while (j > 0 && m->jnt_qposadr[j] > i) {
    j--;
  }
  return j;
}

static bool sane(cr_real x) { return cr_abs(x) <= CR_LARGEST; }

static cr_status bad(const cr_model* m, cr_data* d, const char* name, int i, int j, cr_real value,
                     const char* what) {
  const char* joint = j >= 0 ? cri_name(m, m->name_jntadr, j) : "";
  if (joint[0] != '\0') {
    return cri_fail(&d->error, CR_ERR_DIVERGED, "%s[%d] (joint '%s') of %s is %g at time %g", name,
                    i, joint, what, (double)value, (double)d->time);
  }
  return cri_fail(&d->error, CR_ERR_DIVERGED, "%s[%d] of %s is %g at time %g", name, i, what,
                  (double)value, (double)d->time);
}

cr_status cri_values_check(const cr_model* m, cr_data* d, const cr_real* x, int n,
                           const int32_t* jnt, const char* name, const char* what) {
  for (int i = 0; i < n; i++) {
    if (!sane(x[i])) {
      return bad(m, d, name, i, jnt == NULL ? -1 : jnt[i], x[i], what);
    }
  }
  return CR_OK;
}

cr_status cri_coordinates_check(const cr_model* m, cr_data* d, const cr_real* qpos,
                                const cr_real* qvel, const char* what) {
  for (int i = 0; i < m->nq; i++) {
    if (!sane(qpos[i])) {
      return bad(m, d, "qpos", i, joint_of_coordinate(m, i), qpos[i], what);
    }
  }
  return cri_values_check(m, d, qvel, m->nv, m->dof_jntid, "qvel", what);
}

cr_status cri_state_check(const cr_model* m, cr_data* d, cri_state s, const char* what) {
  CR_TRY(cri_coordinates_check(m, d, s.qpos.x, s.qvel.x, what));
  for (int k = CRI_STATE_qvel + 1; k < CRI_N_STATE; k++) {
    const char* name = cri_field(cri_state_rows[k].id)->name;
    CR_TRY(cri_values_check(m, d, s.part[k].x, s.part[k].n, NULL, name, what));
  }
  return CR_OK;
}
