// SPDX-License-Identifier: Apache-2.0
// Residuals: places, expressions, functions of the caller, each minus its target.
#include "control/residual.h"

#include <stdlib.h>

#include "learn/expression.h"
#include "math/quat.h"

enum { MOST_OUTPUTS = 4096 };

// ---- making

static char* copy_text(const char* text) {
  size_t n = strlen(text) + 1;
  char* copy = malloc(n);
  return copy == NULL ? NULL : memcpy(copy, text, n);
}

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "cost: no memory");
}

// a place of coordinates, or of orientations: as outputs, whose differences are those of the group
static bool is_of_group(const cr_place* place) {
  return place->field == CR_FIELD_qpos || place->field == CR_FIELD_xquat ||
         place->field == CR_FIELD_site_xquat || place->field == CR_FIELD_sensordata;
}

static cr_status find_outputs(cri_residual* r, const cr_model* m, const cr_place* place,
                              cr_error* error) {
  int room = place->count < MOST_OUTPUTS ? place->count : MOST_OUTPUTS;
  r->outputs = calloc((size_t)room + 1, sizeof *r->outputs);
  if (r->outputs == NULL) {
    return no_memory(error);
  }
  cr_error why = {0};
  cr_status status = cri_outputs_of(m, r->text, r->outputs, room, &r->noutput, &why);
  if (status != CR_OK) {
    return cri_fail(error, status, "cost '%s': %s", r->name, why.text);
  }
  for (int i = 0; i < r->noutput; i++) {
    r->n += cri_output_errors(&r->outputs[i]);
    r->ntarget += cri_output_numbers(&r->outputs[i]);
  }
  bool turns = r->noutput == 1 && r->outputs[0].turns;
  return r->kind != CR_RESIDUAL_ORIENTATION || turns
             ? CR_OK
             : cri_fail(error, CR_ERR_NAME, "cost '%s': %s is not one quaternion", r->name,
                        r->text);
}

static cr_status find_expression(cri_residual* r, const cr_model* m, cr_error* error) {
  cr_error why = {0};
  cr_status status = cri_expression_create(&r->expression, m, r->text, true, &why);
  if (status != CR_OK) {
    return cri_fail(error, status, "cost '%s': %s", r->name, why.text);
  }
  r->n = r->ntarget = cri_expression_size(r->expression);
  return CR_OK;
}

static cr_status find_text(cri_residual* r, const cr_model* m, cr_error* error) {
  if (r->kind == CR_RESIDUAL_EXPRESSION) {
    return find_expression(r, m, error);
  }
  cr_place place;
  cr_error why = {0};
  cr_status status = cri_place_find(&place, m, r->text, &why);
  if (status != CR_OK) {
    return cri_fail(error, status, "cost '%s': %s", r->name, why.text);
  }
  bool group = place.geom1 < 0 && !place.of_tangent && is_of_group(&place);
  return group || r->kind == CR_RESIDUAL_ORIENTATION ? find_outputs(r, m, &place, error)
                                                     : find_expression(r, m, error);
}

static cr_status take_target(cri_residual* r, const cr_cost_term* term, cr_error* error) {
  int rows = term->target == NULL ? 0 : (term->rows > 0 ? term->rows : 1);
  if (term->rows < 0 || (rows > 1 && term->times == NULL) ||
      (term->target == NULL && term->rows > 0)) {
    return cri_fail(error, CR_ERR_ARG, "cost '%s': %d rows of targets need %s", r->name, term->rows,
                    term->rows < 0         ? "to be 0 or more"
                    : term->target == NULL ? "a target"
                                           : "times");
  }
  size_t n = (size_t)rows * (size_t)r->ntarget;
  r->target = calloc(n + 1, sizeof *r->target);
  r->times = calloc((size_t)rows + 1, sizeof *r->times);
  r->now = calloc((size_t)r->ntarget + 1, sizeof *r->now);
  if (r->target == NULL || r->times == NULL || r->now == NULL) {
    return no_memory(error);
  }
  r->rows = rows;
  for (size_t i = 0; i < n; i++) {
    r->target[i] = term->target[i];
    if (!isfinite(r->target[i])) {
      return cri_fail(error, CR_ERR_ARG, "cost '%s': number %zu of its target is not finite",
                      r->name, i);
    }
  }
  for (int i = 0; i < rows && term->times != NULL; i++) {
    r->times[i] = term->times[i];
    if (!isfinite(r->times[i]) || (i > 0 && !(r->times[i] > r->times[i - 1]))) {
      return cri_fail(error, CR_ERR_ARG, "cost '%s': time %d of its targets does not ascend",
                      r->name, i);
    }
  }
  return CR_OK;
}

