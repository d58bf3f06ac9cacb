// SPDX-License-Identifier: Apache-2.0
// How sensors depend on state and controls.
#include <stdlib.h>

#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "engine/data_create.h"
#include "engine/forward.h"
#include "model/misuse.h"
#include "model/state_vector.h"

struct cr_sensor_jacobian {
  cr_data* twin;
  bool rows;  // by cotangents
};

cr_status cr_sensor_jacobian_create(cr_sensor_jacobian** work, const cr_model* m, const cr_data* d,
                                    cr_error* error) {
  const cri_call call = {"cr_sensor_jacobian_create", error};
  CR_TRY(cri_given(&call, work, "where the work goes"));
  *work = NULL;
  CR_TRY(cri_check_data(&call, m, d, CR_DATA_PLAIN, "the data"));
  cr_sensor_jacobian* x = calloc(1, sizeof *x);
  if (x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "Jacobian of sensors: no memory");
  }
  x->rows = m->nsensordata < cri_state_tangent_size(m) + m->nu;
  cr_data_role role = x->rows ? CR_DATA_COTANGENT : CR_DATA_TANGENT;
  cr_status status = cri_data_twin(&x->twin, m, d, role, cri_no_params, error);
  if (status != CR_OK) {
    cr_sensor_jacobian_destroy(x);
    return status;
  }
  *work = x;
  return CR_OK;
}

void cr_sensor_jacobian_destroy(cr_sensor_jacobian* work) {
  if (work != NULL) {
    cri_data_free(work->twin);
    free(work);
  }
}

const char* cr_sensor_jacobian_error(const cr_sensor_jacobian* work) {
  return work != NULL ? work->twin->error.text : "no work";
}

// columns first, first + 1, ... under unit tangents of seed[n]
static cr_status columns_under(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* seed,
                               int n, cr_real* to, int width, int first) {
  for (int k = 0; k < n && to != NULL; k++) {
    seed[k] = 1;
    cr_status status = cri_forward_jvp(m, d, tan);
    seed[k] = 0;
    CR_TRY(status);
    for (ptrdiff_t i = 0; i < m->nsensordata; i++) {
      to[i * width + first + k] = tan->sensordata[i];
    }
  }
  return CR_OK;
}

static cr_status by_columns(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* by_x,
                            cr_real* by_ctrl) {
  const cri_state s = cri_state_twin(m, tan);
  int nx = cri_state_tangent_size(m), first = 0;
  cri_twin_clear(tan);
  for (int k = 0; k < CRI_N_STATE; k++) {
    CR_TRY(columns_under(m, d, tan, s.part[k].x, s.part[k].n, by_x, nx, first));
    first += s.part[k].n;
  }
  return columns_under(m, d, tan, tan->ctrl, m->nu, by_ctrl, m->nu, 0);
}

static cr_status by_rows(const cr_model* m, const cr_data* d, cr_data* bar, cr_real* by_x,
                         cr_real* by_ctrl) {
  const cri_state s = cri_state_twin(m, bar);
  ptrdiff_t nx = cri_state_tangent_size(m);
  for (ptrdiff_t i = 0; i < m->nsensordata; i++) {
    cri_twin_clear(bar);
    bar->sensordata[i] = 1;
    CR_TRY(cri_forward_vjp(m, d, bar));
    if (by_x != NULL) {
      cri_state_copy(cri_state_at(cri_state_tangent_sizes(m), 1, by_x + i * nx), s);
    }
    if (by_ctrl != NULL) {
      cr_copy(by_ctrl + i * m->nu, bar->ctrl, m->nu);
    }
  }
  return CR_OK;
}

cr_status cr_sensordata_jacobian(const cr_model* m, const cr_data* d, cr_sensor_jacobian* work,
                                 cr_real* by_x, cr_real* by_ctrl) {
  const cri_call call = {"cr_sensordata_jacobian", cri_error_of(work != NULL ? work->twin : d)};
  CR_TRY(cri_given(&call, work, "work"));
  CR_TRY(cri_check_done(&call, m, d, CRI_DONE_FORWARD));
  if (!d->measured) {
    return cri_fail(call.error, CR_ERR_ARG, "%s: call cr_forward at this state first", call.name);
  }
  CR_TRY(cri_check_twin(&call, m, d, work->twin, work->rows ? CR_DATA_COTANGENT : CR_DATA_TANGENT,
                        "work"));
  return work->rows ? by_rows(m, d, work->twin, by_x, by_ctrl)
                    : by_columns(m, d, work->twin, by_x, by_ctrl);
}
