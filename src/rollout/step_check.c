// SPDX-License-Identifier: Apache-2.0
// Compares the gradient of a step with differences. Loss: a random direction lambda in the space of next
// states, so that one vjp gives every entry and one difference gives one entry.
#include "rollout/step_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "actuator/actuation_parts.h"
#include "actuator/range_ends.h"
#include "constraint/mixing.h"
#include "engine/data_create.h"
#include "inertia/effective_mass.h"
#include "integrate/inputs.h"
#include "integrate/step.h"
#include "kinematics/configuration.h"
#include "math/quat.h"
#include "model/state_vector.h"
#include "model/tableau.h"
#include "rollout/choices.h"
#include "rollout/one_sided.h"
#include "rollout/parameter_bends.h"
#include "rollout/quotients.h"
#include "solver/contact_model.h"

// accuracy of differences, relative to an entry's scale
#define RESOLUTION CR_R(1e-7)

struct cr_step_check {
  const cr_model* m;
  cr_model moved;  // own arrays
  cr_model bound;  // the same, made when first needed: a field at its least value
  cr_data *d, *work, *bar, *tan;
  cr_real *qpos0, *lambda, *next0, *inertia;  // inertia that each dof moves, at the unmoved state
  cr_real
      magnitude;  // sum of |lambda| |next state|, with forces as what they add to it: the unit of
                  // round-off
  cr_real response;  // the same for the largest force: the unit of the residual
  cr_real size;      // of the projected next state, without forces
  cr_real lever;     // effect of the round-off of the rows' Jacobian on their forces
  cr_real residual;  // largest of the solves behind an entry's differences
  uint64_t signature0;
  uint64_t leap0, leap;  // choices where the step jumps: at the unmoved state, at the last one
  bool leaps[2];         // they differ at the finest step to the left, right: the step leaps
  int entries;
  bool* creeps;       // of each dof and tendon, with a friction loss of zero: see one_sided.h
  bool told;          // the state is one of two slopes, by rollout/one_sided.h
  bool undetermined;  // the contact model is in doubt: entries that differ are no mistake
  cri_doubt doubt;    // the doubt at the first such place
};

static int next_size(const cr_model* m) { return cri_state_tangent_size(m); }

cr_status cr_step_check_create(cr_step_check** out, const cr_model* m, int entries,
                               cr_error* error) {
  cr_step_check* c = calloc(1, sizeof *c);
  if (c == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "gradient check: no memory");
  }
  c->m = m;
  c->entries = entries;
  cr_status status = cri_model_copy(&c->moved, m, error);
  // moved states may have more contacts than the unmoved one
  cr_capacity room = cri_capacity_default(m);
  room = (cr_capacity){2 * room.ncon + 8, 2 * room.nefc + 32, 2 * room.nJ + 32 * m->nv};
  status = status != CR_OK ? status : cri_data_create(&c->d, m, &room, error);
  status = status != CR_OK ? status : cri_data_create(&c->work, m, &room, error);
  status =
      status != CR_OK ? status : cri_data_twin(&c->bar, m, c->d, CR_DATA_COTANGENT, NULL, error);
  status = status != CR_OK ? status : cri_data_twin(&c->tan, m, c->d, CR_DATA_TANGENT, NULL, error);
  size_t n = (size_t)(m->nq + 2 * next_size(m) + m->nv) + 1;
  c->qpos0 = calloc(n, sizeof(cr_real));
  c->creeps = calloc((size_t)(m->nv + m->ntendon) + 1, sizeof(bool));
  if (status == CR_OK && (c->qpos0 == NULL || c->creeps == NULL)) {
    status = cri_fail(error, CR_ERR_MEMORY, "gradient check: no memory");
  }
  if (status != CR_OK) {
    cr_step_check_free(c);
    return status;
  }
  c->d->beside_rest = true;  // the step that derivatives differentiate
  c->lambda = c->qpos0 + m->nq;
  c->next0 = c->lambda + next_size(m);
  c->inertia = c->next0 + next_size(m);
  *out = c;
  return CR_OK;
}

void cr_step_check_free(cr_step_check* c) {
  if (c != NULL) {
    cri_model_free(&c->moved);
    cri_model_free(&c->bound);
    cri_data_free(c->d);
    cri_data_free(c->work);
    cri_data_free(c->bar);
    cri_data_free(c->tan);
    free(c->qpos0);
    free(c->creeps);
    free(c);
  }
}

// ---- the discrete side of an evaluation

