// SPDX-License-Identifier: Apache-2.0
// A state is a row of parts, each a field of the inputs; one table says which field.
#include "carom/state.h"

#include "base/status.h"
#include "carom/fields.h"
#include "kinematics/configuration.h"
#include "math/quat.h"
#include "model/fields.h"
#include "model/misuse.h"

enum { N_PART = 15 };

// the field of each bit, CR_N_FIELD if there is none: time, and parts without numbers
static const cr_field_id parts_table[N_PART] = {
    CR_N_FIELD,
    CR_FIELD_qpos,
    CR_FIELD_qvel,
    CR_FIELD_act,
    CR_N_FIELD,  // history
    CR_FIELD_qacc_warmstart,
    CR_FIELD_ctrl,
    CR_FIELD_qfrc_applied,
    CR_FIELD_xfrc_applied,
    CR_FIELD_eq_active,
    CR_FIELD_mocap_pos,
    CR_FIELD_mocap_quat,
    CR_N_FIELD,  // user data
    CR_FIELD_plugin_state,
    CR_N_FIELD  // plasticity
};

static int part_size(const cr_model* m, int bit) {
  cr_field_id id = parts_table[bit];
  if (id == CR_N_FIELD) {
    return (1 << bit) == CR_STATE_TIME;
  }
  return cri_field_rows(m, NULL, id) * cri_field_width(m, id);
}

static bool known(int parts) { return parts >= 0 && parts < 1 << N_PART; }

int cr_state_size(const cr_model* m, int parts) {
  int n = 0;
  if (m == NULL || !known(parts)) {
    return -1;
  }
  for (int bit = 0; bit < N_PART; bit++) {
    n += (parts >> bit & 1) != 0 ? part_size(m, bit) : 0;
  }
  return n;
}

static cr_status check_parts(const cri_call* call, int parts) {
  return known(parts) ? CR_OK
                      : cri_fail(call->error, CR_ERR_ARG, "%s: parts %d are not those of a state",
                                 call->name, parts);
}

static cr_status check(const cri_call* call, const cr_model* m, const cr_data* d,
                       const cr_real* state, int parts) {
  CR_TRY(cri_check_data(call, m, d, CR_DATA_PLAIN, "the data"));
  CR_TRY(cri_given(call, state, "state"));
  return check_parts(call, parts);
}

cr_status cr_state_get(const cr_model* m, const cr_data* d, cr_real* state, int parts) {
  const cri_call call = {"cr_state_get", cri_error_of(d)};
  CR_TRY(check(&call, m, d, state, parts));
  for (int bit = 0; bit < N_PART; bit++) {
    if ((parts >> bit & 1) == 0) {
      continue;
    }
    if ((1 << bit) == CR_STATE_TIME) {
      state[0] = d->time;
    } else if (parts_table[bit] != CR_N_FIELD) {
      cr_copy(state, cri_field_real(m, d, parts_table[bit]), part_size(m, bit));
    }
    state += part_size(m, bit);
  }
  return CR_OK;
}

cr_status cr_state_set(const cr_model* m, cr_data* d, const cr_real* state, int parts) {
  const cri_call call = {"cr_state_set", cri_error_of(d)};
  CR_TRY(check(&call, m, d, state, parts));
  const int n = cr_state_size(m, parts);
  for (int i = 0; i < n; i++) {
    if (!isfinite(state[i])) {
      return cri_fail(&d->error, CR_ERR_NONFINITE, "state[%d] is not finite", i);
    }
  }
  d->done = 0;
  for (int bit = 0; bit < N_PART; bit++) {
    if ((parts >> bit & 1) == 0) {
      continue;
    }
    if ((1 << bit) == CR_STATE_TIME) {
      d->time = state[0];
    } else if (parts_table[bit] != CR_N_FIELD) {
      cr_copy(cri_field_real(m, d, parts_table[bit]), state, part_size(m, bit));
    }
    state += part_size(m, bit);
  }
  return CR_OK;
}

cr_status cr_state_copy(const cr_model* m, const cr_data* from, cr_data* to, int parts) {
  const cri_call call = {"cr_state_copy", cri_error_of(to != NULL ? to : from)};
  CR_TRY(cri_check_data(&call, m, from, CR_DATA_PLAIN, "from"));
  CR_TRY(cri_check_data(&call, m, to, CR_DATA_PLAIN, "to"));
  CR_TRY(check_parts(&call, parts));
  to->done = 0;
  for (int bit = 0; bit < N_PART; bit++) {
    if ((parts >> bit & 1) == 0) {
      continue;
    }
    if ((1 << bit) == CR_STATE_TIME) {
      to->time = from->time;
    } else if (parts_table[bit] != CR_N_FIELD) {
      cr_copy(cri_field_real(m, to, parts_table[bit]), cri_field_real(m, from, parts_table[bit]),
              part_size(m, bit));
    }
  }
  return CR_OK;
}

