// SPDX-License-Identifier: Apache-2.0
// A correction within a step: gathers the inputs of each member, evaluates the network, changes the target.
#include "actuator/actuation_parts.h"
#include "augment/correction.h"
#include "constraint/rows.h"
#include "inertia/inertia.h"
#include "math/vec3.h"

// ---- memory of a call

int cri_correction_room(const cri_correction* c) { return c->nroom + c->noutput; }

// Members touch numbers of their own alone, and carry nothing: rows of contacts, entries of operators.
static bool is_apart(const cri_correction* c) { return c->contact || c->column != NULL; }

// numbers of the whole target; of forces on tendons one each
static int target_size(const cri_correction* c, const cr_model* m) {
  if (c->carry == CRI_CARRY_TENDON) {
    return m->ntendon;
  }
  return is_apart(c) ? 0 : cri_field_rows(m, NULL, c->target) * cri_field_width(m, c->target);
}

int cri_correction_scratch(const cri_correction* c, const cr_model* m) {
  return c->nroom + 2 * c->ninput + 2 * c->noutput + 2 * c->nmemory + 3 * target_size(c, m);
}

typedef struct {
  const cri_correction* c;
  const cr_stage_call* call;
  const cr_data* d;
  cr_data* to;
  const cr_stage_field* target;
  const cr_real* weight;
  cr_real *weight_twin, *room, *copy;  // room of the member, and its copy for a derivative
  cr_real *input, *input_twin, *output, *output_twin, *memory_next, *memory_twin;
  cr_real *before, *change,
      *carried;                 // of the whole target: twin before, change, cotangent of the change
  int row;                      // of the contact
  cr_real *force, *force_twin;  // CRI_CARRY_FORCE: of all constraint rows
} pass;

static pass begin(const cri_correction* c, const cr_stage_call* call) {
  const cri_stage_call* inner = (const cri_stage_call*)(const void*)call;
  pass p = {.c = c, .call = call, .d = inner->d, .to = inner->to, .target = &call->change[0]};
  p.weight = call->read[0].value + c->weight_first;
  p.weight_twin = call->read[0].twin == NULL ? NULL : call->read[0].twin + c->weight_first;
  const int n = target_size(c, call->model);
  cr_real* s = call->scratch;
  p.copy = s;
  p.input = p.copy + c->nroom;
  p.input_twin = p.input + c->ninput;
  p.output = p.input_twin + c->ninput;
  p.output_twin = p.output + c->noutput;
  p.memory_next = p.output_twin + c->noutput;
  p.memory_twin = p.memory_next + c->nmemory;
  p.before = p.memory_twin + c->nmemory;
  p.change = p.before + n;
  p.carried = p.change + n;
  return p;
}

// members: of contacts those that there are now
static int count_members(const pass* p) { return p->c->contact ? p->d->ncon : p->c->nmember; }

static bool is_of_rows(const cri_correction* c) { return cri_carry_is_virtual(c->carry); }

static bool is_member(const pass* p, int i) {
  const bool* fits = p->c->geoms;
  if (!p->c->contact) {
    return true;
  }
  if (is_of_rows(p->c) && p->d->contact_efc_address[i] < 0) {
    return false;
  }
  const int n = p->call->model->ngeom;
  const int32_t* g = p->d->contact_geom + 2 * i;
  return (fits[g[0]] && fits[n + g[1]]) || (fits[g[1]] && fits[n + g[0]]);
}

static const cri_slot* slots_of(const pass* p, int i) {
  return p->c->slot + (p->c->contact ? 0 : (size_t)i * (size_t)p->c->ninput);
}

// number k of member i, in the target
static int place_of(const pass* p, int i, int k) {
  const cri_correction* c = p->c;
  if (c->column != NULL) {
    const int at = i * c->nvalue + k;
    return cri_operator_place(p->call->model, p->d, c->target, c->value[at], c->column[at]);
  }
  return c->contact ? i * p->target->width + c->value[k] : c->value[i * c->nvalue + k];
}

static void choose(pass* p, int i) {
  p->row = i;
  p->room = p->call->room + (size_t)i * (size_t)cri_correction_room(p->c);
}

static void take_copy(const pass* p) {
  cr_copy(p->copy, p->room, p->c->nroom);
  cr_copy(p->output, p->room + p->c->nroom, p->c->noutput);
}

// ---- memory of recurrent layers

static cr_real tau_of(const pass* p) {
  return p->c->options.tau > 0 ? p->c->options.tau : p->call->model->timestep;
}