// what contacts choose beside the fields of choices: tangents that leap, as their frame has nothing to
// follow; and friction that is held at its least value, which does not move
static void choices_of_contacts(const cr_data* d, uint64_t* rows, uint64_t* laws) {
  for (int c = 0; c < d->ncon; c++) {
    *rows = 31 * *rows + (d->contact_axes[8 * c + 7] == 0);
    for (int k = 0; k < 5; k++) {
      *laws = 31 * *laws + (d->contact_friction[5 * c + k] <= CR_MIN_FRICTION);
    }
  }
}

// that of contacts, limits, equalities and paths in the upper half, that of friction loss and laws in the lower
static uint64_t signature(const cr_model* m, const cr_data* d) {
  const uint64_t spread = 0x9e3779b97f4a7c15u;
  uint64_t rows = cri_choice_hash_rows(m, d, false);
  uint64_t laws = cri_choice_hash_rows(m, d, true) ^ 31 * cri_choice_hash(m, d, CRI_CHOICE_LAW) ^
                  37 * cri_choice_hash(m, d, CRI_CHOICE_SLOPE);
  choices_of_contacts(d, &rows, &laws);
  return (rows * spread >> 32 << 32) | (laws * spread >> 32);
}

static bool same_rows(uint64_t a, uint64_t b) { return a >> 32 == b >> 32; }

// ---- one evaluation: lambda . (next state, relative to the unmoved next state)

static cri_state tangent_at(const cr_model* m, const cr_real* x) {
  return cri_state_at(cri_state_tangent_sizes(m), 1, x);
}

static void stack_next(const cr_step_check* c, cr_real* next) {
  const cr_model* m = c->m;
  const cr_data* d = c->d;
  for (int j = 0; j < m->njnt; j++) {
    const cr_real *q = d->qpos_next + m->jnt_qposadr[j], *q0 = c->qpos0 + m->jnt_qposadr[j];
    cr_real* t = next + m->jnt_dofadr[j];
    int type = m->jnt_type[j];
    int npos = type == CR_JNT_FREE ? 3 : (type == CR_JNT_BALL ? 0 : 1);
    for (int k = 0; k < npos; k++) {
      t[k] = q[k] - q0[k];
    }
    if (type == CR_JNT_FREE || type == CR_JNT_BALL) {
      cr_quat_sub(t + npos, q + npos, q0 + npos);
    }
  }
  const cri_state from = cri_state_next(m, d), to = tangent_at(m, next);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(to.part[k].x, from.part[k].x, to.part[k].n);
  }
}

static bool evaluate(cr_step_check* c, cr_real* value, uint64_t* hash) {
  size_t mark = cri_mark(c->work);
  *value = 0;
  *hash = 0;
  int n = next_size(c->m);
  cr_real* next = cri_push(c->work, (size_t)n);
  bool ok = cri_step(&c->moved, c->d) == CR_OK;
  if (ok) {
    stack_next(c, next);
    for (int i = 0; i < n; i++) {
      *value += c->lambda[i] * (next[i] - c->next0[i]);
    }
    *hash = signature(&c->moved, c->d);
    c->leap = cri_choice_hash(&c->moved, c->d, CRI_CHOICE_LEAP);
    c->residual = cr_max(c->residual, c->d->solver_residual);
  }
  cri_pop(c->work, mark);
  return ok;
}

// moves entry k of a field's tangent by h, from the unmoved point
static void move(cr_step_check* c, const cr_data* at, cr_field_id id, int k, cr_real h) {
  const cr_model* m = c->m;
  cri_inputs_copy(m, c->d, at);
  if (id == CR_FIELD_qpos) {
    size_t mark = cri_mark(c->work);
    cr_real* direction = cri_push(c->work, (size_t)m->nv);
    cr_zero(direction, m->nv);
    direction[k] = 1;
    cri_configuration_move(m, at->qpos, direction, h, c->d->qpos);
    cri_pop(c->work, mark);
  } else if (cri_field(id)->tangent == CR_TANGENT_QUAT) {
    cr_real axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    cr_real* q = cri_field_real(&c->moved, NULL, id) + 4 * (k / 3);
    cr_copy(q, cri_field_real(m, NULL, id) + 4 * (k / 3), 4);
    if (h != 0) {
      cr_quat_integrate(q, axis, h);
    }
  } else {
    cri_field_real(&c->moved, c->d, id)[k] = cri_field_real(m, at, id)[k] + h;
  }
}

// ---- one entry

