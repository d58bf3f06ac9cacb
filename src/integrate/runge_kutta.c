// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta on the configuration manifold, the method a table of numbers. Stage i
// lives in r_i, the rotation vectors (and plain differences) from q0 to q_i. The method averages their
// rates K_i, so orientations keep its order. Sweeps backwards over the stages
// give the derivative of the discrete map itself.
#include "integrate/runge_kutta.h"

#include <stdio.h>

#include "actuator/activation.h"
#include "engine/forward.h"
#include "event/event.h"
#include "integrate/inputs.h"
#include "model/model_options.h"
#include "model/schedule.h"
#include "model/state_vector.h"

// ---- stages as rows of arrays

// y += s sum over rows k of c_k x_k
static void add_rows(cr_real* y, cr_real s, const cr_real* c, int rows, const cr_real* x, int n) {
  for (int k = 0; k < rows; k++) {
    for (int i = 0; c[k] != 0 && i < n; i++) {
      y[i] += s * c[k] * x[(size_t)k * (size_t)n + (size_t)i];
    }
  }
}

static cr_real* row(cr_real* x, int k, int n) { return x + (size_t)k * (size_t)n; }

// stages on which the new state depends
static int weighted_stages(const cri_rk* rk) { return rk->t->n - (rk->t->last_is_first ? 1 : 0); }

static int stages(const cri_rk* rk) { return rk->error ? rk->t->n : weighted_stages(rk); }

// the length of a step that takes the rates of activations as they are, see actuator/activation.h
static cr_real plain_step(const cri_rk* rk) { return rk->t->mujoco ? 0 : rk->h; }

// [runge_kutta.k1], [runge_kutta.k3] r_i and K_i of stage i, from the velocities saved and the K before it
static void retrace_stage(const cri_rk* rk, const cr_model* m, const cr_data* d, int i, cr_real* r,
                          cr_real* K) {
  int n = cri_local_coordinates_width(m, rk->chart);
  cr_zero(row(r, i, n), n);
  add_rows(row(r, i, n), rk->h, rk->t->a + i * rk->t->n, i, K, n);
  cri_local_coordinates_rate(m, rk->chart, row(r, i, n), row(d->rk_qvel, i, m->nv), row(K, i, n));
}

// the vector that a method adds up, of a twin, or its rates, or increments: coordinates in the form of the chart
static cri_state summands(const cri_rk* rk, const cr_model* m, const cr_data* d) {
  cri_state s = cri_state_rate(m, d);
  s.qpos.n = cri_local_coordinates_width(m, rk->chart);
  return s;
}

// `rows` of them in the scratch of a block
static cri_state push_summands(const cri_rk* rk, const cr_model* m, cr_data* owner, int rows) {
  const cri_state like = summands(rk, m, owner);
  size_t n = 0;
  for (int k = 0; k < CRI_N_STATE; k++) {
    n += (size_t)like.part[k].n;
  }
  return cri_state_at(like, rows, cri_push(owner, (size_t)rows * n));
}

// [runge_kutta.k5], [runge_kutta.k6] r+ = h sum b K and the rates sum b F, sum b G
static void final_increments(const cri_rk* rk, const cr_model* m, const cr_data* d,
                             const cr_real* K, cri_state sum) {
  const cri_state rates = cri_state_stage_rates(m, d);
  cri_state_zero(sum);
  add_rows(sum.qpos.x, rk->h, rk->t->b, rk->t->n, K, sum.qpos.n);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    add_rows(sum.part[k].x, 1, rk->t->b, rk->t->n, rates.part[k].x, sum.part[k].n);
  }
}

static void set_state(const cr_model* m, cr_data* d, const cr_data* saved, int i) {
  cri_state_copy(cri_state_of(m, d), cri_state_stage(m, saved, i));
}

static cr_real stage_time(const cri_rk* rk, cr_real time, int i) {
  cr_real c = 0;
  for (int j = 0; j < i; j++) {
    c += rk->t->a[i * rk->t->n + j];
  }
  return time + c * rk->h;
}

// ---- controls that change

void cri_ramp_at(const cri_ramp* ramp, cr_real time, int nu, cr_real* ctrl) {
  cr_real s = (time - ramp->start) / ramp->length;
  for (int i = 0; i < nu; i++) {
    ctrl[i] = ramp->from[i] + s * (ramp->to[i] - ramp->from[i]);
  }
}

