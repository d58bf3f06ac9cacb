// SPDX-License-Identifier: Apache-2.0
// Places by name, read and moved.
#include "cli/wrt.h"

#include <stdlib.h>

#include "integrate/inputs.h"
#include "integrate/manifold.h"
#include "math/quat.h"
#include "model/fields.h"

cr_status cr_wrt_find(cr_wrt* q, const cr_model* m, const char* name, bool* wanted,
                      cr_error* error) {
  CR_TRY(cri_place_find(&q->place, m, name, error));
  const cr_field* f = cri_field(q->place.field);
  cr_field_id id = q->place.field;
  bool state = id == CR_FIELD_qpos || id == CR_FIELD_qvel || id == CR_FIELD_act ||
               id == CR_FIELD_ctrl || id == CR_FIELD_qfrc_applied || id == CR_FIELD_xfrc_applied;
  if (!state && f->kind != CR_KIND_PARAM) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: neither state, control nor parameter", name);
  }
  if (q->place.tan_count == 0 && q->place.count == 0) {
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: the model has none of these", name);
  }
  if (q->place.tan_count == 0) {
    const char* instead = id == CR_FIELD_qpos          ? "for its directions use tangent[j]"
                          : id == CR_FIELD_qpos_spring ? "name the other coordinates one by one"
                                                       : "name the whole of it (3 numbers)";
    return cri_fail(error, CR_ERR_NAME, "--wrt %s: a quaternion, or part of one; %s", name,
                    instead);
  }
  if (f->kind == CR_KIND_PARAM) {
    wanted[id] = true;
  }
  q->name = name;
  q->each_step = id == CR_FIELD_ctrl && strcmp(name, "ctrl") == 0;
  return CR_OK;
}

int cr_wrt_size(const cr_wrt* q, const cr_setup* s) {
  return q->each_step ? s->nstep * s->m.nu : q->place.tan_count;
}

cr_status cr_wrt_read(const cr_wrt* q, const cr_setup* s, const cr_rollout* r, cr_real* gradient,
                      cr_error* error) {
  int n = cr_wrt_size(q, s), nu = s->m.nu;
  if (q->each_step) {
    cr_copy(gradient, r->ctrl_bar, n);
  } else if (q->place.field == CR_FIELD_ctrl) {  // a constant control acts in every step
    cr_zero(gradient, n);
    for (int k = 0; k < s->nstep; k++) {
      for (int i = 0; i < n; i++) {
        gradient[i] += r->ctrl_bar[(size_t)k * (size_t)nu + (size_t)(q->place.tan_first + i)];
      }
    }
  } else {
    cr_copy(gradient, cri_place_tangent(&q->place, &s->m, r->d, r->bar), n);
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(gradient[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "the gradient with respect to %s, number %d, is %g",
                      q->name, i, (double)gradient[i]);
    }
  }
  return CR_OK;
}

void cr_wrt_move(const cr_wrt* q, cr_setup* s, cr_rollout* r, int k, cr_real h) {
  cr_field_id id = q->place.field;
  int at = q->place.tan_first + k;
  if (q->each_step) {
    r->ctrl[k] += h;
  } else if (id == CR_FIELD_ctrl) {
    for (int step = 0; step < s->nstep; step++) {
      r->ctrl[(size_t)step * (size_t)s->m.nu + (size_t)at] += h;
    }
  } else if (id == CR_FIELD_qpos) {
    size_t mark = cri_mark(r->d);
    cr_real* direction = cri_push(r->d, (size_t)s->m.nv);
    cr_zero(direction, s->m.nv);
    direction[at] = 1;
    cri_manifold_move(&s->m, r->d->qpos, direction, h, r->d->qpos);
    cri_pop(r->d, mark);
  } else if (cri_field(id)->tangent == CR_TANGENT_QUAT) {
    cr_real axis[3] = {at % 3 == 0, at % 3 == 1, at % 3 == 2};
    cr_quat_integrate(cri_field_real(&s->m, r->d, id) + 4 * (at / 3), axis, h);
  } else {
    cri_field_real(&s->m, r->d, id)[at] += h;
  }
}

cr_real cr_wrt_value(const cr_wrt* q, const cr_setup* s, const cr_rollout* r, int k) {
  cr_field_id id = q->place.field;
  bool plain = cri_field(id)->tangent == CR_TANGENT_SAME;
  if (q->each_step) {
    return r->ctrl[k];
  }
  return plain ? cri_field_real(&s->m, r->d, id)[q->place.tan_first + k] : 0;
}

// ---- the start

cr_status cr_start_keep(cr_start* start, const cr_setup* s, cr_error* error) {
  *start = (cr_start){.d = NULL};
  CR_TRY(cri_model_copy(&start->m, &s->m, error));
  CR_TRY(cri_data_create(&start->d, &s->m, NULL, error));
  size_t controls = (size_t)s->nstep * (size_t)s->m.nu;
  start->ctrl = malloc((controls + 1) * sizeof *start->ctrl);
  if (start->ctrl == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "differences: no memory");
  }
  memcpy(start->ctrl, s->rollout->ctrl, controls * sizeof *start->ctrl);
  CR_TRY(cri_rollout_restore(s->rollout, &s->m, 0, error));
  cri_inputs_copy(&s->m, start->d, s->rollout->d);
  return CR_OK;
}

void cr_start_put(const cr_start* start, cr_setup* s, cr_rollout* r) {
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    cr_field_kind kind = cri_field(id)->kind;
    if (kind == CR_KIND_PARAM || kind == CR_KIND_CONST) {
      int n = cri_field_rows(&s->m, NULL, id) * cri_field_width(&s->m, id);
      cr_copy(cri_field_real(&s->m, NULL, id), cri_field_real(&start->m, NULL, id), n);
    }
  }
  cri_inputs_copy(&s->m, r->d, start->d);
  size_t controls = (size_t)s->nstep * (size_t)s->m.nu;
  memcpy(r->ctrl, start->ctrl, controls * sizeof *start->ctrl);
}

void cr_start_free(cr_start* start) {
  cri_data_free(start->d);
  cri_model_free(&start->m);
  free(start->ctrl);
}