// step: a share of the number's own size, but never so large that the next state changes completely
static cr_real start_step(const cr_step_check* c, const cr_data* at, cr_field_id id, int k,
                          cr_real g) {
  cr_real most = CR_R(0.1) * c->size / cr_max(cr_abs(g), CR_MINVAL);
  if (id == CR_FIELD_qpos || cri_field(id)->tangent == CR_TANGENT_QUAT) {
    return cr_min(CR_R(1e-3), most);
  }
  if (id == CR_FIELD_dof_frictionloss && cri_field_real(c->m, at, id)[k] == 0) {
    // a friction that holds has no slope: stays below the force it would take
    return cr_clip(CR_R(0.1) * cr_abs(c->d->acc_qacc[k]) * c->inertia[k], CR_R(1e-9), CR_R(1e-3));
  }
  cr_real value =
      id == CR_FIELD_dof_armature ? c->inertia[k] : cr_abs(cri_field_real(c->m, at, id)[k]);
  cr_real base = cri_field_of_model(id) ? CR_R(1e-2) * value : CR_R(1e-2) * cr_max(1, value);
  return cr_min(base > 0 ? base : CR_R(1e-3), most);
}

// noise of the step: of the arithmetic, and of the constraint solver
static cr_real round_off(const cr_step_check* c) {
  return CR_EPS * c->magnitude + c->residual * c->response;
}

static cri_quotients quotients_from(cr_step_check* c, const cr_data* at, cr_field_id id, int k,
                                    cr_real h) {
  cri_quotients q;
  for (int level = 0; level < CR_QUOTIENT_LEVELS; level++, h /= CR_QUOTIENT_SHRINK) {
    cri_value *plus = q.plus + level, *minus = q.minus + level;
    q.h[level] = h;
    move(c, at, id, k, h);
    plus->known = evaluate(c, &plus->value, &plus->piece);
    c->leaps[1] = plus->known && c->leap != c->leap0;
    move(c, at, id, k, -h);
    minus->known = evaluate(c, &minus->value, &minus->piece);
    c->leaps[0] = minus->known && c->leap != c->leap0;
  }
  return q;
}

// whether the finest step of a side is on the piece of the point
static bool reaches(const cri_quotients* q, uint64_t piece) {
  enum { FINEST = CR_QUOTIENT_LEVELS - 1 };
  return (q->plus[FINEST].known && q->plus[FINEST].piece == piece) ||
         (q->minus[FINEST].known && q->minus[FINEST].piece == piece);
}

// A friction that holds at rest gives way within a millionth of a unit of speed. Where all steps are beyond it,
// with the rows of the point, finer ones look for the piece of the point. Where rows themselves differ, as those
// of a contact whose tangents leap, the point is an edge: as close to it as finer steps are, its frame is round-off.
static bool looks_closer(const cr_step_check* c, const cri_quotients* q) {
  enum { FINEST = CR_QUOTIENT_LEVELS - 1 };
  const cri_value *plus = q->plus + FINEST, *minus = q->minus + FINEST;
  return !reaches(q, c->signature0) && (!plus->known || same_rows(plus->piece, c->signature0)) &&
         (!minus->known || same_rows(minus->piece, c->signature0));
}

// whether there is a slope at the point, and round-off is far below it
static bool is_sure(const cri_quotients* q, uint64_t piece, cr_real g) {
  cri_slope_fit s = cri_slope_at(q, piece);
  cr_real scale = cr_max(cr_abs(g), cr_abs(s.value));
  return s.known && !s.kink && s.error + s.noise <= CR_R(1e-3) * scale;
}

static void forget(cri_quotients* q) {
  for (int level = 0; level < CR_QUOTIENT_LEVELS; level++) {
    q->plus[level].known = q->minus[level].known = false;
  }
}

// If finer steps do reach the piece of the point, coarse ones tell nothing about it, however sure they are.
static cri_quotients measure_quotients(cr_step_check* c, const cr_data* at, cr_field_id id, int k,
                                       cr_real g) {
  c->residual = 0;
  cri_quotients q = quotients_from(c, at, id, k, start_step(c, at, id, k, g));
  q.noise = 32 * round_off(c);
  if (looks_closer(c, &q)) {
    cr_real finest = q.h[CR_QUOTIENT_LEVELS - 1];
    cri_quotients finer = quotients_from(c, at, id, k, finest / CR_QUOTIENT_SHRINK);
    finer.noise = 32 * round_off(c);
    if (reaches(&finer, c->signature0)) {
      q = finer;
      if (!is_sure(&q, c->signature0, g)) {
        forget(&q);
      }
    }
  }
  move(c, at, id, k, 0);
  return q;
}

// ---- a block: all entries, or a sample of them, of one field

enum { MAX_ENTRIES = 4096, STATE_ENTRIES = 64 };  // the latter for each entry of a parameter field

static int choose(int* entries, int size, int most, cr_random* random) {
  if (most <= 0 || size <= most) {
    int n = size < MAX_ENTRIES ? size : MAX_ENTRIES;
    for (int i = 0; i < n; i++) {
      entries[i] = i;
    }
    return n;
  }
  for (int i = 0; i < most; i++) {
    entries[i] = cr_random_int(random, size);
  }
  return most;
}