void cri_ramp_vjp(const cri_ramp* ramp, cr_real time, int nu, cr_real* ctrl_bar) {
  cr_real s = (time - ramp->start) / ramp->length;
  for (int i = 0; i < nu; i++) {
    ramp->from_bar[i] += (1 - s) * ctrl_bar[i];
    ramp->to_bar[i] += s * ctrl_bar[i];
    ctrl_bar[i] = 0;
  }
}

static void set_time(const cri_rk* rk, const cr_model* m, cr_data* d, cr_real time) {
  d->time = time;
  if (rk->ramp != NULL) {
    cri_ramp_at(rk->ramp, time, m->nu, d->ctrl);
  }
}

// ---- forward

static void save_rates(const cr_model* m, cr_data* d, int i) {
  const cri_state rates = cri_state_rate(m, d), saved = cri_state_stage_rates(m, d);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(row(saved.part[k].x, i, rates.part[k].n), rates.part[k].x, rates.part[k].n);
  }
}

void cri_runge_kutta_begin(const cr_model* m, cr_data* d) {
  cri_state_copy(cri_state_stage(m, d, 0), cri_state_of(m, d));
  cr_copy(d->rk_velocity, d->actuator_velocity, m->nout);
  save_rates(m, d, 0);
  cri_effective_begin(d);
}

// the state of stage i from the rates of those before it
static void make_stage(const cri_rk* rk, const cr_model* m, cr_data* d, int i, cr_real* r,
                       cr_real* K) {
  const cr_real* a = rk->t->a + i * rk->t->n;
  const cri_state rates = cri_state_stage_rates(m, d);
  const cri_state first = cri_state_stage(m, d, 0), to = cri_state_stage(m, d, i);
  // [runge_kutta.k2] v_i = v0 + h sum a F, w_i = w0 + h sum a G
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(to.part[k].x, first.part[k].x, to.part[k].n);
    add_rows(to.part[k].x, rk->h, a, i, rates.part[k].x, to.part[k].n);
  }
  // [runge_kutta.k1], [runge_kutta.k3]
  retrace_stage(rk, m, d, i, r, K);
  const cr_real* r_i = row(r, i, cri_local_coordinates_width(m, rk->chart));
  cri_local_coordinates_move(m, rk->chart, first.qpos.x, r_i, to.qpos.x);
}

// The dynamics at stage i. An error at a stage that has diverged is reported as such.
static cr_status run_stage(const cri_rk* rk, const cr_model* m, cr_data* d, int i) {
  cr_status status = cri_dynamics(m, d);
  if (status == CR_ERR_SINGULAR || status == CR_ERR_SOLVER) {
    char what[64];
    (void)snprintf(what, sizeof what, "stage %d of a step of %s", i + 1,
                   cri_integrator_word(rk->t->integrator));
    CR_TRY(cri_coordinates_check(m, d, d->qpos, d->qvel, what));
  }
  return status;
}

// [runge_kutta.k4] all stages but the first, which is known
static cr_status run_stages(const cri_rk* rk, const cr_model* m, cr_data* d, cr_real* r,
                            cr_real* K) {
  cr_real time = d->time;
  cr_status status = CR_OK;
  retrace_stage(rk, m, d, 0, r, K);
  for (int i = 1; i < stages(rk) && status == CR_OK; i++) {
    make_stage(rk, m, d, i, r, K);
    set_state(m, d, d, i);
    set_time(rk, m, d, stage_time(rk, time, i));
    status = run_stage(rk, m, d, i);
    save_rates(m, d, i);
    if (rk->zones != NULL && status == CR_OK) {
      rk->zones[i] = cri_event_zones(m, d);
    }
  }
  set_state(m, d, d, 0);
  set_time(rk, m, d, time);
  return status;
}

// x+ = x0 + h times its final rate, of all quantities that are no coordinates
static void advance_flat(const cri_rk* rk, const cr_model* m, cr_data* d, cri_state rate) {
  const cri_state from = cri_state_of(m, d), to = cri_state_next(m, d);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    for (int i = 0; i < to.part[k].n && cri_state_rows[k].law == CRI_STATE_ADD; i++) {
      to.part[k].x[i] = from.part[k].x[i] + rk->h * rate.part[k].x[i];
    }
  }
  // [runge_kutta.k6]
  cri_activity x = {d->act, rate.act.x, d->actuator_length, d->rk_velocity};
  cri_activation_advance(cri_model_first(m, d), plain_step(rk), &x, to.act.x, d->act_side);
}

