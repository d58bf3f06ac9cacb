// SPDX-License-Identifier: Apache-2.0
// The adjoint equation between stored states. Time is counted backwards from the end of a span: a
// run of steps that no event interrupts.
#include "rollout/adjoint.h"

#include <stdlib.h>

#include "actuator/activation.h"
#include "actuator/setpoint.h"
#include "engine/forward.h"
#include "event/event.h"
#include "event/event_jump.h"
#include "integrate/dense.h"
#include "integrate/inputs.h"
#include "kinematics/configuration.h"
#include "kinematics/joint.h"
#include "math/vec3.h"
#include "model/fields.h"
#include "model/model_options.h"
#include "model/state_vector.h"
#include "rollout/trajectory.h"

// ---- sizes

static size_t tangent_size(const cr_model* m) { return (size_t)cri_state_tangent_size(m); }

static size_t node_size(const cr_model* m) { return (size_t)cri_state_size(m) + tangent_size(m); }

// the adjoint and, unless the state is interpolated, the state
static size_t equation_size(const cr_rollout* r, const cr_model* m) {
  bool alone = r->adjoint.options.states == CR_STATES_INTERPOLATED;
  return alone ? tangent_size(m) : 2 * tangent_size(m);
}

// the integrator's own table, if that has an error estimate
static const cri_tableau* method_of(const cr_model* m) {
  const cri_tableau* t = cri_tableau_of(m->integrator);
  return t != NULL && t->error != NULL ? t : cri_tableau_of(CR_INT_TSIT5);
}

// ---- inputs on which no state depends backwards: controls, applied forces, parameters

enum { N_FORCE = 3, N_INPUT = N_FORCE + CR_N_MODEL_FIELD };

// cotangents of the i-th of them, *n numbers
static cr_real* input_bar(const cr_rollout* r, const cr_model* m, int i, size_t* n) {
  cr_data* bar = r->bar;
  cr_real* const forces[] = {bar->ctrl, bar->qfrc_applied, bar->xfrc_applied};
  const int sizes[] = {m->nu, m->nv, 6 * m->nbody};
  if (i < N_FORCE) {
    *n = (size_t)sizes[i];
    return forces[i];
  }
  cr_field_id id = (cr_field_id)(i - N_FORCE);
  cr_real* array =
      cri_field(id)->kind == CR_KIND_PARAM ? cri_field_real(&bar->par, NULL, id) : NULL;
  *n = array == NULL ? 0 : (size_t)cri_field_tangent_size(m, NULL, id);
  return array;
}

// controls that change have a second part, for the row to which they change, behind all others
static bool is_linear(const cr_rollout* r) { return r->adaptive && r->options.linear; }

static size_t input_size(const cr_rollout* r, const cr_model* m) {
  size_t sum = is_linear(r) ? (size_t)m->nu : 0, n;
  for (int i = 0; i < N_INPUT; i++) {
    (void)input_bar(r, m, i, &n);
    sum += n;
  }
  return sum;
}

// moves them into z
static void take_inputs(const cr_rollout* r, const cr_model* m, cr_real* z) {
  size_t n;
  for (int i = 0; i < N_INPUT; i++, z += n) {
    cr_real* from = input_bar(r, m, i, &n);
    cr_copy(z, from, (int)n);
    cr_zero(from, (int)n);
  }
}

static void accumulate(cr_real* to, const cr_real* z, size_t n) {
  for (size_t k = 0; k < n; k++) {
    to[k] += z[k];
  }
}

static void add_inputs(const cr_rollout* r, const cr_model* m, const cri_ramp* ramp,
                       const cr_real* z) {
  size_t n;
  for (int i = 0; i < N_INPUT; i++, z += n) {
    cr_real* to = input_bar(r, m, i, &n);
    accumulate(ramp != NULL && i == 0 ? ramp->from_bar : to, z, n);
  }
  if (ramp != NULL) {
    accumulate(ramp->to_bar, z, (size_t)m->nu);
  }
}

// ---- one span

typedef struct {
  cr_rollout* r;
  const cr_model *m, *m_backward;
  cri_ode ode;
  int k;                 // the interval of the span
  const cri_ramp* ramp;  // controls that change in it; NULL: they are held
  cri_state_before* before;
  cr_real *base, *gathered;  // coordinates from which the state counts; inputs so far
  size_t nnode, at;          // states on the way, from first to last; the one used last
  cr_real end;               // time of the last state
  cr_error* error;
} span;