// what differences can tell: an entry far enough above the noise is compared as it is, one closer
// to it only as far as the noise reaches
static cr_real entry_error(cr_real g, const cri_slope_fit* fd, cr_real scale) {
  cr_real difference = cr_abs(g - fd->value);
  if (RESOLUTION * scale > fd->noise) {
    return difference / scale;
  }
  cr_real above = difference - fd->noise - fd->error;
  return above > 0 ? above / scale : 0;
}

// the larger of two errors, where one that is NaN is larger than any
static cr_real worse(cr_real a, cr_real b) { return isnan(b) ? CR_MAX : cr_max(a, b); }

static cr_real largest_of(const cr_real* x, int n) {
  cr_real largest = 0;
  for (int i = 0; i < n; i++) {
    largest = cr_abs(x[i]) > largest ? cr_abs(x[i]) : largest;
  }
  return largest;
}

static void check_block(cr_step_check* c, const cr_data* at, cr_field_id id, cr_random* random,
                        cr_step_check_result* result) {
  int entries[MAX_ENTRIES];
  const cr_model* par = cri_field_of_model(id) ? &c->bar->par : c->m;
  const cr_real* g = cri_field_real(par, c->bar, id);
  int size = cri_field_tangent_size(c->m, c->d, id);
  int most = c->entries * (cri_field_of_model(id) ? 1 : STATE_ENTRIES);
  int n = choose(entries, size, most, random);
  cr_real largest = largest_of(g, size);
  for (int i = 0; i < n; i++) {
    int k = entries[i];
    if (cri_bend_at(c->m, id, k) != CRI_BEND_NONE) {
      continue;
    }
    cri_quotients q = measure_quotients(c, at, id, k, g[k]);
    cri_slope_fit fd = cri_slope_at(&q, c->signature0);
    result->samples++;
    cr_real scale = cr_max(cr_max(cr_abs(g[k]), cr_abs(fd.value)), CR_R(1e-3) * largest);
    bool kink = !fd.known || fd.kink || fd.error > CR_R(1e-4) * scale + fd.noise;
    if (kink && !isnan(g[k])) {
      result->kinks++;
      continue;
    }
    cr_real error = isnan(g[k]) ? CR_MAX : entry_error(g[k], &fd, scale);
    if (error > RESOLUTION && c->undetermined && !isnan(g[k])) {
      result->kinks++;
    } else if (error > RESOLUTION && cr_abs(g[k] - fd.value) <= c->lever) {
      result->lost++;
    } else if (error > result->max_error) {
      result->max_error = error;
      (void)snprintf(result->worst, sizeof result->worst, "%s[%d]: %.9g against %.9g",
                     cri_field(id)->name, k, (double)g[k], (double)fd.value);
    }
  }
}

// ---- the dot-product identity

static void randomize(cr_real* x, int n, cr_random* random) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(random);
  }
}

// A parameter that is small by nature, as a time constant of 1e-8 s, moves in proportion. With a whole unit
// terms that cancel would be larger than all terms that are compared.
static void randomize_parameter(const cr_step_check* c, cr_field_id id, cr_random* random) {
  cr_real* x_tan = cri_field_real(&c->tan->par, NULL, id);
  int n = cri_field_tangent_size(c->m, c->d, id);
  randomize(x_tan, n, random);
  for (int i = 0; i < n && cri_field(id)->tangent == CR_TANGENT_SAME; i++) {
    cr_real x = cr_abs(cri_field_real(c->m, c->d, id)[i]);
    x_tan[i] *= x > 0 && x < 1 ? x : 1;
  }
}

// those with a derivative
static const cr_field_id inputs[] = {
#define INPUT_QPOS(name) CR_FIELD_##name,
#define INPUT_SAME(name) CR_FIELD_##name,
#define INPUT_NONE(name)
#define CR_STATE(name, rows, width, tangent, unit, frame, text) INPUT_##tangent(name)
#include "model/data_fields.h"
};
enum { N_INPUTS = (int)(sizeof inputs / sizeof inputs[0]) };

// applied forces enter as qfrc_smooth does
static bool is_force(cr_field_id id) {
  return id == CR_FIELD_qfrc_applied || id == CR_FIELD_xfrc_applied;
}

static bool is_parameter(const cr_step_check* c, cr_field_id id) {
  return cri_field(id)->kind == CR_KIND_PARAM && cri_field_tangent_size(c->m, c->d, id) > 0;
}

