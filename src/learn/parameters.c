// SPDX-License-Identifier: Apache-2.0
// The list: parameters bound, their transforms, and the kinds one after another. Those that read what others set are
// applied last and pulled back first.
#include "learn/parameters.h"
#include "parameter/pseudo_inertia.h"

#include <stdlib.h>

#include "base/fingerprint.h"
#include "engine/constants.h"
#include "engine/data_create.h"
#include "learn/parameter_list.h"
#include "model/model_check.h"
#include "parameter/kind_table.h"

static const cri_parameter_kind* kind_of(const cri_parameter_entry* e) {
  return cri_parameter_kind_of(e->item.kind);
}

// ---- transforms: what is between bounds has its interval as unit

static bool scaled(const cr_parameter* item) { return item->transform == CR_TRANSFORM_BOUNDED; }

static cr_real value_of(const cr_parameter* item, cr_real x) {
  cr_real p = cr_transform_value(item->transform, x);
  return scaled(item) ? item->lower + (item->upper - item->lower) * p : p;
}

static cr_real inverse_of(const cr_parameter* item, cr_real p) {
  cr_real share = scaled(item) ? (p - item->lower) / (item->upper - item->lower) : p;
  return cr_transform_inverse(item->transform, share);
}

static cr_real slope_at(const cr_parameter* item, cr_real x) {
  cr_real slope = cr_transform_slope(item->transform, x);
  return scaled(item) ? (item->upper - item->lower) * slope : slope;
}

// ---- creation

static cr_status check_item(const cr_parameter* item, cr_error* error) {
  if (cri_parameter_kind_of(item->kind)->own_start) {
    return item->transform == CR_TRANSFORM_NONE
               ? CR_OK
               : cri_fail(error, CR_ERR_ARG, "parameter '%s': %s has no transform", item->name,
                          item->kind == CR_FIT_DIRECTION ? "a direction" : "an inertia");
  }
  if (!(item->lower <= item->upper)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': the lower bound %.9g is above the upper bound %.9g",
                    item->name, (double)item->lower, (double)item->upper);
  }
  if (!(item->start >= item->lower && item->start <= item->upper)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': the start %.9g is not between its bounds %.9g and %.9g",
                    item->name, (double)item->start, (double)item->lower, (double)item->upper);
  }
  if (scaled(item) && !isfinite(item->upper - item->lower)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': the transform bounded needs a lower and an upper bound",
                    item->name);
  }
  if (!isfinite(inverse_of(item, item->start))) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': the start %.9g is out of reach of its transform, which gives "
                    "%s",
                    item->name, (double)item->start,
                    scaled(item) ? "numbers between the bounds only" : "positive numbers only");
  }
  if (!(item->prior_sd >= 0) || !isfinite(item->prior_sd) ||
      (item->prior_sd > 0 && !isfinite(item->prior))) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': a prior has a finite mean and standard deviation, not %.9g "
                    "and %.9g",
                    item->name, (double)item->prior, (double)item->prior_sd);
  }
  return CR_OK;
}

static bool overlap(const cr_place* a, const cr_place* b) {
  return a->field == b->field && a->first < b->first + b->count && b->first < a->first + a->count;
}

// true if two entries set the same number; sizes of one geom may share the moments that follow from all
static bool collide(const cri_parameter_entry* a, const cri_parameter_entry* b) {
  bool sizes = a->item.kind == CR_FIT_SHAPE && b->item.kind == CR_FIT_SHAPE;
  for (int i = 0; i < a->nplace; i++) {
    for (int k = 0; k < b->nplace; k++) {
      bool moments = sizes && i > 0 && k > 0;
      if (!moments && overlap(&a->places[i], &b->places[k])) {
        return true;
      }
    }
  }
  return false;
}

static cr_status check_places(const cri_parameter_entry* e, cr_error* error) {
  for (int i = 0; i < e->nplace; i++) {
    for (int k = 0; k < i; k++) {
      if (overlap(&e->places[k], &e->places[i])) {
        return cri_fail(error, CR_ERR_ARG, "parameter '%s': %.200s names a number twice",
                        e->item.name, e->item.target);
      }
    }
  }
  return CR_OK;
}

static cr_status check_others(const cr_parameters* ps, int i, cr_error* error) {
  const cri_parameter_entry* e = &ps->entries[i];
  CR_TRY(check_places(e, error));
  for (int k = 0; k < i; k++) {
    if (strcmp(ps->entries[k].item.name, e->item.name) == 0) {
      return cri_fail(error, CR_ERR_ARG, "two parameters have the name '%s'", e->item.name);
    }
    if (collide(&ps->entries[k], e)) {
      return cri_fail(error, CR_ERR_ARG, "parameters '%s' and '%s' set the same number",
                      ps->entries[k].item.name, e->item.name);
    }
  }
  return CR_OK;
}