// tangents, or rates, at x
static cri_state tangent_at(const cr_model* m, const cr_real* x) {
  return cri_state_at(cri_state_tangent_sizes(m), 1, x);
}

static cri_node node_of(const span* s, size_t i) {
  const cr_model* m = s->m;
  cr_real* x = s->r->adjoint.nodes + i * (node_size(m) + 1);
  return (cri_node){.time = x[0],
                    .state = cri_state_at(cri_state_sizes(m), 1, x + 1),
                    .rate = tangent_at(m, x + 1 + cri_state_size(m))};
}

// the parts of a vector of the equation: the adjoint of all quantities that evolve; then the state, with the increment
// from the base in place of coordinates
static cri_state adjoint_in(const cr_model* m, const cr_real* y) { return tangent_at(m, y); }

static cri_state state_in(const cr_model* m, const cr_real* y) {
  return tangent_at(m, y + cri_state_tangent_size(m));
}

static bool integrates_states(const span* s) {
  return s->r->adjoint.options.states != CR_STATES_INTERPOLATED;
}

// the state at time t into r->work
static void interpolate(span* s, cr_real t) {
  while (s->at > 0 && t < node_of(s, s->at).time) {
    s->at--;
  }
  while (s->at + 2 < s->nnode && t > node_of(s, s->at + 1).time) {
    s->at++;
  }
  cri_node a = node_of(s, s->at), b = node_of(s, s->at + 1);
  cri_dense_at(s->m, &a, &b, t, s->r->work);
}

// [adjoint.c4] cotangents of controls at time t, the first of z, to the two rows between which they change
static void split_control(const span* s, cr_real t, cr_real* z) {
  cr_real *to = z + s->ode.nquad - s->m->nu, share = (t - s->ramp->start) / s->ramp->length;
  for (int i = 0; i < s->m->nu; i++) {
    to[i] = share * z[i];
    z[i] *= 1 - share;
  }
}

static cr_status failed(const span* s, const cr_data* where, cr_status status) {
  *s->error = where->error;
  return status;
}

// the state of the equation into r->work, and its rates backwards
static cr_status state_rate(span* s, const cr_real* y, cr_real* rate) {
  const cr_model* m = s->m;
  cr_data* d = s->r->work;
  const cri_state from = state_in(m, y), to = state_in(m, rate);
  const cri_state now = cri_state_of(m, d), rates = cri_state_rate(m, d);
  cri_configuration_move(m, s->base, from.qpos.x, 1, d->qpos);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(now.part[k].x, from.part[k].x, now.part[k].n);
  }
  cr_status status = cri_dynamics(m, d);
  if (status != CR_OK) {
    return failed(s, d, status);
  }
  cri_configuration_rate(m, from.qpos.x, from.qvel.x, to.qpos.x);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(to.part[k].x, rates.part[k].x, to.part[k].n);
  }
  for (int i = cri_state_tangent_size(m); i < s->ode.n; i++) {
    rate[i] = -rate[i];
  }
  return CR_OK;
}

// the adjoint's rates backwards at the state in r->work, whose dynamics are computed
static cr_status adjoint_rate(span* s, const cr_real* y, cr_real* rate) {
  const cr_model* m = s->m;
  cr_data *d = s->r->work, *bar = s->r->bar;
  const cri_state seed = adjoint_in(m, y), to = adjoint_in(m, rate), rates = cri_state_rate(m, bar);
  cri_state_zero(cri_state_twin(m, bar));
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(rates.part[k].x, seed.part[k].x, seed.part[k].n);
  }
  cr_status status = cri_forward_vjp(s->m_backward, d, bar);
  // [adjoint.c4] also after a failure, so that the next attempt starts clean
  take_inputs(s->r, m, rate + s->ode.n);
  if (s->ramp != NULL) {
    split_control(s, d->time, rate + s->ode.n);
  }
  if (status != CR_OK) {
    (void)failed(s, bar, status);
    cri_twin_clear(bar);
    return status;
  }
  // [adjoint.c1], [adjoint.c3]
  cri_state_copy(to, cri_state_twin(m, bar));
  // [adjoint.c2]
  for (int i = 0; i < m->nv; i++) {
    to.qvel.x[i] = y[i] + bar->qvel[i];
  }
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    int i = p.v + p.nflat;
    if (p.rotates) {
      cr_acccross3(rate + i, d->qvel + i, y + i);
    }
  }
  return CR_OK;
}

