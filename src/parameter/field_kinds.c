// SPDX-License-Identifier: Apache-2.0
// Parameters that are numbers of fields, and directions.
//   [identification.p1] field, tied  y_i = p
//   [identification.p8] scale        y_i = p b_i, b the numbers that the model has
//   [identification.p9] offset       y_i = b_i + p
//   [identification.p4] direction    y = x / |x|, made by who has x: here y = p
#include "engine/constants.h"
#include "math/vec3.h"
#include "parameter/kind_table.h"
#include "parameter/parameter_target.h"

// ---- places

static cr_status check_place(const cri_parameter_entry* e, const cr_model* m, const cr_place* place,
                             cr_error* error) {
  const cr_field* field = cri_field(place->field);
  bool turns = e->item.kind == CR_FIT_DIRECTION && field->tangent == CR_TANGENT_QUAT;
  bool plain = field->tangent == CR_TANGENT_SAME && place->tan_count == place->count;
  if (field->kind != CR_KIND_PARAM || !(turns || plain)) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': %s is not a field that can be fitted",
                    e->item.name, field->name);
  }
  for (int i = place->first; i < place->first + place->count; i++) {
    if (cri_is_derived(m, place->field, i)) {
      char text[2 * CR_MAX_NAME];
      cri_target_name(m, place->field, i, text, sizeof text);
      return cri_fail(error, CR_ERR_ARG, "parameter '%s': %s is derived from other fields",
                      e->item.name, text);
    }
  }
  return CR_OK;
}

static cr_status find_places(cri_parameter_entry* e, const cr_model* m, bool* wanted,
                             cr_error* error) {
  cr_error inner;
  cr_status status = cri_target_find(m, e->item.target, &e->places, &e->nplace, &inner);
  if (status != CR_OK) {
    return cri_fail(error, status, "parameter '%s': %s", e->item.name, inner.text);
  }
  for (int i = 0; i < e->nplace; i++) {
    CR_TRY(check_place(e, m, &e->places[i], error));
    wanted[e->places[i].field] = true;
  }
  return cri_entry_base(e, m, error);
}

static int count_numbers(const cri_parameter_entry* e) {
  int n = 0;
  for (int i = 0; i < e->nplace; i++) {
    n += e->places[i].count;
  }
  return n;
}

static cr_real* numbers_of(const cr_place* place, const cr_model* m) {
  return cri_field_real(m, NULL, place->field) + place->first;
}

// ---- numbers

static cr_status bind_numbers(cri_parameter_entry* e, const cr_model* m, bool* wanted,
                              cr_error* error) {
  CR_TRY(find_places(e, m, wanted, error));
  int n = count_numbers(e);
  if (n == 0) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': the model has no number %s", e->item.name,
                    e->item.target);
  }
  if (e->item.kind == CR_FIT_FIELD && n != 1) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': %s stands for %d numbers, name one of them",
                    e->item.name, e->item.target, n);
  }
  if (e->item.kind == CR_FIT_SCALE && cr_is_zero(e->base, n)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': a factor on %s moves nothing, they are zero in the model",
                    e->item.name, e->item.target);
  }
  return CR_OK;
}

static void apply_numbers(const cri_parameter_entry* e, cr_model* m, const cr_real* p) {
  const cr_real* base = e->base;
  for (int i = 0; i < e->nplace; i++) {
    cr_real* y = numbers_of(&e->places[i], m);
    for (int k = 0; k < e->places[i].count; k++, base++) {
      switch (e->item.kind) {
        case CR_FIT_SCALE:
          y[k] = p[0] * *base;  // [identification.p8]
          break;
        case CR_FIT_OFFSET:
          y[k] = *base + p[0];  // [identification.p9]
          break;
        default:
          y[k] = p[0];  // [identification.p1]
          break;
      }
    }
  }
}