// a factor starts at 1 where nothing is said
static void take_start(cr_parameter* item) {
  if ((item->kind == CR_FIT_SCALE || item->kind == CR_FIT_DENSITY) && item->start == 0) {
    item->start = 1;
  }
}

static cr_status bind(cr_parameters* ps, const cr_model* m, const cr_parameter* items,
                      cr_error* error) {
  for (int i = 0; i < ps->nentry; i++) {
    cri_parameter_entry* e = &ps->entries[i];
    *e = (cri_parameter_entry){.item = items[i], .first = ps->n, .n = 1};
    take_start(&e->item);
    CR_TRY(check_item(&e->item, error));
    CR_TRY(kind_of(e)->bind(e, m, ps->wanted, error));
    CR_TRY(check_others(ps, i, error));
    ps->n += e->n;
  }
  for (int k = 0; k < CR_N_DERIVED; k++) {
    ps->wanted[cri_derived_fields[k]] = true;
  }
  return ps->n <= CR_MAX_PARAMETERS
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "the parameters have %d numbers, %d may be", ps->n,
                        (int)CR_MAX_PARAMETERS);
}

// p at the start
static void start_of(const cr_parameters* ps, const cr_model* m, cr_real* p) {
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    if (kind_of(e)->own_start) {
      kind_of(e)->start(e, m, p + e->first);
    } else {
      p[e->first] = e->item.start;
    }
  }
}

static cr_status fill(cr_parameters* ps, const cr_model* m, const cr_parameter* items,
                      cr_error* error) {
  CR_TRY(bind(ps, m, items, error));
  CR_TRY(cri_model_copy(&ps->m, m, error));
  CR_TRY(cri_data_create(&ps->work, m, NULL, error));
  CR_TRY(cri_data_twin(&ps->bar, m, ps->work, CR_DATA_COTANGENT, ps->wanted, error));
  ps->p = calloc(2 * (size_t)ps->n, sizeof *ps->p);
  if (ps->p == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "parameters: no memory");
  }
  ps->start = ps->p + ps->n;
  start_of(ps, m, ps->start);
  return cri_parameters_apply(ps, ps->start, error);
}

cr_status cri_parameters_create(cr_parameters** out, const cr_parameter* items, int n,
                                const cr_model* m, cr_error* error) {
  if (n < 1 || n > CR_MAX_PARAMETERS) {
    return cri_fail(error, CR_ERR_ARG, "%d parameters: there must be 1 to %d", n,
                    CR_MAX_PARAMETERS);
  }
  cr_parameters* ps = calloc(1, sizeof *ps);
  cri_parameter_entry* entries = calloc((size_t)n, sizeof *entries);
  if (ps == NULL || entries == NULL) {
    free(ps);
    free(entries);
    return cri_fail(error, CR_ERR_MEMORY, "parameters: no memory");
  }
  ps->nentry = n;
  ps->entries = entries;
  cr_status status = fill(ps, m, items, error);
  if (status != CR_OK) {
    cri_parameters_free(ps);
    return status;
  }
  *out = ps;
  return CR_OK;
}

void cri_parameters_free(cr_parameters* ps) {
  if (ps == NULL) {
    return;
  }
  cri_data_free(ps->work);
  cri_data_free(ps->bar);
  cri_model_free(&ps->m);
  for (int i = 0; i < ps->nentry; i++) {
    cri_entry_free(&ps->entries[i]);
  }
  free(ps->entries);
  free(ps->p);
  free(ps);
}

int cri_parameters_count(const cr_parameters* ps) { return ps->n; }

const bool* cri_parameters_wanted(const cr_parameters* ps) { return ps->wanted; }

const cr_model* cri_parameters_model(const cr_parameters* ps) { return &ps->m; }

// ---- free numbers

void cri_parameters_start(const cr_parameters* ps, cr_real* x) {
  cr_copy(x, ps->start, ps->n);
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    if (!kind_of(e)->own_start) {
      x[e->first] = inverse_of(&e->item, e->item.start);
    }
  }
}

void cri_parameters_bounds(const cr_parameters* ps, cr_real* lower, cr_real* upper) {
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    bool open = kind_of(e)->own_start;
    for (int k = e->first; k < e->first + e->n; k++) {
      lower[k] = open ? -(cr_real)INFINITY : inverse_of(&e->item, e->item.lower);
      upper[k] = open ? (cr_real)INFINITY : inverse_of(&e->item, e->item.upper);
    }
  }
}

void cri_parameters_search_bounds(const cr_parameters* ps, cr_real* lower, cr_real* upper) {
  cri_parameters_bounds(ps, lower, upper);
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    if (scaled(&e->item) && !kind_of(e)->own_start) {
      lower[e->first] = cr_transform_inverse(e->item.transform, CR_R(0.001));
      upper[e->first] = cr_transform_inverse(e->item.transform, CR_R(0.999));
    }
  }
}