// cri_ode_rate
static cr_status rate_at(void* context, cr_real back, const cr_real* y, cr_real* rate) {
  span* s = context;
  cr_data* d = s->r->work;
  d->time = s->end - back;
  if (s->ramp != NULL) {
    cri_ramp_at(s->ramp, d->time, s->m->nu, d->ctrl);
  }
  if (integrates_states(s)) {
    CR_TRY(state_rate(s, y, rate));
  } else {
    interpolate(s, d->time);
  }
  if (!integrates_states(s) || s->m_backward != s->m) {
    cr_status status = cri_dynamics(s->m_backward, d);
    if (status != CR_OK) {
      return failed(s, d, status);
    }
  }
  return adjoint_rate(s, y, rate);
}

// the coordinates reached become those from which the state counts
static void rebase(span* s) {
  cr_real* way = state_in(s->m, s->ode.y).qpos.x;
  cri_configuration_move(s->m, s->base, way, 1, s->base);
  cr_zero(way, s->m->nv);
  s->ode.known = false;
}

static cr_status solve(span* s, cr_real length) {
  const cr_adjoint* o = &s->r->adjoint.options;
  const cr_adaptive options = {.rtol = o->rtol, .atol = o->atol, .max_steps = o->max_steps};
  cr_real back = 0, h;
  s->ode.context = s;
  while (back < length) {
    CR_TRY(cri_ode_step(&s->ode, &options, back, length, &s->r->adjoint.controller, &h, s->error));
    back = h == length - back ? length : back + h;
    if (integrates_states(s)) {
      rebase(s);
    }
  }
  return CR_OK;
}

// ---- start of a span

static bool has_event(const cr_rollout* r, int i) {
  return r->adaptive && cri_tape_noted(&r->tape, i).event;
}

static void set_control(span* s) {
  cr_rollout* r = s->r;
  if (s->ramp != NULL) {
    cri_ramp_at(s->ramp, r->d->time, s->m->nu, r->d->ctrl);
  } else {
    cr_copy(r->d->ctrl, r->ctrl + (size_t)s->k * (size_t)s->m->nu, s->m->nu);
  }
}

// the state at the end of the remaining steps, and that before step i, into r->d
static void restore_end(span* s) {
  cri_tape_get(&s->r->tape, s->m, CRI_TAPE_HERE, s->r->d);
  set_control(s);
}

static cr_status restore(span* s, int i) {
  CR_TRY(s->before(s->r, s->m, i, s->error));
  set_control(s);
  return CR_OK;
}

static cr_status evaluate(span* s, cr_data* d) {
  cr_status status = cri_dynamics(s->m, d);
  return status == CR_OK ? CR_OK : failed(s, d, status);
}

// [adjoint.c5] the events of step i, at whose end the backward pass is: their jump, then on to the state just before
// them, in r->work; if the step has almost no length, to its start
static cr_status pass_event(span* s, int i, bool* tiny) {
  cr_rollout* r = s->r;
  cr_real h = cri_tape_noted(&r->tape, i).h;
  restore_end(s);
  cri_inputs_copy(s->m, r->work, r->d);
  CR_TRY(restore(s, i));
  cr_status status = cri_jump_vjp(s->m, r->d, r->work, h, r->bar);
  if (status != CR_OK) {
    return failed(s, r->d, status);
  }
  *tiny = h <= CRI_EVENT_WIDEST * cri_event_near(s->m, r->d->time);
  if (*tiny) {
    cri_tape_put(&r->tape, s->m, CRI_TAPE_HERE, r->d);
    return CR_OK;
  }
  status = cri_jump_before(s->m, r->d, r->work, h);
  return status == CR_OK ? CR_OK : failed(s, r->work, status);
}

static void put_node(span* s, size_t i, const cr_data* d) {
  const cr_model* m = s->m;
  cri_node node = node_of(s, i);
  s->r->adjoint.nodes[i * (node_size(m) + 1)] = d->time;
  cri_state_copy(node.state, cri_state_of(m, d));
  cri_state_copy(node.rate, cri_state_rate(m, d));
}