static void push_numbers(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                         const cr_real* p_tan, cr_model* par_tan) {
  const cr_real* base = e->base;
  (void)m, (void)p;
  for (int i = 0; i < e->nplace; i++) {
    cr_real* y_tan = numbers_of(&e->places[i], par_tan);
    for (int k = 0; k < e->places[i].count; k++, base++) {
      y_tan[k] = e->item.kind == CR_FIT_SCALE ? *base * p_tan[0] : p_tan[0];
    }
  }
}

static void pull_numbers(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                         cr_model* par_bar, cr_real* p_bar) {
  const cr_real* base = e->base;
  (void)m, (void)p;
  for (int i = 0; i < e->nplace; i++) {
    const cr_real* y_bar = numbers_of(&e->places[i], par_bar);
    for (int k = 0; k < e->places[i].count; k++, base++) {
      p_bar[0] += e->item.kind == CR_FIT_SCALE ? *base * y_bar[k] : y_bar[k];
    }
  }
}

const cri_parameter_kind cri_kind_numbers = {
    .bind = bind_numbers, .apply = apply_numbers, .push = push_numbers, .pull = pull_numbers};

// ---- direction: a row of unit length

static cr_real length_of(const cr_real* x, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return cr_sqrt(sum);
}

static cr_status bind_direction(cri_parameter_entry* e, const cr_model* m, bool* wanted,
                                cr_error* error) {
  CR_TRY(find_places(e, m, wanted, error));
  int n = e->places[0].count;
  bool row = e->nplace == 1 && n > 1 && n <= 4 && n == cri_field_width(m, e->places[0].field);
  if (!row || !(cr_abs(length_of(e->base, n) - 1) <= CR_R(1e-6))) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': %s is not one direction, of unit length",
                    e->item.name, e->item.target);
  }
  e->n = n;
  return CR_OK;
}

static void start_direction(const cri_parameter_entry* e, const cr_model* m, cr_real* p) {
  (void)m;
  cr_copy(p, e->base, e->n);
}

static void apply_direction(const cri_parameter_entry* e, cr_model* m, const cr_real* p) {
  cr_copy(numbers_of(&e->places[0], m), p, e->n);
}

static bool is_turn(const cr_place* place) {
  return cri_field(place->field)->tangent == CR_TANGENT_QUAT;
}

// q + dq turns by 2 vec(conj(q) dq)
static void push_direction(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                           const cr_real* p_tan, cr_model* par_tan) {
  const cr_place* place = &e->places[0];
  cr_real* tan = cri_field_real(par_tan, NULL, place->field) + place->tan_first;
  (void)m;
  if (!is_turn(place)) {
    cr_copy(tan, p_tan, e->n);
    return;
  }
  for (int i = 0; i < 3; i++) {
    tan[i] = 2 * (p[0] * p_tan[1 + i] - p_tan[0] * p[1 + i]);
  }
  cr_real turned[3];
  cr_cross3(turned, p + 1, p_tan + 1);
  cr_accscl3(tan, turned, -2);
}

// the transpose: the turn's cotangent t gives 2 (-v.t, w t + v x t)
static void pull_direction(const cri_parameter_entry* e, const cr_model* m, const cr_real* p,
                           cr_model* par_bar, cr_real* p_bar) {
  const cr_place* place = &e->places[0];
  const cr_real* bar = cri_field_real(par_bar, NULL, place->field) + place->tan_first;
  (void)m;
  if (!is_turn(place)) {
    for (int i = 0; i < e->n; i++) {
      p_bar[i] += bar[i];
    }
    return;
  }
  const cr_real *q = p, *v = q + 1;
  cr_real turned[3];
  cr_cross3(turned, v, bar);
  p_bar[0] -= 2 * cr_dot3(v, bar);
  for (int i = 0; i < 3; i++) {
    p_bar[1 + i] += 2 * (q[0] * bar[i] + turned[i]);
  }
}

const cri_parameter_kind cri_kind_direction = {.own_start = true,
                                               .bind = bind_direction,
                                               .start = start_direction,
                                               .apply = apply_direction,
                                               .push = push_direction,
                                               .pull = pull_direction};
