// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta on the configuration manifold, the method a table of numbers. Stage i
// lives in r_i, the rotation vectors (and plain differences) from q0 to q_i; their rates K_i are
// what is averaged, so orientations keep the order of the method. Sweeps backwards over the stages
// give the derivative of the discrete map itself.
#include "integrate/runge_kutta.h"

#include <stdio.h>

#include "dynamics/activation.h"
#include "engine/forward.h"
#include "integrate/event.h"
#include "integrate/inputs.h"
#include "model/model_options.h"

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

// stages that the new state depends on
static int weighted_stages(const cri_rk* rk) { return rk->t->n - (rk->t->last_is_first ? 1 : 0); }

static int stages(const cri_rk* rk) { return rk->error ? rk->t->n : weighted_stages(rk); }

// the length of a step that takes the rates of activations as they are, see dynamics/activation.h
static cr_real plain_step(const cri_rk* rk) { return rk->t->mujoco ? 0 : rk->h; }

// [k1], [k3] r_i and K_i of stage i, from the velocities saved and the K before it
static void retrace_stage(const cri_rk* rk, const cr_model* m, const cr_data* d, int i, cr_real* r,
                          cr_real* K) {
  int n = cri_chart_width(m, rk->chart);
  cr_zero(row(r, i, n), n);
  add_rows(row(r, i, n), rk->h, rk->t->a + i * rk->t->n, i, K, n);
  cri_chart_rate(m, rk->chart, row(r, i, n), row(d->rk_qvel, i, m->nv), row(K, i, n));
}

// [k5], [k6] r+ = h sum b K and the rate of the activations sum b G
static void final_increments(const cri_rk* rk, const cr_model* m, const cr_data* d,
                             const cr_real* K, cr_real* r, cr_real* rate) {
  int n = cri_chart_width(m, rk->chart);
  cr_zero(r, n);
  cr_zero(rate, m->na);
  add_rows(r, rk->h, rk->t->b, rk->t->n, K, n);
  add_rows(rate, 1, rk->t->b, rk->t->n, d->rk_act_dot, m->na);
}

static void set_state(const cr_model* m, cr_data* d, const cr_data* saved, int i) {
  cr_copy(d->qpos, row(saved->rk_qpos, i, m->nq), m->nq);
  cr_copy(d->qvel, row(saved->rk_qvel, i, m->nv), m->nv);
  cr_copy(d->act, row(saved->rk_act, i, m->na), m->na);
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
  cr_copy(row(d->rk_qacc, i, m->nv), d->qacc, m->nv);
  cr_copy(row(d->rk_act_dot, i, m->na), d->act_dot, m->na);
}

void cri_runge_kutta_begin(const cr_model* m, cr_data* d) {
  cr_copy(d->rk_qpos, d->qpos, m->nq);
  cr_copy(d->rk_qvel, d->qvel, m->nv);
  cr_copy(d->rk_act, d->act, m->na);
  cr_copy(d->rk_velocity, d->actuator_velocity, m->nout);
  save_rates(m, d, 0);
}

// the state of stage i from the rates of those before it
static void make_stage(const cri_rk* rk, const cr_model* m, cr_data* d, int i, cr_real* r,
                       cr_real* K) {
  const cr_real* a = rk->t->a + i * rk->t->n;
  // [k2] v_i = v0 + h sum a F, w_i = w0 + h sum a G
  cr_copy(row(d->rk_qvel, i, m->nv), d->rk_qvel, m->nv);
  cr_copy(row(d->rk_act, i, m->na), d->rk_act, m->na);
  add_rows(row(d->rk_qvel, i, m->nv), rk->h, a, i, d->rk_qacc, m->nv);
  add_rows(row(d->rk_act, i, m->na), rk->h, a, i, d->rk_act_dot, m->na);
  // [k1], [k3]
  retrace_stage(rk, m, d, i, r, K);
  const cr_real* r_i = row(r, i, cri_chart_width(m, rk->chart));
  cri_chart_move(m, rk->chart, d->rk_qpos, r_i, row(d->rk_qpos, i, m->nq));
}

// The dynamics at stage i. What fails there because the stage has run away is said to have done so.
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

// [k4] all stages but the first, which is known
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