static cr_status make_room(cri_adjoint* a, size_t numbers, cr_error* error) {
  if (numbers <= a->nnode) {
    return CR_OK;
  }
  cr_real* nodes = realloc(a->nodes, numbers * sizeof *nodes);
  if (nodes == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "adjoint: no memory for the states on the way");
  }
  a->nodes = nodes;
  a->nnode = numbers;
  return CR_OK;
}

// the states before steps begin ... end - 1; `last`: that at the end
static cr_status gather_nodes(span* s, int begin, int end, const cr_data* last) {
  cr_rollout* r = s->r;
  s->nnode = (size_t)(end - begin) + 1;
  s->at = s->nnode - 2;
  CR_TRY(make_room(&r->adjoint, s->nnode * (node_size(s->m) + 1), s->error));
  put_node(s, s->nnode - 1, last);
  for (int i = end - 1; i >= begin; i--) {
    CR_TRY(restore(s, i));
    CR_TRY(evaluate(s, r->d));
    put_node(s, (size_t)(i - begin), r->d);
  }
  return CR_OK;
}

// makes the state at the end the one with which the equation begins; a state that was carried there stays
static void begin_state(span* s, const cr_data* last) {
  cri_adjoint* a = &s->r->adjoint;
  const cri_state to = state_in(s->m, s->ode.y), from = cri_state_of(s->m, last);
  if (a->options.states == CR_STATES_BACKWARD && a->carried) {
    return;
  }
  a->carried = true;
  cr_copy(s->base, last->qpos, s->m->nq);
  cr_zero(to.qpos.x, to.qpos.n);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(to.part[k].x, from.part[k].x, to.part[k].n);
  }
}

// ---- the sweep over one step

static span span_of(cr_rollout* r, const cr_model* m, const cr_model* m_backward, cr_error* error) {
  size_t n = equation_size(r, m), nquad = input_size(r, m);
  cr_real* at = r->adjoint.memory;
  span s = {.r = r, .m = m, .m_backward = m_backward, .error = error};
  s.ode = (cri_ode){.t = method_of(m),
                    .n = (int)n,
                    .nquad = (int)nquad,
                    .rate = rate_at,
                    .y = at,
                    .z = at + n,
                    .memory = at + n + 2 * nquad + (size_t)m->nq};
  s.gathered = s.ode.z + nquad;
  s.base = s.gathered + nquad;
  return s;
}

// back over steps begin ... end - 1
static cr_status pass_span(span* s, int begin, int end) {
  cr_rollout* r = s->r;
  cr_data* last = r->d;
  if (has_event(r, end - 1)) {
    bool tiny;
    CR_TRY(pass_event(s, end - 1, &tiny));
    end -= tiny;
    last = tiny ? r->d : r->work;
  }
  if (end == begin) {
    return CR_OK;
  }
  if (last == r->d) {
    restore_end(s);
    CR_TRY(evaluate(s, r->d));
  }
  s->end = last->time;
  s->ode.known = false;
  if (integrates_states(s)) {
    begin_state(s, last);
  } else {
    CR_TRY(gather_nodes(s, begin, end, last));
  }
  CR_TRY(restore(s, begin));
  cri_tape_put(&r->tape, s->m, CRI_TAPE_HERE, r->d);
  cri_inputs_copy(s->m, r->work, r->d);
  cri_state_copy(adjoint_in(s->m, s->ode.y), cri_state_twin(s->m, r->bar));
  take_inputs(r, s->m, s->gathered);
  if (s->ramp != NULL) {
    split_control(s, s->end, s->gathered);
  }
  cr_zero(s->ode.z, s->ode.nquad);
  CR_TRY(solve(s, s->end - r->d->time));
  cri_state_copy(cri_state_twin(s->m, r->bar), adjoint_in(s->m, s->ode.y));
  add_inputs(r, s->m, s->ramp, s->gathered);
  add_inputs(r, s->m, s->ramp, s->ode.z);
  return CR_OK;
}

// the first step of the span that ends with step end - 1
static int span_begin(const span* s, int first, int end) {
  enum { MOST = 64 };
  int begin = end - 1;
  while (!integrates_states(s) && begin > first && end - begin < MOST &&
         !has_event(s->r, begin - 1)) {
    begin--;
  }
  return begin;
}

