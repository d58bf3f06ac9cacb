// SPDX-License-Identifier: Apache-2.0
// Parameters: a row for each kind says how to bind, apply and pull back. Fields are applied first
// and pulled back last, since derived kinds (the inertia of a cube from its mass) read
// them.
//   [identification.p1] field     y = p
//   [identification.p2] box side  size = s/2 (1, 1, 1)
//   [identification.p3]           inertia = m s^2/6 (1, 1, 1)
//   [identification.p4] direction y = x / |x|
#include "learn/parameters.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/constants.h"
#include "math/vec3.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "model/names.h"

typedef struct {
  cr_parameter item;
  int first, n;          // its free numbers, and its numbers in p
  cr_place place;        // field, direction
  cr_real direction[4];  // that of the model
  int geom, body;        // box side
  bool drifts;           // box side: nothing but contact turns the body
} entry;

struct cr_parameters {
  int n, nentry;  // numbers; parameters
  entry* entries;
  bool wanted[CR_N_FIELD];
  const char* fields[CR_N_FIELD];  // the same by name
  int nfield;
  cr_model m;           // the variant, a copy that owns its arrays
  cr_data *work, *bar;  // for the derived constants
};

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

// ---- field

static cr_status find_place(entry* e, const cr_model* m, bool* wanted, cr_error* error) {
  const char *name = e->item.name, *target = e->item.target;
  cr_error inner;
  cr_status status = cri_place_find(&e->place, m, target, &inner);
  if (status != CR_OK) {
    return cri_fail(error, status, "parameter '%s': %s", name, inner.text);
  }
  const cr_field* field = cri_field(e->place.field);
  bool turns = e->item.kind == CR_FIT_DIRECTION && field->tangent == CR_TANGENT_QUAT;
  if (field->kind != CR_KIND_PARAM || (field->tangent != CR_TANGENT_SAME && !turns)) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': %s is not a field that can be fitted", name,
                    field->name);
  }
  if (cri_is_derived(m, e->place.field, e->place.first)) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': %s is derived from other fields", name,
                    target);
  }
  wanted[e->place.field] = true;
  return CR_OK;
}

static cr_status bind_field(entry* e, const cr_model* m, bool* wanted, cr_error* error) {
  CR_TRY(find_place(e, m, wanted, error));
  return e->place.count == 1
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG,
                        "parameter '%s': %s stands for %d numbers, name one of them", e->item.name,
                        e->item.target, e->place.count);
}

static cr_real* numbers_of(const entry* e, const cr_model* m) {
  return cri_field_real(m, NULL, e->place.field) + e->place.first;
}

static void apply_field(const entry* e, cr_model* m, const cr_real* p) {
  numbers_of(e, m)[0] = p[0];  // [identification.p1]
}

static void pullback_field(const entry* e, const cr_model* m, cr_model* par_bar, cr_real* p_bar) {
  (void)m;
  p_bar[0] += numbers_of(e, par_bar)[0];  // [identification.p1]'
}

// ---- direction: a row of unit length

static cr_real length_of(const cr_real* x, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return cr_sqrt(sum);
}

static cr_status bind_direction(entry* e, const cr_model* m, bool* wanted, cr_error* error) {
  CR_TRY(find_place(e, m, wanted, error));
  int n = e->place.count;
  bool row = n > 1 && n <= 4 && n == cri_field_width(m, e->place.field);
  if (!row || !(cr_abs(length_of(numbers_of(e, m), n) - 1) <= CR_R(1e-6))) {
    return cri_fail(error, CR_ERR_ARG, "parameter '%s': %s is not one direction, of unit length",
                    e->item.name, e->item.target);
  }
  e->n = n;
  cr_copy(e->direction, numbers_of(e, m), n);
  return CR_OK;
}

static void apply_direction(const entry* e, cr_model* m, const cr_real* p) {
  cr_copy(numbers_of(e, m), p, e->n);
}