static int memory_at(const pass* p, int i) { return p->c->state_first + i * p->c->nmemory; }

static const cr_real* memory_of(const pass* p, int i) {
  return p->c->nmemory > 0 ? p->call->read[p->c->state].value + memory_at(p, i) : NULL;
}

static cr_real* memory_twin_of(const pass* p, int i) {
  return p->c->nmemory > 0 ? p->call->read[p->c->state].twin + memory_at(p, i) : NULL;
}

static const cr_stage_field* rates_of(const pass* p) { return &p->call->change[p->c->rate]; }

// ---- inputs

static const cr_stage_field* field_of(const pass* p, const cri_slot* s) {
  return s->field == CRI_SLOT_TARGET ? p->target : &p->call->read[s->field];
}

static cr_real value_of(const pass* p, const cri_slot* s) {
  if (s->field == CRI_SLOT_TIME || s->field == CRI_SLOT_ONE) {
    return s->field == CRI_SLOT_TIME ? p->call->time : 1;
  }
  const cr_stage_field* f = field_of(p, s);
  int at = s->value + (s->of_row ? p->row * f->width : 0) + (s->part > 0 ? s->part : 0);
  return f->value[at];
}

static void gather(const pass* p, int i) {
  const cri_slot* s = slots_of(p, i);
  for (int k = 0; k < p->c->ninput; k++) {
    p->input[k] = (value_of(p, &s[k]) - p->c->offset[k]) * p->c->scale[k];
  }
}

// [correction.q1] row `part` of the derivative of q by its tangent w: q (x) (0, w) / 2
static void quat_row(const cr_real q[4], int part, cr_real row[3]) {
  const cr_real rows[4][3] = {
      {-q[1], -q[2], -q[3]}, {q[0], -q[3], q[2]}, {q[3], q[0], -q[1]}, {-q[2], q[1], q[0]}};
  for (int i = 0; i < 3; i++) {
    row[i] = rows[part][i] / 2;
  }
}

// the twin of a slot's field: of the target before the change
static cr_real* twin_of(const pass* p, const cri_slot* s) {
  if (s->field == CRI_SLOT_TIME || s->field == CRI_SLOT_ONE || s->tangent < 0) {
    return NULL;
  }
  const cr_stage_field* f = field_of(p, s);
  cr_real* twin = s->field == CRI_SLOT_TARGET && !p->c->contact ? p->before : f->twin;
  return twin == NULL ? NULL : twin + s->tangent + (s->of_row ? p->row * f->width : 0);
}

static void gather_jvp(const pass* p, int i) {
  const cri_slot* s = slots_of(p, i);
  for (int k = 0; k < p->c->ninput; k++, s++) {
    const cr_real* x = twin_of(p, s);
    cr_real tan = x == NULL ? 0 : x[0];
    if (x != NULL && s->part >= 0) {
      cr_real row[3];
      quat_row(field_of(p, s)->value + s->value, s->part, row);
      tan = cr_dot3(row, x);
    }
    p->input_twin[k] = tan * p->c->scale[k];
  }
}

static void gather_vjp(const pass* p, int i) {
  const cri_slot* s = slots_of(p, i);
  for (int k = 0; k < p->c->ninput; k++, s++) {
    cr_real* x = twin_of(p, s);
    const cr_real bar = p->input_twin[k] * p->c->scale[k];
    if (x != NULL && s->part >= 0) {
      cr_real row[3];
      quat_row(field_of(p, s)->value + s->value, s->part, row);
      cr_accscl3(x, row, bar);
    } else if (x != NULL) {
      x[0] += bar;
    }
  }
}

// ---- what the outputs do to number x of the target

// the change of x, and its derivatives by x and by the outputs y and g (blend)
typedef struct {
  cr_real change, by_x, by_y, by_g;
} effect;

static effect act(const pass* p, int k, cr_real x) {
  const cri_correction* c = p->c;
  const cr_real s = c->output_scale, y = p->output[k];
  switch (c->options.act) {
    case CR_CORRECTION_SCALE:  // [correction.a2]
      return (effect){x * s * y, s * y, x * s, 0};
    case CR_CORRECTION_REPLACE:  // [correction.a3]
      return (effect){s * y - x, -1, s, 0};
    case CR_CORRECTION_BLEND: {  // [correction.a4]
      const cr_real t = cr_tanh(p->output[c->nvalue + k]);
      return (effect){t * (s * y - x), -t, t * s, (1 - t * t) * (s * y - x)};
    }
    case CR_CORRECTION_ADD:  // [correction.a1]
    default:
      return (effect){s * y, 0, s, 0};
  }
}

