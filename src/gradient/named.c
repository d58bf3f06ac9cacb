// SPDX-License-Identifier: Apache-2.0
// Places by name, read and moved.
#include "gradient/named.h"

#include <stdlib.h>

#include "engine/data_create.h"
#include "integrate/inputs.h"
#include "kinematics/configuration.h"
#include "math/quat.h"

cr_status cri_named_find(cri_named* q, const cr_model* m, int nstep, const char* name, bool* wanted,
                         cr_error* error) {
  CR_TRY(cri_place_find(&q->place, m, name, error));
  const cr_field* f = cri_field(q->place.field);
  cr_field_id id = q->place.field;
  bool state = f->kind == CR_KIND_STATE && f->tangent != CR_TANGENT_NONE;
  if (!state && f->kind != CR_KIND_PARAM) {
    return cri_fail(error, CR_ERR_NAME, "%s: neither state, control nor parameter", name);
  }
  if (q->place.tan_count == 0 && q->place.count == 0) {
    return cri_fail(error, CR_ERR_NAME, "%s: the model has none of these", name);
  }
  if (q->place.tan_count == 0) {
    const char* instead = id == CR_FIELD_qpos          ? "for its directions use tangent[j]"
                          : id == CR_FIELD_qpos_spring ? "name the other coordinates one by one"
                                                       : "name the whole of it (3 numbers)";
    return cri_fail(error, CR_ERR_NAME, "%s: a quaternion, or part of one; %s", name, instead);
  }
  if (f->kind == CR_KIND_PARAM) {
    wanted[id] = true;
  }
  q->name = name;
  q->nstep = nstep;
  q->each_step = id == CR_FIELD_ctrl && strcmp(name, "ctrl") == 0;
  return CR_OK;
}

int cri_named_size(const cri_named* q, const cr_model* m) {
  return q->each_step ? q->nstep * m->nu : q->place.tan_count;
}

cr_status cri_named_read(const cri_named* q, const cr_model* m, const cr_rollout* r,
                         cr_real* gradient, cr_error* error) {
  int n = cri_named_size(q, m), nu = m->nu;
  if (q->each_step) {
    cr_copy(gradient, r->ctrl_bar, n);
  } else if (q->place.field == CR_FIELD_ctrl) {  // a constant control acts in every step
    cr_zero(gradient, n);
    for (int k = 0; k < q->nstep; k++) {
      for (int i = 0; i < n; i++) {
        gradient[i] += r->ctrl_bar[(size_t)k * (size_t)nu + (size_t)(q->place.tan_first + i)];
      }
    }
  } else {
    cr_copy(gradient, cri_place_tangent(&q->place, m, r->d, r->bar), n);
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(gradient[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "the gradient with respect to %s, number %d, is %g",
                      q->name, i, (double)gradient[i]);
    }
  }
  return CR_OK;
}

void cri_named_move(const cri_named* q, cr_model* m, cr_rollout* r, int k, cr_real h) {
  cr_field_id id = q->place.field;
  int at = q->place.tan_first + k;
  if (q->each_step) {
    r->ctrl[k] += h;
  } else if (id == CR_FIELD_ctrl) {
    for (int step = 0; step < q->nstep; step++) {
      r->ctrl[(size_t)step * (size_t)m->nu + (size_t)at] += h;
    }
  } else if (id == CR_FIELD_qpos) {
    size_t mark = cri_mark(r->d);
    cr_real* direction = cri_push(r->d, (size_t)m->nv);
    cr_zero(direction, m->nv);
    direction[at] = 1;
    cri_configuration_move(m, r->d->qpos, direction, h, r->d->qpos);
    cri_pop(r->d, mark);
  } else if (cri_field(id)->tangent == CR_TANGENT_QUAT) {
    cr_real axis[3] = {at % 3 == 0, at % 3 == 1, at % 3 == 2};
    cr_quat_integrate(cri_field_real(m, r->d, id) + 4 * (at / 3), axis, h);
  } else {
    cri_field_real(m, r->d, id)[at] += h;
  }
}

cr_real cri_named_value(const cri_named* q, const cr_model* m, const cr_rollout* r, int k) {
  cr_field_id id = q->place.field;
  bool plain = cri_field(id)->tangent == CR_TANGENT_SAME;
  if (q->each_step) {
    return r->ctrl[k];
  }
  return plain ? cri_field_real(m, r->d, id)[q->place.tan_first + k] : 0;
}

// ---- the start

cr_status cri_start_keep(cri_start* start, const cr_model* m, cr_rollout* r, cr_error* error) {
  *start = (cri_start){.d = NULL, .nstep = r->nstep};
  CR_TRY(cri_model_copy(&start->m, m, error));
  CR_TRY(cri_data_create(&start->d, m, NULL, error));
  size_t controls = (size_t)r->nstep * (size_t)m->nu;
  start->ctrl = malloc((controls + 1) * sizeof *start->ctrl);
  if (start->ctrl == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "differences: no memory");
  }
  memcpy(start->ctrl, r->ctrl, controls * sizeof *start->ctrl);
  CR_TRY(cri_rollout_restore(r, m, 0, error));
  cri_inputs_copy(m, start->d, r->d);
  return CR_OK;
}

static void put_model(const cri_start* start, cr_model* m) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    cr_field_kind kind = cri_field(id)->kind;
    if (kind == CR_KIND_PARAM || kind == CR_KIND_CONST) {
      int n = cri_field_rows(m, NULL, id) * cri_field_width(m, id);
      cr_copy(cri_field_real(m, NULL, id), cri_field_real(&start->m, NULL, id), n);
    }
  }
}

void cri_start_put_state(const cri_start* start, const cr_model* m, cr_rollout* r) {
  cri_inputs_copy(m, r->d, start->d);
  size_t controls = (size_t)start->nstep * (size_t)m->nu;
  memcpy(r->ctrl, start->ctrl, controls * sizeof *start->ctrl);
}

void cri_start_put(const cri_start* start, cr_model* m, cr_rollout* r) {
  put_model(start, m);
  cri_start_put_state(start, m, r);
}

void cri_start_free(cri_start* start) {
  cri_data_free(start->d);
  cri_model_free(&start->m);
  free(start->ctrl);
  *start = (cri_start){.d = NULL};
}