static void finish(const cri_rk* rk, const cr_model* m, cr_data* d, const cr_real* K) {
  size_t mark = cri_mark(d);
  cri_state sum = push_summands(rk, m, d, 1);
  final_increments(rk, m, d, K, sum);
  // [runge_kutta.k5] q+ = q0 (+) r+, v+ = v0 + h qacc
  cr_copy(d->qacc, sum.qvel.x, m->nv);
  advance_flat(rk, m, d, sum);
  cri_local_coordinates_move(m, rk->chart, d->qpos, sum.qpos.x, d->qpos_next);
  // the last stage is at the new state: to the last bit, so that the same rows are there
  if (rk->error && rk->t->last_is_first) {
    const cri_state last = cri_state_stage(m, d, rk->t->n - 1), next = cri_state_next(m, d);
    for (int k = 0; k < CRI_N_STATE; k++) {
      bool same = cri_state_rows[k].law != CRI_STATE_ACTIVATION;
      cr_copy(next.part[k].x, last.part[k].x, same ? next.part[k].n : 0);
    }
  }
  cri_pop(d, mark);
}

cr_status cr_runge_kutta(const cri_rk* rk, const cr_model* m, cr_data* d) {
  if (rk->t->n > d->nrk) {
    return cri_fail(&d->error, CR_ERR_ARG, "no room for the stages of %s: make the data block anew",
                    cri_integrator_word(rk->t->integrator));
  }
  size_t mark = cri_mark(d), n = (size_t)rk->t->n;
  size_t width = (size_t)cri_local_coordinates_width(m, rk->chart);
  cr_real* r = cri_push(d, n * width);
  cr_real* K = cri_push(d, n * width);
  cr_real* length = cri_push(d, (size_t)m->nout);
  cr_copy(length, d->actuator_length, m->nout);
  cr_status status = run_stages(rk, m, d, r, K);
  cr_copy(d->actuator_length, length, m->nout);
  d->done = 0;  // the computed fields are those of the last stage
  if (status == CR_OK) {
    finish(rk, m, d, K);
  }
  cri_pop(d, mark);
  return status;
}

cr_status cri_runge_kutta_end(const cri_rk* rk, const cr_model* m, cr_data* d) {
  cr_real time = d->time;
  cri_state_take_next(m, d);
  set_time(rk, m, d, time + rk->h);
  cr_status status = cri_dynamics(m, d);
  d->done = 0;
  set_state(m, d, d, 0);
  set_time(rk, m, d, time);
  return status;
}

const cr_real* cri_runge_kutta_latest(const cri_rk* rk, const cr_model* m, const cr_data* d) {
  return d->rk_qacc + (size_t)(stages(rk) - 1) * (size_t)m->nv;
}

// ---- the error

// the sum over n numbers of (h sum e x)^2 in units of the allowed error at y and y_next
static cr_real square_error(const cri_rk* rk, cr_data* d, const cr_real* x, const cr_real* y,
                            const cr_real* y_next, int n, cr_real rtol, cr_real atol) {
  size_t mark = cri_mark(d);
  cr_real *error = cri_push(d, (size_t)n), sum = 0;
  cr_zero(error, n);
  add_rows(error, rk->h, rk->t->error, rk->t->n, x, n);
  for (int i = 0; i < n; i++) {
    cr_real allowed = atol + rtol * cr_max(cr_abs(y[i]), cr_abs(y_next[i]));
    sum += (error[i] / allowed) * (error[i] / allowed);
  }
  cri_pop(d, mark);
  return sum;
}

cr_real cri_runge_kutta_error(const cri_rk* rk, const cr_model* m, cr_data* d, cr_real rtol,
                              cr_real atol) {
  const cri_state like = summands(rk, m, d), rates = cri_state_stage_rates(m, d);
  const cri_state from = cri_state_of(m, d), to = cri_state_next(m, d);
  size_t mark = cri_mark(d), n = (size_t)rk->t->n, w = (size_t)like.qpos.n;
  cr_real *r = cri_push(d, n * w), *K = cri_push(d, n * w), *r_next = cri_push(d, w);
  cr_real *before = cri_push(d, w), *after = cri_push(d, w);
  cr_zero(r_next, like.qpos.n);
  for (int i = 0; i < rk->t->n; i++) {
    retrace_stage(rk, m, d, i, r, K);
  }
  add_rows(r_next, rk->h, rk->t->b, rk->t->n, K, like.qpos.n);
  cri_local_coordinates_coordinates(m, rk->chart, d->qpos, r_next, before, after);
  cr_real sum = square_error(rk, d, K, before, after, like.qpos.n, rtol, atol);
  int all = like.qpos.n;
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    sum += square_error(rk, d, rates.part[k].x, from.part[k].x, to.part[k].x, like.part[k].n, rtol,
                        atol);
    all += like.part[k].n;
  }
  cri_pop(d, mark);
  return cr_sqrt(sum / cr_max(all, 1));
}