// x + change; each bit of x where that is 0
static cr_real changed(const pass* p, cr_real x, const effect* e, int k) {
  if (p->c->options.act == CR_CORRECTION_REPLACE) {
    return p->c->output_scale * p->output[k];
  }
  return e->change != 0 ? x + e->change : x;
}

// ---- what a change moves beside the target

static void carry(const pass* p) {
  const cr_stage_field* to = &p->call->change[1];
  const int n = p->target->count;
  for (int i = 0; i < n && p->c->carry == CRI_CARRY_PASSIVE; i++) {
    to->result[i] += p->change[i];
  }
  for (int o = 0; o < n && p->c->carry == CRI_CARRY_MOMENT; o++) {
    if (p->change[o] != 0) {
      cri_moment_add(p->d, p->d->actuator_moment, o, p->change[o], to->result);
    }
  }
}

// the tangents of the changes are in p->carried
static void carry_jvp(const pass* p) {
  const cr_stage_field* to = &p->call->change[1];
  const int n = p->target->count;
  for (int i = 0; i < n && p->c->carry == CRI_CARRY_PASSIVE; i++) {
    to->twin[i] += p->carried[i];
  }
  for (int o = 0; o < n && p->c->carry == CRI_CARRY_MOMENT; o++) {
    cri_moment_add(p->d, p->d->actuator_moment, o, p->carried[o], to->twin);
    cri_moment_add(p->d, p->to->actuator_moment, o, p->change[o], to->twin);
  }
}

// cotangents of the changes beside those of the target, to p->carried
static void carry_vjp(const pass* p) {
  const cr_stage_field* to = &p->call->change[1];
  const int n = p->target->count;
  for (int i = 0; i < n && p->c->carry == CRI_CARRY_PASSIVE; i++) {
    p->carried[i] = to->twin[i];
  }
  for (int o = 0; o < n && p->c->carry == CRI_CARRY_MOMENT; o++) {
    p->carried[o] = cri_moment_mul(p->d, p->d->actuator_moment, o, to->twin);
  }
  if (p->c->carry == CRI_CARRY_MOMENT && !cr_is_zero(p->change, n)) {
    cr_pairs* pairs = &p->to->actuator_moment_pairs;
    const int pair = cri_pairs_add(pairs);
    cr_copy(cri_pair_left(pairs, pair), p->change, n);
    cr_copy(cri_pair_right(pairs, pair), to->twin, p->call->model->nv);
  }
}

// ---- forces on contacts, and factors on their constraint mass

static void push_rows(pass* p) {
  p->force = p->change;  // CRI_CARRY_TENDON: of all tendons
  p->force_twin = p->carried;
  if (p->c->carry == CRI_CARRY_FORCE) {
    p->force = cri_push(p->to, (size_t)p->d->nefc);
    p->force_twin = cri_push(p->to, (size_t)p->d->nefc);
    cr_zero(p->force, p->d->nefc);
    cr_zero(p->force_twin, p->d->nefc);
  }
}

// [correction.f1] the force from the outputs
static void force_of(const pass* p, const cr_real* output, cr_real f[3]) {
  cr_zero3(f);
  for (int k = 0; k < p->c->nvalue; k++) {
    f[p->c->value[k]] = p->c->output_scale * output[k];
  }
}

// [correction.f2] exp(s y), on D of all rows
static cr_real factor_of(const pass* p) { return cr_exp(p->c->output_scale * p->output[0]); }

// forces along the tendons of member i, from its outputs
static void tendon_forces(const pass* p, int i, const cr_real* output, cr_real* force) {
  for (int k = 0; k < p->c->nvalue; k++) {
    force[place_of(p, i, k)] += p->c->output_scale * output[k];
  }
}

// x += ten_J' f
static void tendon_add(const pass* p, const cr_real* J, const cr_real* f, cr_real* x) {
  const cr_model* m = p->call->model;
  for (int t = 0; t < m->ntendon; t++) {
    const int first = m->ten_J_rowadr[t];
    for (int k = first; f[t] != 0 && k < first + m->ten_J_rownnz[t]; k++) {
      x[m->ten_J_colind[k]] += J[k] * f[t];
    }
  }
}

// f = ten_J x
static void tendon_mul(const pass* p, const cr_real* x, cr_real* f) {
  const cr_model* m = p->call->model;
  for (int t = 0; t < m->ntendon; t++) {
    const int first = m->ten_J_rowadr[t];
    f[t] = 0;
    for (int k = first; k < first + m->ten_J_rownnz[t]; k++) {
      f[t] += p->d->ten_J[k] * x[m->ten_J_colind[k]];
    }
  }
}