static void finish(const cri_rk* rk, const cr_model* m, cr_data* d, const cr_real* K) {
  size_t mark = cri_mark(d);
  cr_real* r = cri_push(d, (size_t)cri_chart_width(m, rk->chart));
  cr_real* rate = cri_push(d, (size_t)m->na);
  final_increments(rk, m, d, K, r, rate);
  // [k5] q+ = q0 (+) r+, v+ = v0 + h qacc
  cr_zero(d->qacc, m->nv);
  add_rows(d->qacc, 1, rk->t->b, rk->t->n, d->rk_qacc, m->nv);
  for (int i = 0; i < m->nv; i++) {
    d->qvel_next[i] = d->qvel[i] + rk->h * d->qacc[i];
  }
  cri_chart_move(m, rk->chart, d->qpos, r, d->qpos_next);
  // the last stage is at the new state: to the last bit, so that the same rows are there
  if (rk->error && rk->t->last_is_first) {
    cr_copy(d->qpos_next, row(d->rk_qpos, rk->t->n - 1, m->nq), m->nq);
    cr_copy(d->qvel_next, row(d->rk_qvel, rk->t->n - 1, m->nv), m->nv);
  }
  // [k6]
  cri_activity x = {d->act, rate, d->actuator_length, d->rk_velocity};
  cri_activation_advance(m, plain_step(rk), &x, d->act_next);
  cri_pop(d, mark);
}

cr_status cr_runge_kutta(const cri_rk* rk, const cr_model* m, cr_data* d) {
  if (rk->t->n > d->nrk) {
    return cri_fail(&d->error, CR_ERR_ARG, "no room for the stages of %s: make the data block anew",
                    cri_integrator_word(rk->t->integrator));
  }
  size_t mark = cri_mark(d), n = (size_t)rk->t->n;
  size_t width = (size_t)cri_chart_width(m, rk->chart);
  cr_real* r = cri_push(d, n * width);
  cr_real* K = cri_push(d, n * width);
  cr_real* length = cri_push(d, (size_t)m->nout);
  cr_copy(length, d->actuator_length, m->nout);
  cr_status status = run_stages(rk, m, d, r, K);
  cr_copy(d->actuator_length, length, m->nout);
  d->done = 0;  // what was computed is of the last stage
  if (status == CR_OK) {
    finish(rk, m, d, K);
  }
  cri_pop(d, mark);
  return status;
}