// quaternions of targets have length 1
static cr_status check_turns(cri_residual* r, cr_error* error) {
  for (int row = 0; row < r->rows; row++) {
    cr_real* at = r->target + (ptrdiff_t)row * r->ntarget;
    for (int i = 0; i < r->noutput; at += cri_output_numbers(&r->outputs[i++])) {
      if (r->outputs[i].turns && cr_abs(cr_quat_normalize(at) - 1) > CR_R(1e-3)) {
        return cri_fail(error, CR_ERR_ARG, "cost '%s': row %d of its target is no unit quaternion",
                        r->name, row);
      }
    }
  }
  return CR_OK;
}

cr_status cri_residual_make(cri_residual* r, const cr_model* m, const cr_cost_term* term,
                            cr_error* error) {
  *r = (cri_residual){.kind = term->kind};
  const char* name = term->name != NULL ? term->name : term->text != NULL ? term->text : "callback";
  r->name = copy_text(name);
  if (r->name == NULL) {
    return no_memory(error);
  }
  if (term->kind == CR_RESIDUAL_CALLBACK) {
    const cr_cost_callback* f = term->residual;
    if (f == NULL || f->value == NULL || f->bar == NULL || f->n < 1) {
      return cri_fail(error, CR_ERR_ARG, "cost '%s': a callback needs a value, a bar and n", name);
    }
    r->function = *f;
    r->n = r->ntarget = f->n;
  } else if (term->kind > CR_RESIDUAL_CALLBACK || term->text == NULL) {
    return cri_fail(error, CR_ERR_ARG, "cost '%s': it has %s", name,
                    term->text == NULL ? "no text" : "a kind that does not exist");
  } else {
    r->text = copy_text(term->text);
    CR_TRY(r->text == NULL ? no_memory(error) : find_text(r, m, error));
  }
  CR_TRY(take_target(r, term, error));
  return check_turns(r, error);
}

void cri_residual_free(cri_residual* r) {
  free(r->name);
  free(r->text);
  free(r->outputs);
  cr_expression_destroy(r->expression);
  free(r->target);
  free(r->times);
  free(r->now);
}

// ---- what it reads

void cri_residual_reach(const cri_residual* r, const cr_model* m, bool* stages) {
  if (r->expression != NULL) {
    cri_expression_reach(r->expression, m, stages);
    return;
  }
  bool one[CR_MAX_STAGES] = {false};
  for (int i = 0; i < r->noutput; i++) {
    if (r->outputs[i].kind != CRI_OUTPUT_STATE) {
      cri_output_reach(&r->outputs[i], m, one);
      for (int k = 0; k < CR_MAX_STAGES; k++) {
        stages[k] = stages[k] || one[k];
      }
    }
  }
  for (int k = 0; k < CR_MAX_STAGES && r->function.needs_fields; k++) {
    stages[k] = true;
  }
}

bool cri_residual_is_direct(const cri_residual* r) {
  if (r->expression != NULL) {
    return !cr_expression_needs_fields(r->expression);
  }
  for (int i = 0; i < r->noutput; i++) {
    if (r->outputs[i].kind != CRI_OUTPUT_STATE) {
      return false;
    }
  }
  return !r->function.needs_fields;
}

// ---- the target at a time