static int rows_of(const pass* p, int i, int* first) {
  *first = p->d->contact_efc_address[i];
  return cri_contact_rows(p->call->model, p->d->contact_dim[i]);
}

static void rows_forward(const pass* p, int i) {
  if (p->c->carry == CRI_CARRY_TENDON) {
    tendon_forces(p, i, p->output, p->force);
    return;
  }
  int first, n = rows_of(p, i, &first);
  if (p->c->carry == CRI_CARRY_FORCE) {
    cr_real f[3];
    force_of(p, p->output, f);
    cri_row_forces(p->call->model, p->d, i, f, p->force);
    return;
  }
  for (int k = first; k < first + n; k++) {
    p->target->result[k] *= factor_of(p);
  }
}

static void rows_jvp(const pass* p, int i) {
  if (p->c->carry == CRI_CARRY_TENDON) {
    tendon_forces(p, i, p->output, p->force);
    tendon_forces(p, i, p->output_twin, p->force_twin);
    return;
  }
  int first, n = rows_of(p, i, &first);
  const cr_real s = p->c->output_scale;
  if (p->c->carry == CRI_CARRY_FORCE) {
    const cr_real* mu = p->call->read[p->c->friction].twin + 5 * i;
    cr_real f[3], f_tan[3];
    force_of(p, p->output, f);
    force_of(p, p->output_twin, f_tan);
    cri_row_forces(p->call->model, p->d, i, f, p->force);
    cri_row_forces_jvp(p->call->model, p->d, i, f, f_tan, mu, p->force_twin);
    return;
  }
  for (int k = first; k < first + n; k++) {
    cr_real* x = &p->target->twin[k];
    *x = factor_of(p) * (*x + p->target->value[k] * s * p->output_twin[0]);
  }
}

// cotangents of the outputs of contact i
static void rows_vjp(const pass* p, int i) {
  if (p->c->carry == CRI_CARRY_TENDON) {
    tendon_forces(p, i, p->output, p->force);
    for (int k = 0; k < p->c->nvalue; k++) {
      p->output_twin[k] = p->c->output_scale * p->force_twin[place_of(p, i, k)];
    }
    return;
  }
  int first, n = rows_of(p, i, &first);
  const cr_real s = p->c->output_scale;
  cr_zero(p->output_twin, p->c->noutput);
  if (p->c->carry == CRI_CARRY_FORCE) {
    cr_real f[3], f_bar[3] = {0};
    force_of(p, p->output, f);
    cri_row_forces(p->call->model, p->d, i, f, p->force);
    cri_row_forces_vjp(p->call->model, p->d, i, f, p->force_twin, f_bar,
                       p->call->read[p->c->friction].twin + 5 * i);
    for (int k = 0; k < p->c->nvalue; k++) {
      p->output_twin[k] = s * f_bar[p->c->value[k]];
    }
    return;
  }
  for (int k = first; k < first + n; k++) {
    cr_real* x = &p->target->twin[k];
    *x *= factor_of(p);
    p->output_twin[0] += s * p->target->value[k] * *x;
  }
}

// J' times the forces of rows or tendons
static void end_forward(const pass* p) {
  if (p->c->carry == CRI_CARRY_FORCE && !cr_is_zero(p->force, p->d->nefc)) {
    cri_rows_mul_transposed(p->call->model, p->d, p->d->efc_J, p->target->result, p->force);
  }
  if (p->c->carry == CRI_CARRY_TENDON) {
    tendon_add(p, p->d->ten_J, p->force, p->target->result);
  }
}

static void end_jvp(const pass* p) {
  if (p->c->carry == CRI_CARRY_FORCE) {
    cri_rows_mul_transposed(p->call->model, p->d, p->to->efc_J, p->target->twin, p->force);
    cri_rows_mul_transposed(p->call->model, p->d, p->d->efc_J, p->target->twin, p->force_twin);
  }
  if (p->c->carry == CRI_CARRY_TENDON) {
    tendon_add(p, p->to->ten_J, p->force, p->target->twin);
    tendon_add(p, p->d->ten_J, p->force_twin, p->target->twin);
  }
}