cr_status cr_data_reset_keyframe(const cr_model* m, cr_data* d, int key) {
  CR_TRY(cr_data_reset(m, d));
  if (key < 0 || key >= m->nkey) {
    return cri_fail(&d->error, CR_ERR_ARG, "keyframe %d of %d", key, m->nkey);
  }
  size_t row = (size_t)key;
  d->time = m->key_time[key];
  cr_copy(d->qpos, m->key_qpos + row * (size_t)m->nq, m->nq);
  cr_copy(d->qvel, m->key_qvel + row * (size_t)m->nv, m->nv);
  cr_copy(d->act, m->key_act + row * (size_t)m->na, m->na);
  cr_copy(d->ctrl, m->key_ctrl + row * (size_t)m->nu, m->nu);
  cr_copy(d->mocap_pos, m->key_mpos + 3 * row * (size_t)m->nmocap, 3 * m->nmocap);
  cr_copy(d->mocap_quat, m->key_mquat + 4 * row * (size_t)m->nmocap, 4 * m->nmocap);
  return CR_OK;
}

static cr_status check_time(const cri_call* call, cr_real dt, bool may_be_zero) {
  return isfinite(dt) && (dt != 0 || may_be_zero)
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "%s: a time of %g s", call->name, (double)dt);
}

cr_status cr_integrate_pos(const cr_model* m, cr_real* qpos, const cr_real* qvel, cr_real dt,
                           cr_error* error) {
  const cri_call call = {"cr_integrate_pos", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, qpos, "qpos"));
  CR_TRY(cri_given(&call, qvel, "qvel"));
  CR_TRY(check_time(&call, dt, true));
  // [runge_kutta.q1]
  cri_configuration_move(m, qpos, qvel, dt, qpos);
  return CR_OK;
}

static cr_status check_move(const cri_call* call, const cr_model* m, int i, cr_real h) {
  CR_TRY(cri_given(call, m, "the model"));
  if (i < 0 || i >= CR_N_FIELD) {
    return cri_fail(call->error, CR_ERR_ARG, "cr_field_move: there is no field %d", i);
  }
  const cr_field* f = cri_field((cr_field_id)i);
  bool moves =
      (f->kind == CR_KIND_PARAM || f->kind == CR_KIND_STATE) && f->tangent != CR_TANGENT_NONE;
  return moves && isfinite(h)
             ? CR_OK
             : cri_fail(call->error, CR_ERR_ARG, "cr_field_move: %s %s", f->name,
                        moves ? "by a step that is not finite"
                              : "is neither an input with a tangent nor a parameter");
}

cr_status cr_field_move(const cr_model* m, int i, cr_real* x, const cr_real* tangent, cr_real h,
                        cr_error* error) {
  const cri_call call = {"cr_field_move", error};
  CR_TRY(check_move(&call, m, i, h));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, tangent, "the tangent"));
  cr_field_id id = (cr_field_id)i;
  cr_tangent kind = cri_field(id)->tangent;
  int n = cri_field_rows(m, NULL, id) * cri_field_width(m, id);
  if (kind == CR_TANGENT_QPOS) {
    cri_configuration_move(m, x, tangent, h, x);
  }
  for (int k = 0; kind == CR_TANGENT_QUAT && k + 3 < n; k += 4) {
    cr_quat_integrate(x + k, tangent + k / 4 * 3, h);
  }
  for (int k = 0; kind == CR_TANGENT_SAME && k < n; k++) {
    x[k] += h * tangent[k];
  }
  return CR_OK;
}

cr_status cr_differentiate_pos(const cr_model* m, cr_real* qvel, cr_real dt, const cr_real* qpos1,
                               const cr_real* qpos2, cr_error* error) {
  const cri_call call = {"cr_differentiate_pos", error};
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, qvel, "qvel"));
  CR_TRY(cri_given(&call, qpos1, "qpos1"));
  CR_TRY(cri_given(&call, qpos2, "qpos2"));
  CR_TRY(check_time(&call, dt, false));
  for (int j = 0; j < m->njnt; j++) {
    // [runge_kutta.q2]
    const cr_real *a = qpos1 + m->jnt_qposadr[j], *b = qpos2 + m->jnt_qposadr[j];
    cr_real* v = qvel + m->jnt_dofadr[j];
    int type = m->jnt_type[j], flat = type == CR_JNT_FREE ? 3 : (type == CR_JNT_BALL ? 0 : 1);
    for (int k = 0; k < flat; k++) {
      v[k] = (b[k] - a[k]) / dt;
    }
    if (type == CR_JNT_FREE || type == CR_JNT_BALL) {
      cr_quat_sub(v + flat, b + flat, a + flat);
      cr_scl3(v + flat, v + flat, 1 / dt);
    }
  }
  return CR_OK;
}