// ---- derivatives: stages are evaluated again in `work`

static cr_status evaluate(const cri_rk* rk, const cr_model* m, const cr_model* m_dynamics,
                          const cr_data* d, int i, cr_data* work, cr_error* error) {
  set_state(m, work, d, i);
  set_time(rk, m, work, stage_time(rk, d->time, i));
  work->stage = i;
  work->stage_method = rk->t;
  work->stage_step = rk->h;
  cr_status status = cri_dynamics(m_dynamics, work);
  if (status != CR_OK) {
    *error = work->error;
  }
  return status;
}

// r and K of all stages and, behind them, r+ and the final rates
typedef struct {
  cr_real *r, *K;
  cri_state sum;
} increments;

static increments retrace(const cri_rk* rk, const cr_model* m, const cr_data* d, cr_data* owner) {
  size_t n = (size_t)rk->t->n, width = (size_t)cri_local_coordinates_width(m, rk->chart);
  increments s = {.r = cri_push(owner, n * width),
                  .K = cri_push(owner, n * width),
                  .sum = push_summands(rk, m, owner, 1)};
  for (int i = 0; i < weighted_stages(rk); i++) {
    retrace_stage(rk, m, d, i, s.r, s.K);
  }
  final_increments(rk, m, d, s.K, s.sum);
  return s;
}

// memory of one derivative sweep, and the twin's own state while stages use it
typedef struct {
  cri_state stage, rate;  // rows of all stages; of coordinates the increments and their rates
  cri_state first;
  cr_real* velocity;  // of the actuators, in the first stage
} sweep;

static sweep sweep_begin(const cri_rk* rk, const cr_model* m, cr_data* twin) {
  const cri_state own = cri_state_twin(m, twin);
  sweep s = {.stage = push_summands(rk, m, twin, rk->t->n),
             .rate = push_summands(rk, m, twin, rk->t->n),
             .first = cri_state_at(own, 1, cri_push(twin, (size_t)cri_state_tangent_size(m))),
             .velocity = cri_push(twin, (size_t)m->nout)};
  cri_state_copy(s.first, own);
  return s;
}

static void sweep_end(const cr_model* m, cr_data* twin, const sweep* s) {
  cri_state_copy(cri_state_twin(m, twin), s->first);
}

// ---- jvp

// tangents of stage i, its state in tan, its increments in the rows of s
static void stage_jvp(const cri_rk* rk, const cr_model* m, const cr_data* d, const increments* x,
                      int i, cr_data* tan, sweep* s) {
  const cr_real* a = rk->t->a + i * rk->t->n;
  const cri_state to = cri_state_twin(m, tan);
  int width = s->rate.qpos.n;
  cr_real *r_tan = row(s->stage.qpos.x, i, width), *r = row(x->r, i, width);
  // [runge_kutta.k1]
  cr_zero(r_tan, width);
  add_rows(r_tan, rk->h, a, i, s->rate.qpos.x, width);
  cri_local_coordinates_move_jvp(m, rk->chart, r, s->first.qpos.x, r_tan, to.qpos.x);
  // [runge_kutta.k2]
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(to.part[k].x, s->first.part[k].x, to.part[k].n);
    add_rows(to.part[k].x, rk->h, a, i, s->rate.part[k].x, to.part[k].n);
  }
  // [runge_kutta.k3]
  cri_local_coordinates_rate_jvp(m, rk->chart, r, row(d->rk_qvel, i, m->nv), r_tan, to.qvel.x,
                                 row(s->rate.qpos.x, i, width));
}