static void add_dot(const cr_real* a, const cr_real* b, int n, cr_real* dot, cr_real* sum) {
  for (int i = 0; i < n; i++) {
    *dot += a[i] * b[i];
    *sum += cr_abs(a[i] * b[i]);
  }
}

static void add_input_dot(const cr_step_check* c, cr_field_id id, cr_real* dot, cr_real* sum) {
  bool of_model = cri_field_of_model(id);
  add_dot(cri_field_real(of_model ? &c->bar->par : c->m, c->bar, id),
          cri_field_real(of_model ? &c->tan->par : c->m, c->tan, id),
          cri_field_tangent_size(c->m, c->d, id), dot, sum);
}

static cr_status check_dot(cr_step_check* c, cr_random* random, cr_step_check_result* result,
                           cr_error* error) {
  const cr_model* m = c->m;
  for (int i = 0; i < N_INPUTS; i++) {
    randomize(cri_field_real(m, c->tan, inputs[i]), cri_field_tangent_size(m, c->d, inputs[i]),
              random);
  }
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (is_parameter(c, id)) {
      randomize_parameter(c, id, random);
    }
  }
  cr_status status = cri_step_jvp(m, c->d, c->work, c->tan);
  if (status != CR_OK) {
    return cri_fail(error, status, "jvp of the step: %s", c->tan->error.text);
  }
  cr_real left = 0, right = 0, left_sum = 0, right_sum = 0;
  const cri_state lambda = tangent_at(m, c->lambda), next = cri_state_twin_next(m, c->tan);
  for (int k = 0; k < CRI_N_STATE; k++) {
    add_dot(lambda.part[k].x, next.part[k].x, next.part[k].n, &left, &left_sum);
  }
  for (int i = 0; i < N_INPUTS; i++) {
    add_input_dot(c, inputs[i], &right, &right_sum);
  }
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (is_parameter(c, (cr_field_id)i)) {
      add_input_dot(c, (cr_field_id)i, &right, &right_sum);
    }
  }
  cr_real scale = cr_max(left_sum, right_sum);
  result->dot_error = worse(result->dot_error, scale == 0 ? 0 : cr_abs(left - right) / scale);
  return CR_OK;
}

// ---- the check

// x_i = sum of |M_ij a_j|: the size of terms that cancel in M a, and in the factors of M, where a light body
// carries a heavy one
static void inertial_terms(const cr_model* m, const cr_data* d, cr_real* x) {
  cr_zero(x, m->nv);
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->M_rowadr[i]; k < m->M_rowadr[i] + m->M_rownnz[i]; k++) {
      int j = m->M_colind[k];
      x[i] += cr_abs(d->M[k] * d->qacc[j]);
      x[j] += i == j ? 0 : cr_abs(d->M[k] * d->qacc[i]);
    }
  }
}

// magnitude and response: light bodies respond to forces that are round-off to heavy ones
static void measure(cr_step_check* c) {
  const cr_model* m = c->m;
  const cr_data* d = c->d;
  cr_real largest = 0, answers = 0;
  size_t mark = cri_mark(c->work);
  cr_real* inertial = cri_push(c->work, (size_t)m->nv);
  inertial_terms(m, d, inertial);
  c->size = c->magnitude = 0;
  for (int i = 0; i < m->nv; i++) {
    cr_real lambda = cr_abs(c->lambda[m->nv + i]);
    cr_real force = cr_abs(d->qfrc_smooth[i]) + cr_abs(d->qfrc_constraint[i]);
    cr_real answer = 4 * m->timestep * lambda * d->art_Dinv[i];
    c->size += cr_abs(c->lambda[i]) + lambda * cr_abs(d->qvel_next[i]);
    c->magnitude += answer * cr_max(force, inertial[i]);
    c->inertia[i] = 1 / d->art_Dinv[i];
    answers += answer;
    largest = cr_max(largest, force);
  }
  c->magnitude += c->size;
  c->response = largest * answers;
  c->lever = 0;
  for (int i = 0; i < d->nefc; i++) {
    c->lever += 16 * CR_EPS * cr_abs(d->efc_force[i]) * answers;
  }
  cri_pop(c->work, mark);
}

static void note_undetermined(cr_step_check* c) {
  cri_doubt* doubt = c->doubt.text[0] == 0 ? &c->doubt : NULL;
  c->undetermined = cri_contact_model(c->m)->in_doubt(c->m, c->d, c->work, doubt);
}

const char* cr_step_check_doubt(const cr_step_check* c) { return c->doubt.text; }

// Whether there is more than one slope here, whatever moves: cri_one_sided_find says why.
static bool says_two_slopes(const cr_model* m, const cr_data* d) {
  const bool asked[CR_N_FIELD] = {[CR_FIELD_qpos] = true};
  return cri_one_sided_find(m, d, asked, NULL, 0) > 0;
}