// A quaternion has a cotangent t of its turn: q + dq turns by 2 vec(q* dq), so its own is 2 (-v.t, w t + v x t).
static void pullback_direction(const entry* e, const cr_model* m, cr_model* par_bar,
                               cr_real* p_bar) {
  const cr_field* field = cri_field(e->place.field);
  const cr_real* bar = cri_field_real(par_bar, NULL, e->place.field) + e->place.tan_first;
  if (field->tangent == CR_TANGENT_QUAT) {
    const cr_real *q = numbers_of(e, m), *v = q + 1;
    cr_real turned[3];
    cr_cross3(turned, v, bar);
    p_bar[0] -= 2 * cr_dot3(v, bar);
    for (int i = 0; i < 3; i++) {
      p_bar[1 + i] += 2 * (q[0] * bar[i] + turned[i]);
    }
    return;
  }
  for (int i = 0; i < e->n; i++) {
    p_bar[i] += bar[i];
  }
}

// ---- side of a cube

// true for a free body without springs, dampers, armature and friction loss
static bool drifts(const cr_model* m, int body) {
  int j = m->body_jntadr[body];
  bool alone = m->body_jntnum[body] == 1 && m->jnt_type[j] == CR_JNT_FREE &&
               m->body_parentid[body] == 0 && m->jnt_stiffness[j] == 0 &&
               m->jnt_stiffnesspoly[2 * j] == 0 && m->jnt_stiffnesspoly[2 * j + 1] == 0;
  for (int k = 0; k < 6 && alone; k++) {
    int i = m->jnt_dofadr[j] + k;
    alone = m->dof_damping[i] == 0 && m->dof_dampingpoly[2 * i] == 0 &&
            m->dof_dampingpoly[2 * i + 1] == 0 && m->dof_armature[i] == 0 &&
            m->dof_frictionloss[i] == 0;
  }
  return alone;
}

static cr_status bind_box_side(entry* e, const cr_model* m, bool* wanted, cr_error* error) {
  const char *name = e->item.name, *target = e->item.target;
  int g = cri_object_find(m, CRI_OBJECT_geom, target, strlen(target));
  if (g < 0) {
    return cri_fail(error, CR_ERR_NAME, "parameter '%s': the model has no geom '%s'", name, target);
  }
  int b = m->geom_bodyid[g];
  cr_real off = 0;
  for (int i = 0; i < 3; i++) {
    off = cr_max(off, cr_abs(m->geom_pos[3 * g + i] - m->body_ipos[3 * b + i]));
  }
  if (m->geom_type[g] != CR_GEOM_BOX || b == 0 || m->body_geomnum[b] != 1 || off > CR_R(1e-9)) {
    return cri_fail(error, CR_ERR_ARG,
                    "parameter '%s': geom '%s' is not a box that is alone on a moving body, with "
                    "its centre at the centre of mass",
                    name, target);
  }
  e->geom = g;
  e->body = b;
  e->drifts = drifts(m, b);
  wanted[CR_FIELD_geom_size] = wanted[CR_FIELD_body_inertia] = true;
  return CR_OK;
}

static void apply_box_side(const entry* e, cr_model* m, const cr_real* p) {
  cr_real s = p[0];
  for (int i = 0; i < 3; i++) {
    m->geom_size[3 * e->geom + i] = s / 2;                                 // [identification.p2]
    m->body_inertia[3 * e->body + i] = m->body_mass[e->body] * s * s / 6;  // [identification.p3]
  }
}

static void pullback_box_side(const entry* e, const cr_model* m, cr_model* par_bar,
                              cr_real* p_bar) {
  const cr_real* size_bar = par_bar->geom_size + 3 * e->geom;
  cr_real s = 2 * m->geom_size[3 * e->geom];
  const cr_real* inertia_bar = par_bar->body_inertia + 3 * e->body;
  cr_real moment_bar = inertia_bar[0] + inertia_bar[1] + inertia_bar[2];
  if (par_bar->body_mass != NULL) {
    par_bar->body_mass[e->body] += moment_bar * s * s / 6;  // [identification.p3]'
  }
  p_bar[0] += moment_bar * m->body_mass[e->body] * s / 3 +    // [identification.p3]'
              (size_bar[0] + size_bar[1] + size_bar[2]) / 2;  // [identification.p2]'
}

// ---- the table of kinds, in the order of application

typedef struct {
  cr_status (*bind)(entry* e, const cr_model* m, bool* wanted, cr_error* error);
  void (*apply)(const entry* e, cr_model* m, const cr_real* p);
  void (*pullback)(const entry* e, const cr_model* m, cr_model* par_bar, cr_real* p_bar);  // adds
} kind_row;