static void finish_jvp(const cri_rk* rk, const cr_model* m, const cr_data* d, const increments* x,
                       cr_data* tan, const sweep* s) {
  size_t mark = cri_mark(tan);
  const cri_state to = cri_state_twin_next(m, tan), sum = push_summands(rk, m, tan, 1);
  cri_state_zero(sum);
  // [runge_kutta.k5]
  add_rows(sum.qpos.x, rk->h, rk->t->b, rk->t->n, s->rate.qpos.x, sum.qpos.n);
  cri_local_coordinates_move_jvp(m, rk->chart, x->sum.qpos.x, s->first.qpos.x, sum.qpos.x,
                                 to.qpos.x);
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    if (cri_state_rows[k].law == CRI_STATE_ADD) {
      cr_copy(to.part[k].x, s->first.part[k].x, to.part[k].n);
      add_rows(to.part[k].x, rk->h, rk->t->b, rk->t->n, s->rate.part[k].x, to.part[k].n);
    }
  }
  // [runge_kutta.k6]
  add_rows(sum.act.x, 1, rk->t->b, rk->t->n, s->rate.act.x, sum.act.n);
  cri_activity w = {d->act, x->sum.act.x, d->actuator_length, d->rk_velocity};
  cri_activity w_tan = {s->first.act.x, sum.act.x, NULL, s->velocity};
  const cr_model* at = cri_twin_open(m, d, tan, true);
  cri_activation_advance_jvp(at, plain_step(rk), &w, tan, &w_tan, to.act.x);
  cri_twin_close(tan);
  cri_pop(tan, mark);
}

cr_status cri_runge_kutta_jvp_with(const cri_rk* rk, const cr_model* m, const cr_data* d,
                                   cr_data* tan, cri_stage_tangent* stage, void* context) {
  size_t mark = cri_mark(tan);
  cr_status status = CR_OK;
  const cri_state rates = cri_state_rate(m, tan);
  increments x = retrace(rk, m, d, tan);
  sweep s = sweep_begin(rk, m, tan);
  for (int i = 0; i < weighted_stages(rk) && status == CR_OK; i++) {
    stage_jvp(rk, m, d, &x, i, tan, &s);
    // [runge_kutta.k4]
    status = stage(context, i, tan);
    for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
      cr_copy(row(s.rate.part[k].x, i, rates.part[k].n), rates.part[k].x, rates.part[k].n);
    }
    if (i == 0) {
      cr_copy(s.velocity, tan->actuator_velocity, m->nout);
      cri_effective_begin(tan);
    }
  }
  finish_jvp(rk, m, d, &x, tan, &s);
  sweep_end(m, tan, &s);
  cri_pop(tan, mark);
  return status;
}

int cri_runge_kutta_stages(const cri_rk* rk) { return weighted_stages(rk); }

cr_status cri_runge_kutta_stage(const cri_rk* rk, const cr_model* m, const cr_data* d, int i,
                                cr_data* work, cr_error* error) {
  cri_inputs_copy(m, work, d);
  return evaluate(rk, m, m, d, i, work, error);
}

typedef struct {
  const cri_rk* rk;
  const cr_model* m;
  const cr_data* d;
  cr_data* work;
} stage_context;

static cr_status stage_again(void* context, int i, cr_data* tan) {
  const stage_context* c = context;
  CR_TRY(evaluate(c->rk, c->m, c->m, c->d, i, c->work, &tan->error));
  return cri_forward_jvp(c->m, c->work, tan);
}

cr_status cr_runge_kutta_jvp(const cri_rk* rk, const cr_model* m, const cr_data* d, cr_data* work,
                             cr_data* tan) {
  stage_context context = {rk, m, d, work};
  cri_inputs_copy(m, work, d);
  cr_status status = cri_runge_kutta_jvp_with(rk, m, d, tan, stage_again, &context);
  work->stage = 0;
  return status;
}

// ---- vjp

static void accumulate(cri_state_part to, cri_state_part from) {
  for (int i = 0; i < to.n; i++) {
    to.x[i] += from.x[i];
  }
}

// [runge_kutta.k6]', [runge_kutta.k5]': the cotangents of the sums over b, which then belong to every stage: those of
// h times the sums, except for activations, which have those of the sums themselves
static cri_state finish_vjp(const cri_rk* rk, const cr_model* m, const cr_data* d,
                            const increments* x, cr_data* bar, sweep* s) {
  const cri_state next = cri_state_twin_next(m, bar);
  cri_state sum = push_summands(rk, m, bar, 1);
  cri_state_zero(sum);
  // [runge_kutta.k6]'
  cri_activity w = {d->act, x->sum.act.x, d->actuator_length, d->rk_velocity};
  cri_activity w_bar = {s->first.act.x, sum.act.x, NULL, s->velocity};
  cr_zero(s->velocity, m->nout);
  const cr_model* at = cri_twin_open(m, d, bar, true);
  cri_activation_advance_vjp(at, plain_step(rk), &w, next.act.x, &w_bar, bar);
  cri_twin_close(bar);
  // [runge_kutta.k5]' v0_bar += v+_bar; q0_bar and r+_bar from q+_bar
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    if (cri_state_rows[k].law == CRI_STATE_ADD) {
      sum.part[k].x = next.part[k].x;
      accumulate(s->first.part[k], next.part[k]);
    }
  }
  cri_local_coordinates_move_vjp(m, rk->chart, x->sum.qpos.x, next.qpos.x, s->first.qpos.x,
                                 sum.qpos.x);
  return sum;
}