static void note_creeps(cr_step_check* c) {
  for (int i = 0; i < c->m->nv + c->m->ntendon; i++) {
    c->creeps[i] = cri_contact_model(c->m)->creeps(c->m, c->d, i);
  }
}

// the step at the unmoved point, and its vjp with seed lambda
static cr_status differentiate(cr_step_check* c, const cr_data* at, cr_random* random,
                               cr_error* error) {
  const cr_model* m = c->m;
  cri_inputs_copy(m, c->d, at);
  c->d->want_M = true;
  cr_status status = cri_step(m, c->d);
  c->d->want_M = false;
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", c->d->error.text);
  }
  randomize(c->lambda, next_size(m), random);
  cr_copy(c->qpos0, c->d->qpos_next, m->nq);
  stack_next(c, c->next0);
  c->signature0 = signature(m, c->d);
  c->leap0 = cri_choice_hash(m, c->d, CRI_CHOICE_LEAP);
  measure(c);
  note_undetermined(c);
  note_creeps(c);
  c->told = says_two_slopes(m, c->d);
  for (int i = 0; i < N_INPUTS; i++) {
    cr_zero(cri_field_real(m, c->bar, inputs[i]), cri_field_tangent_size(m, c->d, inputs[i]));
  }
  cri_model_twin_zero(&c->bar->par, m);
  cri_state_copy(cri_state_twin_next(m, c->bar), tangent_at(m, c->lambda));
  status = cri_step_vjp(m, m, c->d, c->work, c->bar);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "vjp of the step: %s", c->bar->error.text);
}

cr_status cr_step_check_run(cr_step_check* c, const cr_data* at, cr_random* random,
                            cr_step_check_result* result, cr_error* error) {
  CR_TRY(differentiate(c, at, random, error));
  CR_TRY(check_dot(c, random, result, error));
  for (int i = 0; i < N_INPUTS; i++) {
    if (!is_force(inputs[i])) {
      check_block(c, at, inputs[i], random, result);
    }
  }
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (is_parameter(c, (cr_field_id)i)) {
      check_block(c, at, (cr_field_id)i, random, result);
    }
  }
  return CR_OK;
}

// ---- edges

// the least value of the entries of a parameter: zero, by the field table
static bool has_least(const cr_model* m, cr_field_id id) {
  return cri_field_of_model(id) && cri_field_range(m, id).low == 0;
}

// The side of an entry's value to which it can be moved: 0 both
static int side_left(const cr_model* m, const cr_data* at, cr_field_id id, int k) {
  cr_real x = cri_field_real(m, at, id)[k];
  if (id == CR_FIELD_ctrl) {
    return cri_control_end(m, k, x);
  }
  if (id == CR_FIELD_act) {
    return cri_activation_end(m, k, x);
  }
  if (x == 0 && has_least(m, id)) {
    return 1;
  }
  return cri_effective_mass_side(m, id, k);
}

// A muscle whose excitation equals its activation, in a step of several stages: a move of the control also moves the
// activation of later stages, to a side that has neither derivative of both.
static bool meets_in_stages(const cr_model* m, const cr_data* at, cr_field_id id, int k) {
  for (int i = 0; i < m->nactuator && cri_tableau_of(m->integrator) != NULL; i++) {
    int u = m->actuator_ctrladr[i], a = m->actuator_actadr[i];
    bool asked = (id == CR_FIELD_ctrl && u == k) || (id == CR_FIELD_act && a == k);
    if (!asked || m->actuator_dyntype[i] != CR_DYN_MUSCLE) {
      continue;
    }
    const cr_real* range = m->actuator_ctrlrange + 2 * u;
    cr_real x = cri_control_limited(m, u) ? cr_clip(at->ctrl[u], range[0], range[1]) : at->ctrl[u];
    return cr_clip(x, 0, 1) == at->act[a];
  }
  return false;
}

// a box without extent: the corners that touch depend on the way it grows
static bool is_point(const cr_model* m, cr_field_id id, int k) {
  return id == CR_FIELD_geom_size && m->geom_type[k / 3] == CR_GEOM_BOX &&
         cr_is_zero(m->geom_size + k - k % 3, 3);
}

// a friction loss of zero of what only creeps, as rollout/one_sided.h names it
static bool creeps(const cr_step_check* c, cr_field_id id, int k) {
  return (id == CR_FIELD_dof_frictionloss && c->creeps[k]) ||
         (id == CR_FIELD_tendon_frictionloss && c->creeps[c->m->nv + k]);
}

typedef struct {
  cr_step_check* c;
  const char* place;
  cr_edge_result* result;
} edge;