static void begin_vjp(const pass* p) {
  if (p->c->carry == CRI_CARRY_FORCE) {
    cri_rows_mul(p->call->model, p->d, p->d->efc_J, p->force_twin, p->target->twin);
  }
  if (p->c->carry == CRI_CARRY_TENDON) {
    tendon_mul(p, p->target->twin, p->force_twin);
  }
}

static void end_vjp(const pass* p) {
  const bool rows = p->c->carry == CRI_CARRY_FORCE, tendons = p->c->carry == CRI_CARRY_TENDON;
  const int n = rows ? p->d->nefc : tendons ? p->call->model->ntendon : 0;
  if (n > 0 && !cr_is_zero(p->force, n)) {
    cr_pairs* pairs = rows ? &p->to->efc_J_pairs : &p->to->ten_J_pairs;
    const int pair = cri_pairs_add(pairs);
    cr_copy(cri_pair_left(pairs, pair), p->force, n);
    cr_copy(cri_pair_right(pairs, pair), p->target->twin, p->call->model->nv);
  }
}

// ---- the three functions

static void zero_target(const pass* p) {
  const int n = target_size(p->c, p->call->model);
  cr_zero(p->change, n);
  cr_zero(p->carried, n);
}

cr_status cri_correction_forward(void* user, const cr_stage_call* call) {
  const cri_correction* c = user;
  pass p = begin(c, call);
  bool any = false;
  zero_target(&p);
  push_rows(&p);
  for (int i = 0; i < count_members(&p); i++) {
    if (!is_member(&p, i)) {
      continue;
    }
    choose(&p, i);
    gather(&p, i);
    const cr_real* memory = memory_of(&p, i);
    p.output = p.room + c->nroom;
    cr_network_forward(c->network, p.weight, p.input, memory, p.output, p.memory_next, p.room);
    if (is_of_rows(c)) {
      rows_forward(&p, i);
      continue;
    }
    for (int k = 0; k < c->nvalue; k++) {
      const int at = place_of(&p, i, k);
      const cr_real x = p.target->value[at];
      const effect e = act(&p, k, x);
      p.target->result[at] = changed(&p, x, &e, k);
      any = any || e.change != 0;
      if (!is_apart(c)) {
        p.change[at] = e.change;
      }
    }
    for (int k = 0; k < c->nmemory; k++) {  // [correction.m1]
      rates_of(&p)->result[memory_at(&p, i) + k] += (p.memory_next[k] - memory[k]) / tau_of(&p);
    }
  }
  carry(&p);
  end_forward(&p);
  p.to->M_changed = p.to->M_changed || (any && c->target == CR_FIELD_M);
  return CR_OK;
}

// the changes of forward once more, for who carries them
static void repeat_changes(pass* p) {
  const cri_correction* c = p->c;
  zero_target(p);
  for (int i = 0; i < c->nmember && c->carry != CRI_CARRY_NOTHING && !is_of_rows(c); i++) {
    choose(p, i);
    cr_copy(p->output, p->room + c->nroom, c->noutput);
    for (int k = 0; k < c->nvalue; k++) {
      const int at = place_of(p, i, k);
      p->change[at] = act(p, k, p->target->value[at]).change;
    }
  }
}

cr_status cri_correction_jvp(void* user, const cr_stage_call* call) {
  const cri_correction* c = user;
  pass p = begin(c, call);
  repeat_changes(&p);
  push_rows(&p);
  if (c->reads_target && !c->contact) {
    cr_copy(p.before, p.target->twin, p.target->count);
  }
  for (int i = 0; i < count_members(&p); i++) {
    if (!is_member(&p, i)) {
      continue;
    }
    choose(&p, i);
    take_copy(&p);
    gather_jvp(&p, i);
    const cr_real* memory = memory_twin_of(&p, i);
    cr_network_jvp(c->network, p.weight, p.weight_twin, p.input_twin, memory, p.output_twin,
                   p.memory_next, p.copy);
    if (is_of_rows(c)) {
      rows_jvp(&p, i);
      continue;
    }
    for (int k = 0; k < c->nvalue; k++) {
      const int at = place_of(&p, i, k);
      const effect e = act(&p, k, p.target->value[at]);
      cr_real tan = e.by_x * p.target->twin[at] + e.by_y * p.output_twin[k];
      tan += c->noutput > c->nvalue ? e.by_g * p.output_twin[c->nvalue + k] : 0;
      p.target->twin[at] += tan;
      if (!is_apart(c)) {
        p.carried[at] = tan;
      }
    }
    for (int k = 0; k < c->nmemory; k++) {  // [correction.m1]
      rates_of(&p)->twin[memory_at(&p, i) + k] += (p.memory_next[k] - memory[k]) / tau_of(&p);
    }
  }
  carry_jvp(&p);
  end_jvp(&p);
  return CR_OK;
}