// quaternions meet on the shorter way, and are made unit again
static void between(const cri_residual* r, const cr_real* a, const cr_real* b, cr_real f) {
  cr_real* to = r->now;
  for (int i = 0; i < r->ntarget; i++) {
    to[i] = a[i] + f * (b[i] - a[i]);
  }
  int at = 0;
  for (int i = 0; i < r->noutput; at += cri_output_numbers(&r->outputs[i++])) {
    if (r->outputs[i].turns) {
      const cr_real *p = a + at, *q = b + at;
      cr_real sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0 ? -1 : 1;
      for (int k = 0; k < 4; k++) {
        to[at + k] = p[k] + f * (sign * q[k] - p[k]);
      }
      (void)cr_quat_normalize(to + at);
    }
  }
}

static void no_target(const cri_residual* r) {
  cr_zero(r->now, r->ntarget);
  int at = 0;
  for (int i = 0; i < r->noutput; at += cri_output_numbers(&r->outputs[i++])) {
    r->now[at] = r->outputs[i].turns ? 1 : 0;
  }
}

static void find_target(const cri_residual* r, cr_real time) {
  if (r->rows == 0) {
    no_target(r);
    return;
  }
  int low = 0, high = r->rows - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (r->times[middle] <= time) {
      low = middle;
    } else {
      high = middle;
    }
  }
  cr_real span = r->times[high] - r->times[low];
  cr_real f = span > 0 ? cr_clip((time - r->times[low]) / span, 0, 1) : 0;
  between(r, r->target + (ptrdiff_t)low * r->ntarget, r->target + (ptrdiff_t)high * r->ntarget, f);
}

// ---- values and cotangents

cr_status cri_residual_values(cri_residual* r, const cr_model* m, const cr_data* d,
                              cr_real* values) {
  find_target(r, d->time);
  int error = 0, number = 0;
  for (int i = 0; i < r->noutput; i++) {
    const cri_output* o = &r->outputs[i];
    cri_output_error(o, cri_output_value(o, m, d), r->now + number, values + error);
    error += cri_output_errors(o);
    number += cri_output_numbers(o);
  }
  if (r->outputs != NULL) {
    return CR_OK;
  }
  CR_TRY(r->expression != NULL ? cri_expression_values(r->expression, m, d, values)
                               : r->function.value(r->function.context, m, d, values));
  for (int i = 0; i < r->n; i++) {
    values[i] -= r->now[i];
  }
  return CR_OK;
}

// number i of the tangent of the state
static cr_real* of_state(const cr_model* m, cr_data* bar, int i) {
  const cri_state s = cri_state_twin(m, bar);
  int k = 0;
  while (i >= s.part[k].n) {
    i -= s.part[k++].n;
  }
  return s.part[k].x + i;
}

// of e = log(seen^-1 q), q turned by d in its own frame: e changes by Jr^-1(e) d
static void turn_back(const cr_real* e, const cr_real* e_bar, cr_real d_bar[3]) {
  cr_real J[9];
  cr_so3_jr_inv(J, e);
  for (int i = 0; i < 3; i++) {
    d_bar[i] = J[i] * e_bar[0] + J[3 + i] * e_bar[1] + J[6 + i] * e_bar[2];
  }
}

static void pull_output(const cri_output* o, const cr_model* m, const cr_data* d, const cr_real* e,
                        const cr_real* e_bar, cr_data* bar) {
  cr_real turned[3] = {e_bar[0], 0, 0};
  if (o->turns) {
    turn_back(e, e_bar, turned);
  }
  for (int i = 0; i < cri_output_errors(o); i++) {
    if (turned[i] == 0) {
      continue;
    }
    if (o->kind == CRI_OUTPUT_STATE) {
      *of_state(m, bar, o->tangent_at + i) += turned[i];
    } else {
      cri_output_seed(o, m, d, i, turned[i], bar);
    }
  }
}

cr_status cri_residual_pull(cri_residual* r, const cr_model* m, const cr_data* d,
                            const cr_real* values, const cr_real* values_bar, cr_data* bar) {
  if (r->expression != NULL) {
    return cri_expression_pull(r->expression, m, d, values_bar, bar);
  }
  if (r->outputs == NULL) {
    return r->function.bar(r->function.context, m, d, values_bar, bar);
  }
  int error = 0;
  for (int i = 0; i < r->noutput; i++) {
    pull_output(&r->outputs[i], m, d, values + error, values_bar + error, bar);
    error += cri_output_errors(&r->outputs[i]);
  }
  return CR_OK;
}