static void edge_text(char text[CR_EDGE_TEXT], const edge* e, cr_field_id id, int k,
                      const char* what, cr_real a, cr_real b) {
  (void)snprintf(text, CR_EDGE_TEXT, "%s[%d] at %s: %.9g %s %.9g", cri_field(id)->name, k, e->place,
                 (double)(a + 0), what, (double)(b + 0));
}

static void edge_compared(const edge* e, cr_field_id id, int k, cr_real g, cr_real fd,
                          cr_real error) {
  cr_edge_result* r = e->result;
  if (e->c->undetermined && error > CR_R(1e-6) && !isnan(g)) {
    r->kinks++;
    return;
  }
  r->samples++;
  if (error > r->max_error) {
    r->max_error = error;
    edge_text(r->worst, e, id, k, "against", g, fd);
  }
}

// a slope that differences know well enough to compare with
static bool is_told(const cri_slope_fit* s, cr_real scale) {
  return s->known && s->error <= CR_R(1e-5) * scale + s->noise;
}

// distance of g from a slope, beyond the uncertainty of the slope
static cr_real off(const cr_step_check* c, cr_real g, const cri_slope_fit* s) {
  cr_real known = s->error + s->noise + c->lever;
  return cr_max(0, cr_abs(g - s->value) - known);
}

// One side is left. If other contacts or limits act beside the point than at it, `row`, as where a joint stands
// at its limit or two geoms touch exactly, or where a friction loss holds what creeps, the derivative is that of
// those at the point.
static void edge_one_side(const edge* e, cr_field_id id, int k, cr_real g, bool row,
                          const cri_slope_fit* s, cr_real scale) {
  cr_real error = off(e->c, g, s) / scale;
  if (is_told(s, scale) && !(row && error > CR_R(1e-6))) {
    edge_compared(e, id, k, g, s->value, error);
  } else {
    e->result->kinks++;
  }
}

// Both sides can be reached. If several rows come or go together at the point itself, as where a foot
// touches with all its corners, the derivative is that of the rows that are there, and no side's: `row`.
static void edge_two_sides(const edge* e, cr_field_id id, int k, cr_real g, bool row,
                           const cri_slope_fit* left, const cri_slope_fit* right, cr_real scale) {
  cr_edge_result* r = e->result;
  cr_real gap = cr_abs(left->value - right->value);
  cr_real unsure = left->error + left->noise + right->error + right->noise;
  if (!is_told(left, scale) || !is_told(right, scale)) {
    r->kinks++;
    return;
  }
  bool between = g > cr_min(left->value, right->value) && g < cr_max(left->value, right->value);
  bool nearer_left = cr_abs(g - left->value) < cr_abs(g - right->value);
  const cri_slope_fit* near = nearer_left ? left : right;
  cr_real error = between ? 0 : off(e->c, g, near) / scale;
  bool smooth = gap <= CR_R(1e-4) * scale + unsure;
  if (smooth && (!row || error <= CR_R(1e-6))) {
    edge_compared(e, id, k, g, near->value, error);
    return;
  }
  r->kinks++;
  if (error > CR_R(1e-4) && !row) {
    edge_compared(e, id, k, g, near->value, error);
  } else if (!smooth && r->nkink < CR_EDGE_KINKS) {
    edge_text(r->kink[r->nkink++], e, id, k, "on the left,", left->value, right->value);
  }
}

enum { LAST = CR_QUOTIENT_LEVELS - 1 };

static void edge_entry(const edge* e, const cr_data* at, cr_field_id id, int k, cr_real g,
                       cr_real largest) {
  cri_quotients q = measure_quotients(e->c, at, id, k, g);
  cri_slope_fit both = cri_slope_at(&q, e->c->signature0);
  cri_slope_fit left = cri_slope_of_side(&q, -1), right = cri_slope_of_side(&q, 1);
  cr_real scale = cr_max(cr_abs(g), CR_R(1e-3) * largest);
  int side = side_left(e->c->m, at, id, k);
  if (isnan(g)) {
    edge_compared(e, id, k, g, both.value, CR_MAX);
  } else if (meets_in_stages(e->c->m, at, id, k) || is_point(e->c->m, id, k) ||
             (side >= 0 && (e->c->leaps[1] || cri_leaps(&q, 1, &right))) ||
             (side <= 0 && (e->c->leaps[0] || cri_leaps(&q, -1, &left)))) {
    e->result->kinks++;
  } else if (side != 0) {
    const cri_slope_fit* s = side > 0 ? &right : &left;
    const cri_value* moved = (side > 0 ? q.plus : q.minus) + LAST;
    bool row = creeps(e->c, id, k) || (e->c->told && !same_rows(moved->piece, e->c->signature0));
    edge_one_side(e, id, k, g, row, s, cr_max(scale, cr_abs(s->value)));
  } else {
    scale = cr_max(scale, cr_abs(both.value));
    if (both.known && !both.kink && both.error <= CR_R(1e-4) * scale + both.noise) {
      edge_compared(e, id, k, g, both.value,
                    off(e->c, g, &both) == 0 ? 0 : entry_error(g, &both, scale));
    } else {
      scale = cr_max(scale, cr_max(cr_abs(left.value), cr_abs(right.value)));
      bool row = e->c->told && (!same_rows(q.plus[LAST].piece, e->c->signature0) ||
                                !same_rows(q.minus[LAST].piece, e->c->signature0));
      edge_two_sides(e, id, k, g, row, &left, &right, scale);
    }
  }
}