// The cotangent of an operator is a list of pairs: those of its entries stand in the array of the twin meanwhile.
static cr_pairs* pairs_of(const pass* p) {
  return (cr_pairs*)(void*)((char*)p->to + cri_field(p->c->target)->pairs);
}

static void entries_begin_vjp(const pass* p) {
  const cri_correction* c = p->c;
  for (int i = 0; i < c->nmember; i++) {
    for (int k = 0; k < c->nvalue; k++) {
      const int at = i * c->nvalue + k;
      p->target->twin[place_of(p, i, k)] =
          cri_operator_bar(pairs_of(p), c->target, c->value[at], c->column[at]);
    }
  }
}

// [correction.o2] what is left in the array are changes of cotangents: as pairs (x e_row, e_column)
static void entries_end_vjp(const pass* p) {
  const cri_correction* c = p->c;
  for (int i = 0; i < c->nmember; i++) {
    for (int k = 0; k < c->nvalue; k++) {
      const int at = i * c->nvalue + k;
      cr_real* x = &p->target->twin[place_of(p, i, k)];
      if (*x != 0) {
        const int pair = cri_pairs_add(pairs_of(p));
        cri_pair_left(pairs_of(p), pair)[c->value[at]] = *x;
        cri_pair_right(pairs_of(p), pair)[c->column[at]] = 1;
      }
      *x = 0;
    }
  }
}

// cotangents of the outputs of member i; that of the target becomes the one before the change, of operators the change
static void outputs_vjp(const pass* p, int i) {
  const cri_correction* c = p->c;
  for (int k = 0; k < c->nvalue; k++) {
    const int at = place_of(p, i, k);
    const effect e = act(p, k, p->target->value[at]);
    cr_real* x = &p->target->twin[at];
    const cr_real bar = *x + (is_apart(c) ? 0 : p->carried[at]);
    p->output_twin[k] = e.by_y * bar;
    if (c->noutput > c->nvalue) {
      p->output_twin[c->nvalue + k] = e.by_g * bar;
    }
    *x = c->column != NULL ? e.by_x * bar : *x + e.by_x * bar;
  }
}

// [correction.m1]'
static void memory_vjp(const pass* p, int i) {
  for (int k = 0; k < p->c->nmemory; k++) {
    p->memory_next[k] = rates_of(p)->twin[memory_at(p, i) + k] / tau_of(p);
    memory_twin_of(p, i)[k] -= p->memory_next[k];
  }
}

cr_status cri_correction_vjp(void* user, const cr_stage_call* call) {
  const cri_correction* c = user;
  pass p = begin(c, call);
  repeat_changes(&p);
  push_rows(&p);
  begin_vjp(&p);
  carry_vjp(&p);
  if (c->column != NULL) {
    entries_begin_vjp(&p);
  }
  if (c->reads_target && !c->contact) {
    cr_zero(p.before, p.target->count);
  }
  for (int i = 0; i < count_members(&p); i++) {
    if (!is_member(&p, i)) {
      continue;
    }
    choose(&p, i);
    take_copy(&p);
    if (is_of_rows(c)) {
      rows_vjp(&p, i);
    } else {
      outputs_vjp(&p, i);
    }
    memory_vjp(&p, i);
    cr_zero(p.input_twin, c->ninput);
    cr_network_vjp(c->network, p.weight, p.output_twin, c->nmemory > 0 ? p.memory_next : NULL,
                   p.weight_twin, p.input_twin, memory_twin_of(&p, i), p.copy);
    gather_vjp(&p, i);
  }
  for (int i = 0; c->reads_target && !c->contact && i < p.target->count; i++) {
    p.target->twin[i] += p.before[i];
  }
  end_vjp(&p);
  if (c->column != NULL) {
    entries_end_vjp(&p);
  }
  return CR_OK;
}

cr_status cri_correction_factor(void* user, const cr_model* m, cr_data* d) {
  const cri_correction* c = user;
  if (!d->M_changed) {
    return CR_OK;
  }
  d->M_formed = true;
  const cr_status status = cri_inertia_factor(m, d, NULL, cri_factors_of_M(d), d);
  if (status == CR_OK) {
    return CR_OK;
  }
  const cr_error why = d->error;
  return cri_fail(&d->error, status, "correction '%s' leaves an M that is no inertia: %.400s",
                  c->options.name, why.text);
}