// seeds of stage i: x_bar = h (b_i final_bar + sum over later stages k of a_ki row_k)
static void seed(const cri_rk* rk, int i, cr_real h_final, cr_real h, const cr_real* final,
                 const cr_real* rows, int n, cr_real* x_bar) {
  for (int j = 0; j < n; j++) {
    x_bar[j] = h_final * rk->t->b[i] * final[j];
  }
  for (int k = i + 1; k < weighted_stages(rk); k++) {
    cr_real a = rk->t->a[k * rk->t->n + i];
    for (int j = 0; a != 0 && j < n; j++) {
      x_bar[j] += h * a * rows[(size_t)k * (size_t)n + (size_t)j];
    }
  }
}

// from the cotangents of the state of stage i, in bar, to those of the initial state and of r_i
static void stage_vjp(const cri_rk* rk, const cr_model* m, const cr_data* d, const increments* x,
                      int i, cr_data* bar, sweep* s) {
  const cri_state from = cri_state_twin(m, bar);
  int width = s->rate.qpos.n;
  cr_real *r = row(x->r, i, width), *r_bar = row(s->stage.qpos.x, i, width);
  cr_zero(r_bar, width);
  // [runge_kutta.k3]'
  cri_local_coordinates_rate_vjp(m, rk->chart, r, row(d->rk_qvel, i, m->nv),
                                 row(s->rate.qpos.x, i, width), r_bar, from.qvel.x);
  // [runge_kutta.k2]'
  for (int k = CRI_STATE_FLAT; k < CRI_N_STATE; k++) {
    cr_copy(row(s->stage.part[k].x, i, from.part[k].n), from.part[k].x, from.part[k].n);
    accumulate(s->first.part[k], from.part[k]);
  }
  // [runge_kutta.k1]'
  cri_local_coordinates_move_vjp(m, rk->chart, r, from.qpos.x, s->first.qpos.x, r_bar);
}

// [runge_kutta.k4]' seeds of stage i: of the rate of r, F and G
static void seed_stage(const cri_rk* rk, const cr_model* m, int i, cri_state final, const sweep* s,
                       cr_data* bar) {
  const cri_state rates = cri_state_rate(m, bar);
  for (int k = 0; k < CRI_N_STATE; k++) {
    int n = final.part[k].n;
    cr_real* to = k < CRI_STATE_FLAT ? row(s->rate.part[k].x, i, n) : rates.part[k].x;
    cr_real h_final = cri_state_rows[k].law == CRI_STATE_ACTIVATION ? 1 : rk->h;
    seed(rk, i, h_final, rk->h, final.part[k].x, s->stage.part[k].x, n, to);
  }
}

cr_status cr_runge_kutta_vjp(const cri_rk* rk, const cr_model* m, const cr_model* m_backward,
                             const cr_data* d, cr_data* work, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_status status = CR_OK;
  increments x = retrace(rk, m, d, bar);
  sweep s = sweep_begin(rk, m, bar);
  const cri_state final = finish_vjp(rk, m, d, &x, bar, &s);
  cri_inputs_copy(m, work, d);
  for (int i = weighted_stages(rk) - 1; i >= 0 && status == CR_OK; i--) {
    seed_stage(rk, m, i, final, &s, bar);
    cri_state_zero(cri_state_twin(m, bar));
    if (i == 0) {
      cr_copy(bar->actuator_velocity, s.velocity, m->nout);
      cri_effective_return(bar);
    }
    status = evaluate(rk, m, m_backward, d, i, work, &bar->error);
    if (status == CR_OK) {
      status = cri_forward_vjp(m_backward, work, bar);
    }
    if (rk->ramp != NULL) {
      cri_ramp_vjp(rk->ramp, work->time, m->nu, bar->ctrl);
    }
    stage_vjp(rk, m, d, &x, i, bar, &s);
  }
  if (status != CR_OK) {
    cri_effective_clear(bar->effective);
  }
  work->stage = 0;
  sweep_end(m, bar, &s);
  cri_pop(bar, mark);
  return status;
}