cr_status cri_runge_kutta_end(const cri_rk* rk, const cr_model* m, cr_data* d) {
  cr_real time = d->time;
  cr_copy(d->qpos, d->qpos_next, m->nq);
  cr_copy(d->qvel, d->qvel_next, m->nv);
  cr_copy(d->act, d->act_next, m->na);
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

// the sum over n numbers of (h sum e x)^2 in units of what is allowed at y and y_next
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
  int nv = m->nv, na = m->na, width = cri_chart_width(m, rk->chart);
  size_t mark = cri_mark(d), n = (size_t)rk->t->n, w = (size_t)width;
  cr_real *r = cri_push(d, n * w), *K = cri_push(d, n * w), *r_next = cri_push(d, w);
  cr_real *before = cri_push(d, w), *after = cri_push(d, w);
  cr_zero(r_next, width);
  for (int i = 0; i < rk->t->n; i++) {
    retrace_stage(rk, m, d, i, r, K);
  }
  add_rows(r_next, rk->h, rk->t->b, rk->t->n, K, width);
  cri_chart_coordinates(m, rk->chart, d->qpos, r_next, before, after);
  cr_real sum = square_error(rk, d, K, before, after, width, rtol, atol);
  sum += square_error(rk, d, d->rk_qacc, d->qvel, d->qvel_next, nv, rtol, atol);
  sum += square_error(rk, d, d->rk_act_dot, d->act, d->act_next, na, rtol, atol);
  cri_pop(d, mark);
  return cr_sqrt(sum / cr_max(width + nv + na, 1));
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

// r and K of all stages and, behind them, r+; and the final rate of the activations
typedef struct {
  cr_real *r, *K, *r_next, *rate;
} increments;

static increments retrace(const cri_rk* rk, const cr_model* m, const cr_data* d, cr_data* owner) {
  size_t n = (size_t)rk->t->n, width = (size_t)cri_chart_width(m, rk->chart);
  increments s = {.r = cri_push(owner, n * width),
                  .K = cri_push(owner, n * width),
                  .r_next = cri_push(owner, width),
                  .rate = cri_push(owner, (size_t)m->na)};
  for (int i = 0; i < weighted_stages(rk); i++) {
    retrace_stage(rk, m, d, i, s.r, s.K);
  }
  final_increments(rk, m, d, s.K, s.r_next, s.rate);
  return s;
}

// what one derivative sweep keeps for every stage, and the twin's own state while stages use it
typedef struct {
  cr_real *r, *K, *F, *v, *act, *G;  // n rows each
  cr_real *qpos0, *qvel0, *act0;
  cr_real* velocity;  // of the actuators, in the first stage
} sweep;

static sweep sweep_begin(const cri_rk* rk, const cr_model* m, cr_data* twin) {
  size_t n = (size_t)rk->t->n, nv = (size_t)m->nv, na = (size_t)m->na;
  size_t width = (size_t)cri_chart_width(m, rk->chart);
  sweep s = {.r = cri_push(twin, n * width),
             .K = cri_push(twin, n * width),
             .F = cri_push(twin, n * nv),
             .v = cri_push(twin, n * nv),
             .act = cri_push(twin, n * na),
             .G = cri_push(twin, n * na),
             .qpos0 = cri_push(twin, nv),
             .qvel0 = cri_push(twin, nv),
             .act0 = cri_push(twin, na),
             .velocity = cri_push(twin, (size_t)m->nout)};
  cr_copy(s.qpos0, twin->qpos, m->nv);
  cr_copy(s.qvel0, twin->qvel, m->nv);
  cr_copy(s.act0, twin->act, m->na);
  return s;
}

static void sweep_end(const cr_model* m, cr_data* twin, const sweep* s) {
  cr_copy(twin->qpos, s->qpos0, m->nv);
  cr_copy(twin->qvel, s->qvel0, m->nv);
  cr_copy(twin->act, s->act0, m->na);
}

// ---- jvp

// tangents of stage i, its state in tan, its increments in the rows of s
static void stage_jvp(const cri_rk* rk, const cr_model* m, const cr_data* d, const increments* x,
                      int i, cr_data* tan, sweep* s) {
  const cr_real* a = rk->t->a + i * rk->t->n;
  int nv = m->nv, na = m->na, width = cri_chart_width(m, rk->chart);
  cr_real *r_tan = row(s->r, i, width), *r = row(x->r, i, width);
  // [k1]
  cr_zero(r_tan, width);
  add_rows(r_tan, rk->h, a, i, s->K, width);
  cri_chart_move_jvp(m, rk->chart, r, s->qpos0, r_tan, tan->qpos);
  // [k2]
  cr_copy(tan->qvel, s->qvel0, nv);
  cr_copy(tan->act, s->act0, na);
  add_rows(tan->qvel, rk->h, a, i, s->F, nv);
  add_rows(tan->act, rk->h, a, i, s->G, na);
  // [k3]
  cri_chart_rate_jvp(m, rk->chart, r, row(d->rk_qvel, i, nv), r_tan, tan->qvel,
                     row(s->K, i, width));
}

static void finish_jvp(const cri_rk* rk, const cr_model* m, const cr_data* d, const increments* x,
                       cr_data* tan, const sweep* s) {
  size_t mark = cri_mark(tan);
  int width = cri_chart_width(m, rk->chart);
  cr_real* r_tan = cri_push(tan, (size_t)width);
  cr_real* rate_tan = cri_push(tan, (size_t)m->na);
  cr_zero(r_tan, width);
  cr_zero(rate_tan, m->na);
  // [k5]
  add_rows(r_tan, rk->h, rk->t->b, rk->t->n, s->K, width);
  cri_chart_move_jvp(m, rk->chart, x->r_next, s->qpos0, r_tan, tan->qpos_next);
  cr_copy(tan->qvel_next, s->qvel0, m->nv);
  add_rows(tan->qvel_next, rk->h, rk->t->b, rk->t->n, s->F, m->nv);
  // [k6]
  add_rows(rate_tan, 1, rk->t->b, rk->t->n, s->G, m->na);
  cri_activity w = {d->act, x->rate, d->actuator_length, d->rk_velocity};
  cri_activity w_tan = {s->act0, rate_tan, NULL, s->velocity};
  cri_activation_advance_jvp(m, plain_step(rk), &w, tan, &w_tan, tan->act_next);
  cri_pop(tan, mark);
}

cr_status cri_runge_kutta_jvp_with(const cri_rk* rk, const cr_model* m, const cr_data* d,
                                   cr_data* tan, cri_stage_tangent* stage, void* context) {
  size_t mark = cri_mark(tan);
  cr_status status = CR_OK;
  increments x = retrace(rk, m, d, tan);
  sweep s = sweep_begin(rk, m, tan);
  for (int i = 0; i < weighted_stages(rk) && status == CR_OK; i++) {
    stage_jvp(rk, m, d, &x, i, tan, &s);
    // [k4]
    status = stage(context, i, tan);
    cr_copy(row(s.F, i, m->nv), tan->qacc, m->nv);
    cr_copy(row(s.G, i, m->na), tan->act_dot, m->na);
    if (i == 0) {
      cr_copy(s.velocity, tan->actuator_velocity, m->nout);
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

// [k6]', [k5]': the cotangents of the sums over b, which then belong to every stage
typedef struct {
  cr_real *r, *rate;
} final_bar;

static final_bar finish_vjp(const cri_rk* rk, const cr_model* m, const cr_data* d,
                            const increments* x, cr_data* bar, sweep* s) {
  int width = cri_chart_width(m, rk->chart);
  final_bar f = {.r = cri_push(bar, (size_t)width), .rate = cri_push(bar, (size_t)m->na)};
  cr_zero(f.r, width);
  cr_zero(f.rate, m->na);
  // [k6]'
  cri_activity w = {d->act, x->rate, d->actuator_length, d->rk_velocity};
  cri_activity w_bar = {s->act0, f.rate, NULL, s->velocity};
  cr_zero(s->velocity, m->nout);
  cri_activation_advance_vjp(m, plain_step(rk), &w, bar->act_next, &w_bar, bar);
  // [k5]' v0_bar += v+_bar; q0_bar and r+_bar from q+_bar
  for (int i = 0; i < m->nv; i++) {
    s->qvel0[i] += bar->qvel_next[i];
  }
  cri_chart_move_vjp(m, rk->chart, x->r_next, bar->qpos_next, s->qpos0, f.r);
  return f;
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
  int nv = m->nv, na = m->na, width = cri_chart_width(m, rk->chart);
  cr_real *r = row(x->r, i, width), *r_bar = row(s->r, i, width);
  cr_zero(r_bar, width);
  // [k3]'
  cri_chart_rate_vjp(m, rk->chart, r, row(d->rk_qvel, i, nv), row(s->K, i, width), r_bar,
                     bar->qvel);
  // [k2]'
  cr_copy(row(s->v, i, nv), bar->qvel, nv);
  cr_copy(row(s->act, i, na), bar->act, na);
  for (int j = 0; j < nv; j++) {
    s->qvel0[j] += bar->qvel[j];
  }
  for (int j = 0; j < na; j++) {
    s->act0[j] += bar->act[j];
  }
  // [k1]'
  cri_chart_move_vjp(m, rk->chart, r, bar->qpos, s->qpos0, r_bar);
}

cr_status cr_runge_kutta_vjp(const cri_rk* rk, const cr_model* m, const cr_model* m_backward,
                             const cr_data* d, cr_data* work, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_status status = CR_OK;
  int width = cri_chart_width(m, rk->chart);
  cr_real h = rk->h;
  increments x = retrace(rk, m, d, bar);
  sweep s = sweep_begin(rk, m, bar);
  final_bar f = finish_vjp(rk, m, d, &x, bar, &s);
  cri_inputs_copy(m, work, d);
  for (int i = weighted_stages(rk) - 1; i >= 0 && status == CR_OK; i--) {
    seed(rk, i, h, h, f.r, s.r, width, row(s.K, i, width));
    // [k4]' F_bar and G_bar through the dynamics
    seed(rk, i, h, h, bar->qvel_next, s.v, m->nv, bar->qacc);
    seed(rk, i, 1, h, f.rate, s.act, m->na, bar->act_dot);
    cr_zero(bar->qpos, m->nv);
    cr_zero(bar->qvel, m->nv);
    cr_zero(bar->act, m->na);
    if (i == 0) {
      cr_copy(bar->actuator_velocity, s.velocity, m->nout);
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
  work->stage = 0;
  sweep_end(m, bar, &s);
  cri_pop(bar, mark);
  return status;
}