static void edge_block(const edge* e, const cr_data* at, cr_field_id id, int most,
                       cr_random* random) {
  cr_step_check* c = e->c;
  int entries[MAX_ENTRIES], size = cri_field_tangent_size(c->m, c->d, id);
  const cr_model* par = cri_field_of_model(id) ? &c->bar->par : c->m;
  const cr_real* g = cri_field_real(par, c->bar, id);
  int n = choose(entries, size, most, random);
  cr_real largest = largest_of(g, size);
  for (int i = 0; i < n; i++) {
    const cri_bend bend = cri_bend_at(c->m, id, entries[i]);
    if (bend != CRI_BEND_SWITCH && bend != CRI_BEND_FLOOR) {
      edge_entry(e, at, id, entries[i], g[entries[i]], largest);
    }
  }
}

static void not_visited(const edge* e, const char* why) {
  if (e->result->unvisited++ == 0) {
    (void)snprintf(e->result->why, CR_EDGE_TEXT, "%.60s: %.180s", e->place, why);
  }
}

// the step and its derivative there; false if there is none, or none to six digits
static bool reach_edge(const edge* e, const cr_data* at, cr_random* random, cr_status* status,
                       cr_error* error) {
  cr_error inner = {0};
  e->c->d->error.status = CR_OK;
  *status = differentiate(e->c, at, random, &inner);
  if (*status == CR_OK) {
    e->result->places++;
    return true;
  }
  if (e->c->d->error.status == *status) {
    not_visited(e, inner.text);
    *status = CR_OK;
  } else {
    *status = cri_fail(error, *status, "%s: %s", e->place, inner.text);
  }
  return false;
}

cr_status cr_step_check_edge(cr_step_check* c, const cr_data* at, int what, int entries,
                             const char* place, cr_random* random, cr_edge_result* result,
                             cr_error* error) {
  edge e = {c, place, result};
  cr_status status;
  if (!reach_edge(&e, at, random, &status, error)) {
    return status;
  }
  for (int i = 0; i < 4; i++) {
    if ((what & (1 << i)) != 0) {
      edge_block(&e, at, inputs[i], c->entries * STATE_ENTRIES, random);
    }
  }
  for (int i = 0; i < CR_N_MODEL_FIELD && entries > 0; i++) {
    if (is_parameter(c, (cr_field_id)i)) {
      edge_block(&e, at, (cr_field_id)i, entries, random);
    }
  }
  return CR_OK;
}

// from NULL: to zero
static void set_all(cr_model* m, cr_field_id id, const cr_real* from) {
  cr_real* to = cri_field_real(m, NULL, id);
  int n = cri_field_rows(m, NULL, id) * cri_field_width(m, id);
  for (int i = 0; i < n; i++) {
    to[i] = from == NULL ? 0 : from[i];
  }
}

cr_status cr_step_check_bound(cr_step_check* c, const cr_data* at, cr_field_id id, int entries,
                              cr_random* random, cr_edge_result* result, cr_error* error) {
  char place[64];
  if (!is_parameter(c, id) || !has_least(c->m, id)) {
    return CR_OK;
  }
  if (c->bound.memory == NULL) {
    CR_TRY(cri_model_copy(&c->bound, c->m, error));
  }
  const cr_model* m = c->m;
  const cr_real* own = cri_field_real(m, NULL, id);
  (void)snprintf(place, sizeof place, "%s 0", cri_field(id)->name);
  edge e = {c, place, result};
  set_all(&c->bound, id, NULL);
  set_all(&c->moved, id, NULL);
  c->m = &c->bound;
  cr_status status;
  if (reach_edge(&e, at, random, &status, error)) {
    edge_block(&e, at, id, entries, random);
  }
  c->m = m;
  set_all(&c->bound, id, own);
  set_all(&c->moved, id, own);
  return status;
}