static const kind_row kinds[] = {
    [CR_FIT_FIELD] = {bind_field, apply_field, pullback_field},
    [CR_FIT_BOX_SIDE] = {bind_box_side, apply_box_side, pullback_box_side},
    [CR_FIT_DIRECTION] = {bind_direction, apply_direction, pullback_direction},
};
enum { N_KIND = (int)(sizeof kinds / sizeof kinds[0]) };

// ---- creation

static cr_status check_item(const cr_parameter* item, cr_error* error) {
  if (item->kind == CR_FIT_DIRECTION) {
    return item->transform == CR_TRANSFORM_NONE
               ? CR_OK
               : cri_fail(error, CR_ERR_ARG, "parameter '%s': a direction has no transform",
                          item->name);
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
  return CR_OK;
}

// true if two entries write the same number
static bool collide(const entry* a, const entry* b) {
  if (a->item.kind == CR_FIT_BOX_SIDE && b->item.kind == CR_FIT_BOX_SIDE) {
    return a->geom == b->geom;
  }
  if (a->item.kind != CR_FIT_BOX_SIDE && b->item.kind != CR_FIT_BOX_SIDE) {
    return a->place.field == b->place.field && a->place.first < b->place.first + b->n &&
           b->place.first < a->place.first + a->n;
  }
  const entry* side = a->item.kind == CR_FIT_BOX_SIDE ? a : b;
  const cr_place* place = side == a ? &b->place : &a->place;
  return (place->field == CR_FIELD_geom_size && place->first / 3 == side->geom) ||
         (place->field == CR_FIELD_body_inertia && place->first / 3 == side->body);
}

static cr_status check_others(const cr_parameters* ps, int i, cr_error* error) {
  const entry* e = &ps->entries[i];
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

static cr_status bind(cr_parameters* ps, const cr_model* m, const cr_parameter* items,
                      cr_error* error) {
  for (int i = 0; i < ps->nentry; i++) {
    entry* e = &ps->entries[i];
    *e = (entry){.item = items[i], .first = ps->n, .n = 1};
    CR_TRY(check_item(&items[i], error));
    CR_TRY(kinds[items[i].kind].bind(e, m, ps->wanted, error));
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
static void start_of(const entry* e, cr_real* p) {
  cr_copy(p, e->item.kind == CR_FIT_DIRECTION ? e->direction : &e->item.start, e->n);
}

static cr_status fill(cr_parameters* ps, const cr_model* m, const cr_parameter* items,
                      cr_error* error) {
  CR_TRY(bind(ps, m, items, error));
  CR_TRY(cri_model_copy(&ps->m, m, error));
  CR_TRY(cri_data_create(&ps->work, m, NULL, error));
  CR_TRY(cri_data_twin(&ps->bar, m, ps->work, CR_DATA_COTANGENT, ps->wanted, error));
  cr_real p[CR_MAX_PARAMETERS];
  for (int i = 0; i < ps->nentry; i++) {
    start_of(&ps->entries[i], p + ps->entries[i].first);
  }
  return cri_parameters_apply(ps, p, error);
}

cr_status cri_parameters_create(cr_parameters** out, const cr_parameter* items, int n,
                                const cr_model* m, cr_error* error) {
  if (n < 1 || n > CR_MAX_PARAMETERS) {
    return cri_fail(error, CR_ERR_ARG, "%d parameters: there must be 1 to %d", n,
                    CR_MAX_PARAMETERS);
  }
  cr_parameters* ps = calloc(1, sizeof *ps);
  entry* entries = calloc((size_t)n, sizeof *entries);
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
  free(ps->entries);
  free(ps);
}

int cri_parameters_count(const cr_parameters* ps) { return ps->n; }

const bool* cri_parameters_wanted(const cr_parameters* ps) { return ps->wanted; }

const cr_model* cri_parameters_model(const cr_parameters* ps) { return &ps->m; }

// ---- free numbers

void cri_parameters_start(const cr_parameters* ps, cr_real* x) {
  for (int i = 0; i < ps->nentry; i++) {
    const entry* e = &ps->entries[i];
    start_of(e, x + e->first);
    if (e->item.kind != CR_FIT_DIRECTION) {
      x[e->first] = inverse_of(&e->item, e->item.start);
    }
  }
}

void cri_parameters_bounds(const cr_parameters* ps, cr_real* lower, cr_real* upper) {
  for (int i = 0; i < ps->nentry; i++) {
    const entry* e = &ps->entries[i];
    for (int k = e->first; k < e->first + e->n; k++) {
      bool open = e->item.kind == CR_FIT_DIRECTION;
      lower[k] = open ? -(cr_real)INFINITY : inverse_of(&e->item, e->item.lower);
      upper[k] = open ? (cr_real)INFINITY : inverse_of(&e->item, e->item.upper);
    }
  }
}

void cri_parameters_values(const cr_parameters* ps, const cr_real* x, cr_real* p) {
  for (int i = 0; i < ps->nentry; i++) {
    const entry* e = &ps->entries[i];
    if (e->item.kind != CR_FIT_DIRECTION) {
      p[e->first] = value_of(&e->item, x[e->first]);
      continue;
    }
    cr_real length = length_of(x + e->first, e->n);
    for (int k = e->first; k < e->first + e->n; k++) {
      p[k] = x[k] / length;  // [identification.p4]
    }
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
    const entry* e = &ps->entries[i];
    int k = e->first;
    if (e->item.kind == CR_FIT_DIRECTION) {
      chain_direction(x + k, p_bar + k, e->n, x_bar + k);
    } else {
      x_bar[k] = p_bar[k] * slope_at(&e->item, x[k]);
    }
  }
}

// ---- forward

cr_status cri_parameters_apply(cr_parameters* ps, const cr_real* p, cr_error* error) {
  for (int kind = 0; kind < N_KIND; kind++) {
    for (int i = 0; i < ps->nentry; i++) {
      if ((int)ps->entries[i].item.kind == kind) {
        kinds[kind].apply(&ps->entries[i], &ps->m, p + ps->entries[i].first);
      }
    }
  }
  CR_TRY(cri_model_check(&ps->m, error));
  cr_status status = cr_constants(&ps->m, ps->work);
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", ps->work->error.text);
}

// ---- backward

// kinds in reverse order, since a derived kind adds to the fields it reads
static void pullback_direct(const cr_parameters* ps, cr_model* par_bar, cr_real* p_bar) {
  for (int kind = N_KIND - 1; kind >= 0; kind--) {
    for (int i = 0; i < ps->nentry; i++) {
      const entry* e = &ps->entries[i];
      if ((int)e->item.kind == kind) {
        kinds[kind].pullback(e, &ps->m, par_bar, p_bar + e->first);
      }
    }
  }
}

// If no contact force acted the sizes' cotangents are exactly zero, and a cube that drifts turns
// at a constant rate whatever its inertia: the cotangents of its moments cancel up to round-off.
static void drop_round_off(const cr_parameters* ps, cr_model* par_bar) {
  for (int i = 0; i < ps->nentry; i++) {
    const entry* e = &ps->entries[i];
    if (e->item.kind == CR_FIT_BOX_SIDE && e->drifts) {
      const cr_real* size_bar = par_bar->geom_size + 3 * e->geom;
      if (size_bar[0] == 0 && size_bar[1] == 0 && size_bar[2] == 0) {
        cr_zero(par_bar->body_inertia + 3 * e->body, 3);
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
      *derived++ += cri_is_derived(&ps->m, cri_derived_fields[k], i) ? bar[i] : 0;
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

// ---- public functions

static cr_status take_item(const cri_call* call, const cr_parameter_info* info,
                           cr_parameter* item) {
  CR_TRY(cri_given(call, info, "a parameter"));
  if (info->size < sizeof *info) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: the member size is not set", call->name);
  }
  CR_TRY(cri_given(call, info->name, "a name"));
  CR_TRY(cri_given(call, info->target, "a target"));
  bool fits = strlen(info->name) < sizeof item->name && strlen(info->target) < sizeof item->target;
  bool known = info->kind >= CR_FIT_FIELD && info->kind <= CR_FIT_DIRECTION &&
               info->transform >= CR_TRANSFORM_NONE && info->transform <= CR_TRANSFORM_BOUNDED;
  if (!fits || !known) {
    return cri_fail(call->error, CR_ERR_ARG, "parameter '%.40s': %s", info->name,
                    fits ? "no such kind or transform" : "the name or target is too long");
  }
  *item = (cr_parameter){.kind = info->kind,
                         .transform = info->transform,
                         .start = info->start,
                         .lower = info->lower,
                         .upper = info->upper};
  (void)snprintf(item->name, sizeof item->name, "%s", info->name);
  (void)snprintf(item->target, sizeof item->target, "%s", info->target);
  return CR_OK;
}

cr_status cr_parameters_create(cr_parameters** out, const cr_model* m,
                               const cr_parameter_info* const* items, int n, cr_error* error) {
  const cri_call call = {"cr_parameters_create", error};
  cr_parameter list[CR_MAX_PARAMETERS];
  CR_TRY(cri_given(&call, out, "where the parameters go"));
  CR_TRY(cri_given(&call, m, "the model"));
  CR_TRY(cri_given(&call, items, "the list"));
  for (int i = 0; i < n && i < CR_MAX_PARAMETERS; i++) {
    CR_TRY(take_item(&call, items[i], &list[i]));
  }
  CR_TRY(cri_parameters_create(out, list, n, m, error));
  cr_parameters* ps = *out;
  for (int i = 0; i < CR_N_FIELD; i++) {
    if (ps->wanted[i]) {
      ps->fields[ps->nfield++] = cri_field((cr_field_id)i)->name;
    }
  }
  return CR_OK;
}

void cr_parameters_destroy(cr_parameters* ps) { cri_parameters_free(ps); }

int cr_parameters_count(const cr_parameters* ps) { return ps != NULL ? ps->n : 0; }

const cr_model* cr_parameters_model(const cr_parameters* ps) { return ps != NULL ? &ps->m : NULL; }

const char* const* cr_parameters_fields(const cr_parameters* ps, int* n) {
  if (n != NULL) {
    *n = ps != NULL ? ps->nfield : 0;
  }
  return ps != NULL ? ps->fields : NULL;
}

cr_status cr_parameters_get_start(const cr_parameters* ps, cr_real* x, cr_error* error) {
  const cri_call call = {"cr_parameters_get_start", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  cri_parameters_start(ps, x);
  return CR_OK;
}

cr_status cr_parameters_get_bounds(const cr_parameters* ps, cr_real* lower, cr_real* upper,
                                   cr_error* error) {
  const cri_call call = {"cr_parameters_get_bounds", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, lower, "lower"));
  CR_TRY(cri_given(&call, upper, "upper"));
  cri_parameters_bounds(ps, lower, upper);
  return CR_OK;
}

cr_status cr_parameters_get_values(const cr_parameters* ps, const cr_real* x, cr_real* p,
                                   cr_error* error) {
  const cri_call call = {"cr_parameters_get_values", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, p, "p"));
  cri_parameters_values(ps, x, p);
  return CR_OK;
}

cr_status cr_parameters_set(cr_parameters* ps, const cr_real* x, cr_error* error) {
  const cri_call call = {"cr_parameters_set", error};
  cr_real p[CR_MAX_PARAMETERS];
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, x, "x"));
  cri_parameters_values(ps, x, p);
  return cri_parameters_apply(ps, p, error);
}

cr_status cr_parameters_set_values(cr_parameters* ps, const cr_real* p, cr_error* error) {
  const cri_call call = {"cr_parameters_set_values", error};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_given(&call, p, "p"));
  return cri_parameters_apply(ps, p, error);
}

cr_status cr_parameters_gradient(cr_parameters* ps, cr_data* bar, const cr_real* x, cr_real* x_bar,
                                 cr_error* error) {
  const cri_call call = {"cr_parameters_gradient", error};
  cr_real p_bar[CR_MAX_PARAMETERS] = {0};
  CR_TRY(cri_given(&call, ps, "the parameters"));
  CR_TRY(cri_check_data(&call, &ps->m, bar, CR_DATA_COTANGENT, "bar"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, x_bar, "x_bar"));
  for (int i = 0; i < ps->nfield; i++) {
    cr_field_id id = cri_field_find(ps->fields[i]);
    if (cri_field_real(&bar->par, NULL, id) == NULL && cri_field_rows(&ps->m, NULL, id) > 0) {
      return cri_fail(error, CR_ERR_ARG, "cr_parameters_gradient: bar has no %s", ps->fields[i]);
    }
  }
  cr_real* derived = calloc((size_t)cri_parameters_nderived(ps) + 1, sizeof *derived);
  if (derived == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cr_parameters_gradient: no memory");
  }
  cri_parameters_pullback(ps, &bar->par, p_bar, derived);
  cr_status status = cri_parameters_derived(ps, derived, p_bar, error);
  free(derived);
  CR_TRY(status);
  cri_parameters_chain(ps, x, p_bar, x_bar);
  return CR_OK;
}