uint64_t cri_parameters_fingerprint(const cr_parameters* ps, uint64_t hash) {
  for (int i = 0; i < ps->nentry; i++) {
    const cr_parameter* item = &ps->entries[i].item;
    const int32_t words[] = {(int32_t)item->kind, (int32_t)item->transform};
    const double numbers[] = {(double)item->start, (double)item->lower, (double)item->upper,
                              (double)item->prior, (double)item->prior_sd};
    hash = cri_fingerprint(hash, item->name, strlen(item->name) + 1);
    hash = cri_fingerprint(hash, item->target, strlen(item->target) + 1);
    hash = cri_fingerprint(hash, words, sizeof words);
    hash = cri_fingerprint(hash, numbers, sizeof numbers);
  }
  return hash;
}

static cr_real length_of(const cr_real* x, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return cr_sqrt(sum);
}

void cri_entry_values(const cri_parameter_entry* e, const cr_real* x, cr_real* p) {
  cr_real length;
  switch (e->item.kind) {
    case CR_FIT_DIRECTION:
      length = length_of(x, e->n);
      for (int k = 0; k < e->n; k++) {
        p[k] = x[k] / length;  // [identification.p4]
      }
      break;
    case CR_FIT_INERTIA:
      cr_copy(p, x, e->n);
      break;
    default:
      p[0] = value_of(&e->item, x[0]);
      break;
  }
}

cr_real cri_entry_slope(const cri_parameter_entry* e, const cr_real* x, int k, int j) {
  cr_real length;
  switch (e->item.kind) {
    case CR_FIT_DIRECTION:  // (1 - p p') / |x|                           [identification.p4]
      length = length_of(x, e->n);
      return ((k == j) - x[k] / length * (x[j] / length)) / length;
    case CR_FIT_INERTIA:
      return k == j;
    default:
      return slope_at(&e->item, x[0]);
  }
}

void cri_parameters_values(const cr_parameters* ps, const cr_real* x, cr_real* p) {
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    cri_entry_values(e, x + e->first, p + e->first);
  }
}

// x_bar = (p_bar - p (p . p_bar)) / |x|                                          [identification.p4]'
static void chain_direction(const cr_real* x, const cr_real* p_bar, int n, cr_real* x_bar) {
  cr_real length = length_of(x, n), along = 0;
  for (int k = 0; k < n; k++) {
    along += x[k] / length * p_bar[k];
  }
  for (int k = 0; k < n; k++) {
    x_bar[k] = (p_bar[k] - x[k] / length * along) / length;
  }
}

void cri_parameters_chain(const cr_parameters* ps, const cr_real* x, const cr_real* p_bar,
                          cr_real* x_bar) {
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    int k = e->first;
    if (e->item.kind == CR_FIT_DIRECTION) {
      chain_direction(x + k, p_bar + k, e->n, x_bar + k);
    } else if (e->item.kind == CR_FIT_INERTIA) {
      cr_copy(x_bar + k, p_bar + k, e->n);
    } else {
      x_bar[k] = p_bar[k] * slope_at(&e->item, x[k]);
    }
  }
}

// log(1 + step), which goes on straight where it would fall steeply
static cr_real log_step(cr_real step) {
  const cr_real least = CR_R(-0.5);
  return step > least ? cr_log1p(step) : cr_log1p(least) + 2 * (step - least);
}

void cri_parameters_move(const cr_parameters* ps, const cr_real* x, const cr_real* step,
                         cr_real* to) {
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    int k = e->first;
    if (e->item.kind == CR_FIT_INERTIA) {
      cri_pseudo_move(x + k, step + k, to + k);
      continue;
    }
    for (int j = k; j < k + e->n; j++) {
      bool log = !kind_of(e)->own_start && e->item.transform == CR_TRANSFORM_LOG;
      to[j] = x[j] + (log ? log_step(step[j]) : step[j]);
    }
  }
}

void cri_parameters_prior(const cr_parameters* ps, const cr_real* x, cr_real* residual,
                          cr_real* derivative) {
  cr_zero(residual, ps->n);
  cr_zero(derivative, ps->n);
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    int k = e->first;
    if (!kind_of(e)->own_start && e->item.prior_sd > 0) {
      residual[k] = (value_of(&e->item, x[k]) - e->item.prior) / e->item.prior_sd;
      derivative[k] = slope_at(&e->item, x[k]) / e->item.prior_sd;
    }
  }
}

// ---- forward