cr_status cri_adjoint_interval(cr_rollout* r, const cr_model* m, const cr_model* m_backward, int k,
                               const cri_ramp* ramp, int first, int end, cri_state_before* before,
                               cr_error* error) {
  cr_error why;
  span s = span_of(r, m, m_backward, &why);
  s.before = before;
  s.k = k;
  s.ramp = ramp;
  for (int begin; end > first; end = begin) {
    begin = span_begin(&s, first, end);
    cr_status status = pass_span(&s, begin, end);
    if (status != CR_OK) {
      return status == CR_ERR_CAPACITY
                 ? status
                 : cri_fail(error, status, "the adjoint of step %d: %s", k + 1, why.text);
    }
  }
  return CR_OK;
}

// ---- before a gradient

static cr_status check_activations(const cr_model* m, cr_error* error) {
  for (int i = 0; i < m->nactuator; i++) {
    const char* what = m->actuator_actlimited[i] != 0             ? "has a limited activation"
                       : cri_actuator_disabled(m, i)              ? "is switched off"
                       : cri_servo_period(m, i) > 0               ? "has a setpoint on a circle"
                       : m->actuator_dyntype[i] == CR_DYN_DCMOTOR ? "is a motor with states"
                       : m->actuator_actnum[i] > 2                ? "has an orientation for a state"
                                                                  : NULL;
    if (m->actuator_actadr[i] >= 0 && what != NULL) {
      return cri_fail(error, CR_ERR_ARG,
                      "continuous adjoint: actuator %d ('%s') %s; use the discrete one", i,
                      cri_name(m, m->name_actuatoradr, i), what);
    }
  }
  return CR_OK;
}

static cr_status check(const cr_model* m, const cr_adjoint* o, cr_error* error) {
  if (!cri_is_explicit(m->integrator)) {
    return cri_fail(error, CR_ERR_ARG,
                    "continuous adjoint: the integrator must be an explicit method: %s",
                    cri_integrators(cri_is_explicit).text);
  }
  bool sane = o->rtol > 0 && o->rtol < CR_MAX && o->atol > 0 && o->atol < CR_MAX;
  if (!sane || o->max_steps < 0 || o->states < CR_STATES_INTERPOLATED ||
      o->states > CR_STATES_BACKWARD) {
    return cri_fail(error, CR_ERR_ARG,
                    "continuous adjoint: rtol %g, atol %g, max_steps %d, states %d",
                    (double)o->rtol, (double)o->atol, o->max_steps, (int)o->states);
  }
  return check_activations(m, error);
}

cr_status cr_rollout_set_adjoint(cr_rollout* r, const cr_model* m, const cr_adjoint* options,
                                 cr_error* error) {
  const cri_call call = {"cr_rollout_set_adjoint", error};
  CR_TRY(cri_rollout_check(&call, r, m));
  if (options != NULL) {
    CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_adjoint"));
    CR_TRY(check(m, options, error));
  }
  r->adjoint.continuous = options != NULL;
  r->adjoint.options = options != NULL ? *options : (cr_adjoint){.rtol = 0};
  return CR_OK;
}

void cr_rollout_adjoint_steps(const cr_rollout* r, int* accepted, int* rejected) {
  cri_count(accepted, r != NULL ? r->adjoint.controller.accepted : 0);
  cri_count(rejected, r != NULL ? r->adjoint.controller.rejected : 0);
}

cr_status cri_adjoint_begin(cr_rollout* r, const cr_model* m, cr_error* error) {
  cri_adjoint* a = &r->adjoint;
  CR_TRY(check(m, &a->options, error));
  size_t n = equation_size(r, m), nquad = input_size(r, m);
  size_t room = n + 2 * nquad + (size_t)m->nq + cri_ode_room(method_of(m), (int)n, (int)nquad);
  cr_real* memory = realloc(a->memory, room * sizeof *memory);
  if (memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "adjoint: no memory for %zu numbers", room);
  }
  a->memory = memory;
  a->carried = false;
  a->controller = cri_controller_begin(m, &(cr_adaptive){.first_step = 0});
  return CR_OK;
}

void cri_adjoint_free(cri_adjoint* a) {
  free(a->memory);
  free(a->nodes);
}