cr_status cri_parameters_apply(cr_parameters* ps, const cr_real* p, cr_error* error) {
  cr_copy(ps->p, p, ps->n);
  for (int reads = 0; reads < 2; reads++) {
    for (int i = 0; i < ps->nentry; i++) {
      const cri_parameter_entry* e = &ps->entries[i];
      if (kind_of(e)->reads == reads) {
        kind_of(e)->apply(e, &ps->m, p + e->first);
      }
    }
  }
  CR_TRY(cri_model_check(&ps->m, error));
  cr_status status = cr_constants(&ps->m, ps->work);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", ps->work->error.text);
}

cr_status cri_parameters_pushforward(cr_parameters* ps, const cr_real* x, int number, cr_data* tan,
                                     cr_error* error) {
  cr_model* par_tan = &tan->par;
  cri_model_twin_zero(par_tan, &ps->m);
  for (int reads = 0; reads < 2; reads++) {
    for (int i = 0; i < ps->nentry; i++) {
      const cri_parameter_entry* e = &ps->entries[i];
      if (kind_of(e)->reads != reads) {
        continue;
      }
      cr_real p_tan[CRI_MAX_NUMBERS] = {0};
      bool moves = number >= e->first && number < e->first + e->n;
      for (int k = 0; k < e->n && moves; k++) {
        p_tan[k] = cri_entry_slope(e, x + e->first, k, number - e->first);
      }
      kind_of(e)->push(e, &ps->m, ps->p + e->first, p_tan, par_tan);
    }
  }
  cr_status status = cr_constants_jvp(&ps->m, ps->work, tan);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", ps->work->error.text);
}

// ---- backward

// in the reverse order of application, since some kinds add to the fields they read
static void pullback_direct(const cr_parameters* ps, cr_model* par_bar, cr_real* p_bar) {
  for (int reads = 1; reads >= 0; reads--) {
    for (int i = ps->nentry - 1; i >= 0; i--) {
      const cri_parameter_entry* e = &ps->entries[i];
      if (kind_of(e)->reads == reads) {
        kind_of(e)->pull(e, &ps->m, ps->p + e->first, par_bar, p_bar + e->first);
      }
    }
  }
}

// If no contact force acted the sizes' cotangents are exactly zero, and a cube that drifts turns
// at a constant rate whatever its inertia: the cotangents of its moments cancel up to round-off. Where a force
// is applied to it they do not cancel, and stay.
static void drop_round_off(const cr_parameters* ps, cr_model* par_bar) {
  for (int i = 0; i < ps->nentry; i++) {
    const cri_parameter_entry* e = &ps->entries[i];
    if (e->item.kind == CR_FIT_BOX_SIDE && e->drifts) {
      const cr_real* size_bar = par_bar->geom_size + 3 * e->geom;
      cr_real *bar = par_bar->body_inertia + 3 * e->body, sum = bar[0] + bar[1] + bar[2];
      cr_real terms = cr_abs(bar[0]) + cr_abs(bar[1]) + cr_abs(bar[2]);
      if (cr_is_zero(size_bar, 3) && cr_abs(sum) <= cr_sqrt(CR_EPS) * terms) {
        cr_zero(bar, 3);
      }
    }
  }
}

static int derived_size(const cr_parameters* ps, int k) {
  cr_field_id id = cri_derived_fields[k];
  return cri_field_rows(&ps->m, NULL, id) * cri_field_width(&ps->m, id);
}

int cri_parameters_nderived(const cr_parameters* ps) {
  int n = 0;
  for (int k = 0; k < CR_N_DERIVED; k++) {
    n += derived_size(ps, k);
  }
  return n;
}

void cri_parameters_pullback(const cr_parameters* ps, cr_model* par_bar, cr_real* p_bar,
                             cr_real* derived) {
  for (int k = 0; k < CR_N_DERIVED; k++) {
    const cr_real* bar = cri_field_real(par_bar, NULL, cri_derived_fields[k]);
    int n = derived_size(ps, k);
    for (int i = 0; i < n; i++) {
      *derived++ += bar[i] != 0 && cri_is_derived(&ps->m, cri_derived_fields[k], i) ? bar[i] : 0;
    }
  }
  drop_round_off(ps, par_bar);
  pullback_direct(ps, par_bar, p_bar);
}

cr_status cri_parameters_derived(cr_parameters* ps, const cr_real* derived, cr_real* p_bar,
                                 cr_error* error) {
  cr_model* par_bar = &ps->bar->par;
  cri_model_twin_zero(par_bar, &ps->m);
  for (int k = 0; k < CR_N_DERIVED; k++) {
    int n = derived_size(ps, k);
    cr_copy(cri_field_real(par_bar, NULL, cri_derived_fields[k]), derived, n);
    derived += n;
  }
  cr_status status = cr_constants_vjp(&ps->m, ps->work, ps->bar);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", ps->work->error.text);
  }
  pullback_direct(ps, par_bar, p_bar);
  return CR_OK;
}
