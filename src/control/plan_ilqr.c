// SPDX-License-Identifier: Apache-2.0
// The iterative linear-quadratic regulator: Jacobians of the steps along the plan, a backward pass, new controls
//   [plan.i5] u_k = clip(u_k + a k_k + K_k (x_k (-) x_k of the plan)), a = 1, then shorter ones until the cost falls enough
// and a regularisation that grows where the model was wrong.
#include <stdlib.h>

#include "carom/step_jacobian.h"
#include "control/backward_pass.h"
#include "control/planner.h"
#include "integrate/inputs.h"
#include "kinematics/state_minus.h"

// Candidates: the plan itself, with the controls behind the end of a shifted one held (-1) or 0 (-2); then lengths of a
// step. AT_ONCE: of the shorter lengths, for any number of threads, so that the digits do not depend on it.
enum { NONE = -3, PLAN_FREE = -2, PLAN = -1, N_LENGTH = 9, AT_ONCE = 2, MOST_TRIES = 24 };
static const cr_real lengths[N_LENGTH] = {1,           CR_R(0.5),    CR_R(0.25),
                                          CR_R(0.125), CR_R(0.0625), CR_R(0.03125),
                                          CR_R(0.015), CR_R(0.006),  CR_R(0.003)};

// a motion: nstep + 1 states with what else a step begins with, nstep controls
typedef struct {
  cr_real *state, *warm, *time, *ctrl;
  cr_real cost;
  int item;  // the candidate, or NONE
} motion;

typedef struct {
  cr_planner* p;
  cr_jacobian* jacobian;
  cr_capacity room;    // of the data it was made for
  motion best;         // of the round
  int last;            // the candidate that runs, or ran last
  cr_real *dx, *held;  // of its control
} ilqr_worker;

typedef struct {
  int nx, nz, nstate;
  motion now;  // the plan's
  bool simulated, gains;
  bool derived;  // A, B, gz, Hz belong to it
  cri_backward pass;
  cr_real *A, *B, *gz, *Hz, *work, *memory;
  ilqr_worker* workers;
  int first;                  // candidate of item 0 of this round
  int left;                   // steps of the plan that shifts have left
  const cr_rollout* made_in;  // ran the plan last, and has steps as they were made; NULL: none
} ilqr;

static cr_real* take(cr_real** at, size_t n) {
  cr_real* from = *at;
  *at += n;
  return from;
}

// ---- memory

static size_t motion_size(const cr_planner* p, size_t nstate) {
  size_t n = (size_t)p->o.nstep;
  return (n + 1) * (nstate + (size_t)p->m->nv + 1) + n * (size_t)p->m->nu;
}

static void share_motion(motion* x, const cr_planner* p, size_t nstate, cr_real** at) {
  size_t n = (size_t)p->o.nstep;
  x->state = take(at, (n + 1) * nstate);
  x->warm = take(at, (n + 1) * (size_t)p->m->nv);
  x->time = take(at, n + 1);
  x->ctrl = take(at, n * (size_t)p->m->nu);
}

static cr_status make_jacobian(cr_planner* p, int worker, const cr_data* d, cr_error* error) {
  ilqr* w = p->memory;
  ilqr_worker* x = &w->workers[worker];
  const cr_capacity room = {d->ncon_max, d->nefc_max, d->nJ_max};
  if (x->jacobian != NULL && memcmp(&room, &x->room, sizeof room) == 0) {
    return CR_OK;
  }
  cr_jacobian_destroy(x->jacobian);
  x->jacobian = NULL;
  x->room = room;
  return cr_jacobian_create(&x->jacobian, p->backward, d, error);
}

static cr_status create(cr_planner* p, cr_error* error) {
  if (p->o.shape > CR_CONTROLS_ZERO) {
    return cri_fail(error, CR_ERR_ARG,
                    "plan: ilqr has controls of each step, or held ones; not linear or cubic");
  }
  ilqr* w = calloc(1, sizeof *w);
  p->memory = w;
  if (w == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory");
  }
  w->nx = cri_state_tangent_size(p->m);
  w->nz = w->nx + p->m->nu;
  w->nstate = cri_state_size(p->m);
  size_t n = (size_t)p->o.nstep, nx = (size_t)w->nx, nu = (size_t)p->m->nu, nz = (size_t)w->nz;
  size_t workers = (size_t)p->nworker, one = motion_size(p, (size_t)w->nstate);
  size_t all = (workers + 1) * one + workers * (nx + nu) + cri_backward_room(w->nx, p->m->nu) +
               n * (nx * nx + nx * nu + nz + nz * nz + nu + nu * nx);
  cr_real* at = w->memory = calloc(all + 1, sizeof *at);
  w->workers = calloc(workers, sizeof *w->workers);
  if (at == NULL || w->workers == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for Jacobians of %d steps", p->o.nstep);
  }
  share_motion(&w->now, p, (size_t)w->nstate, &at);
  for (int i = 0; i < p->nworker; i++) {
    ilqr_worker* x = &w->workers[i];
    x->p = p;
    share_motion(&x->best, p, (size_t)w->nstate, &at);
    x->dx = take(&at, nx);
    x->held = take(&at, nu);
    CR_TRY(make_jacobian(p, i, p->workers[i].rollout->d, error));
  }
  w->A = take(&at, n * nx * nx);
  w->B = take(&at, n * nx * nu);
  w->gz = take(&at, n * nz);
  w->Hz = take(&at, n * nz * nz);
  w->work = take(&at, cri_backward_room(w->nx, p->m->nu));
  w->pass = (cri_backward){.nstep = p->o.nstep,
                           .nx = w->nx,
                           .nu = p->m->nu,
                           .A = w->A,
                           .B = w->B,
                           .gz = w->gz,
                           .Hz = w->Hz,
                           .limits = &p->controls,
                           .u = w->now.ctrl,
                           .k = take(&at, n * nu),
                           .K = take(&at, n * nu * nx)};
  return CR_OK;
}

static void destroy(cr_planner* p) {
  ilqr* w = p->memory;
  for (int i = 0; w->workers != NULL && i < p->nworker; i++) {
    cr_jacobian_destroy(w->workers[i].jacobian);
  }
  free(w->workers);
  free(w->memory);
  free(w);
}

static void restart(cr_planner* p) {
  ilqr* w = p->memory;
  w->simulated = w->gains = w->derived = false;
  w->left = p->o.nstep;
  w->made_in = NULL;
  cr_zero(w->pass.k, p->o.nstep * p->m->nu);
  cr_zero(w->pass.K, p->o.nstep * p->m->nu * w->nx);
}

// rows first + steps ... move to first ...; behind them the last one stays
static void move_rows(cr_real* rows, int n, int width, int steps) {
  for (int k = 0; k < n; k++) {
    int from = k + steps < n ? k + steps : n - 1;
    if (from != k) {
      cr_copy(rows + (ptrdiff_t)k * width, rows + (ptrdiff_t)from * width, width);
    }
  }
}

// gains and the states that they refer to go with the controls; behind the end of the old plan there is no feedback
static void shift(cr_planner* p, int steps) {
  ilqr* w = p->memory;
  int n = p->o.nstep, nu = p->m->nu, K = nu * w->nx;
  w->derived = false;
  if (!w->gains || p->controls.shape != CR_CONTROLS_STEP) {
    restart(p);
    return;
  }
  move_rows(w->now.state, n + 1, w->nstate, steps);
  move_rows(w->pass.K, n, K, steps);
  w->left = w->left > steps ? w->left - steps : 0;
  cr_zero(w->pass.K + (ptrdiff_t)w->left * K, (n - w->left) * K);
}

// ---- motions

static cri_state state_of(const cr_planner* p, const motion* x, int k) {
  const ilqr* w = p->memory;
  return cri_state_at(cri_state_sizes(p->m), 1, x->state + (ptrdiff_t)k * w->nstate);
}

// the candidate's control, before every step
static cr_status control(void* context, const cr_model* m, const cr_data* d, int step,
                         cr_real* ctrl) {
  const ilqr_worker* x = context;
  const cr_planner* p = x->p;
  const ilqr* w = p->memory;
  const cri_controls* c = &p->controls;
  if (step > 0 && c->knot[4 * (ptrdiff_t)step] == c->knot[4 * (ptrdiff_t)(step - 1)]) {
    cr_copy(ctrl, x->held, m->nu);
    return CR_OK;
  }
  const cr_real* k = w->pass.k + (ptrdiff_t)step * m->nu;
  const cr_real *u = w->now.ctrl + (ptrdiff_t)step * m->nu,
                *K = w->pass.K + (ptrdiff_t)step * m->nu * w->nx;
  if (w->gains) {
    cri_state_minus(m, cri_state_of(m, d), state_of(p, &w->now, step), x->dx);
  }
  const cr_real length = x->last < 0 ? 0 : lengths[x->last];
  const bool is_free = x->last == PLAN_FREE && step >= w->left;
  for (int i = 0; i < m->nu; i++) {
    cr_real sum = is_free ? 0 : u[i] + length * k[i];
    for (int j = 0; j < w->nx && w->gains; j++) {
      sum += K[(ptrdiff_t)i * w->nx + j] * x->dx[j];
    }
    ctrl[i] = cr_clip(sum, c->lower[i], c->upper[i]);  // [plan.i5]
  }
  cr_copy(x->held, ctrl, m->nu);
  return CR_OK;
}

static void keep_motion(cr_planner* p, int worker, cr_real cost, int item, motion* to) {
  const ilqr* w = p->memory;
  const cr_rollout* r = p->workers[worker].rollout;
  for (int k = 0; k <= p->o.nstep; k++) {
    const cri_kept at = cri_rollout_kept(r, p->m, k);
    cri_state_copy(cri_state_at(cri_state_sizes(p->m), 1, to->state + (ptrdiff_t)k * w->nstate),
                   at.state);
    cr_copy(to->warm + (ptrdiff_t)k * p->m->nv, at.warmstart, p->m->nv);
    to->time[k] = *at.time;
  }
  cr_copy(to->ctrl, r->ctrl, p->o.nstep * p->m->nu);
  to->cost = cost;
  to->item = item;
}

static cr_status candidate(void* context, int item, int worker) {
  cr_planner* p = context;
  ilqr* w = p->memory;
  ilqr_worker* x = &w->workers[worker];
  cr_rollout* r = p->workers[worker].rollout;
  cr_real cost;
  x->last = w->first + item;
  cr_rollout_set_control(r, control, x);
  r->control_of_state = true;
  cr_status status = cri_plan_run(p, worker, &cost);
  cr_rollout_set_control(r, NULL, NULL);
  if (status == CR_OK && isfinite(cost) && (x->best.item == NONE || cost < x->best.cost)) {
    keep_motion(p, worker, cost, x->last, &x->best);
  }
  return status;
}

static void forget_best(const cr_planner* p, ilqr* w) {
  for (int i = 0; i < p->nworker; i++) {
    w->workers[i].best.item = NONE;
  }
}

// runs candidates first ... first + n - 1; the best of them and of those before in this search, NULL if none has a cost
static cr_status run_round(cr_planner* p, int first, int n, motion** best) {
  ilqr* w = p->memory;
  w->first = first;
  *best = NULL;
  CR_TRY(cr_pool_run(p->pool, n, candidate, p));
  p->rollouts += n;
  for (int i = 0; i < p->nworker; i++) {
    motion* x = &w->workers[i].best;
    bool lower = *best != NULL &&
                 (x->cost < (*best)->cost || (x->cost == (*best)->cost && x->item < (*best)->item));
    *best = x->item != NONE && (*best == NULL || lower) ? x : *best;
  }
  return CR_OK;
}

// the motion becomes the plan
static void accept(cr_planner* p, motion* x) {
  ilqr* w = p->memory;
  const motion kept = w->now;
  w->made_in = NULL;
  for (int i = 0; i < p->nworker; i++) {
    if (x == &w->workers[i].best && x->item == w->workers[i].last) {
      w->made_in = p->workers[i].rollout;
    }
  }
  w->now = *x;
  *x = kept;
  w->pass.u = w->now.ctrl;
  w->simulated = true;
  w->derived = false;
  for (int k = 0; k < p->o.nstep; k++) {
    cr_copy(p->knots + (ptrdiff_t)p->controls.knot[4 * (ptrdiff_t)k] * p->m->nu,
            w->now.ctrl + (ptrdiff_t)k * p->m->nu, p->m->nu);
  }
  p->cost = w->now.cost;
  p->known = true;
}

// ---- derivatives

static void set_state(cr_planner* p, cr_data* d, int k, int control_of) {
  const ilqr* w = p->memory;
  cri_inputs_copy(p->m, d, p->start);
  cri_state_copy(cri_state_of(p->m, d), state_of(p, &w->now, k));
  cr_copy(d->qacc_warmstart, w->now.warm + (ptrdiff_t)k * p->m->nv, p->m->nv);
  cr_copy(d->ctrl, w->now.ctrl + (ptrdiff_t)control_of * p->m->nu, p->m->nu);
  d->time = w->now.time[k];
}

// step k of the plan, as its rollout made it or made again
static cr_status find_step(cr_planner* p, int k, int worker, const cr_data** made) {
  const ilqr* w = p->memory;
  cr_rollout* r = p->workers[worker].rollout;
  *made = w->made_in != NULL && p->m == p->backward ? cri_step_blocks_find(&w->made_in->blocks, k)
                                                    : NULL;
  if (*made == NULL) {
    cr_copy(r->ctrl + (ptrdiff_t)k * p->m->nu, w->now.ctrl + (ptrdiff_t)k * p->m->nu, p->m->nu);
    set_state(p, r->d, k, k);
    CR_TRY(cri_rollout_again(r, p->backward, k, k, &p->workers[worker].error));
    *made = r->d;
  }
  return CR_OK;
}

static cr_status derive(void* context, int k, int worker) {
  cr_planner* p = context;
  ilqr* w = p->memory;
  cri_plan_worker* x = &p->workers[worker];
  cr_rollout* r = x->rollout;
  ptrdiff_t nx = w->nx, nu = p->m->nu, nz = w->nz;
  cr_real value;
  const cr_data* made;
  CR_TRY(find_step(p, k, worker, &made));
  CR_TRY(make_jacobian(p, worker, made, &x->error));
  cr_jacobian* jacobian = w->workers[worker].jacobian;
  cr_status status =
      cr_step_jacobian(p->backward, made, jacobian, w->A + k * nx * nx, w->B + k * nx * nu, NULL);
  if (status != CR_OK) {
    return cri_fail(&x->error, status, "Jacobian of step %d: %s", k + 1,
                    cr_jacobian_error(jacobian));
  }
  set_state(p, r->d, k + 1, k);
  CR_TRY(x->cost->needs_fields ? cri_rollout_see(r, p->m, k + 1, &x->error) : CR_OK);
  status = cri_cost_gauss_newton(x->cost, p->m, r->d, k + 1, r->bar, &value, w->gz + k * nz,
                                 w->Hz + k * nz * nz);
  return status == CR_OK
             ? CR_OK
             : cri_fail(&x->error, status, "cost after step %d: %s", k + 1, r->d->error.text);
}

// ---- the iteration

static void raise(cr_planner* p) { p->regularisation = cr_max(10 * p->regularisation, CR_R(1e-6)); }

static void relax(cr_planner* p) {
  p->regularisation = p->regularisation > CR_R(1e-9) ? p->regularisation / 5 : CR_R(1e-9);
}

// Controls that end the old plan well may be wrong ones to hold. So where the shifted plan costs more than the old one
// did, no control behind its end is tried too.
static cr_status run_plan(cr_planner* p, ilqr* w, motion** best) {
  forget_best(p, w);
  CR_TRY(run_round(p, PLAN, 1, best));
  if (w->left < p->o.nstep && (*best == NULL || (*best)->cost > p->cost)) {
    CR_TRY(run_round(p, PLAN_FREE, 1, best));
  }
  return CR_OK;
}

// The plan's own motion from this start. From another start steps may help that did not help from the last one: a
// regularisation that grew over many iterations without a better plan would leave none.
static cr_status simulate(cr_planner* p, ilqr* w) {
  motion* best;
  p->regularisation = cr_min(p->regularisation, 1);
  cri_controls_spread(&p->controls, p->knots, w->now.ctrl);
  cr_zero(w->pass.k, p->o.nstep * p->m->nu);
  CR_TRY(run_plan(p, w, &best));
  if (best == NULL && w->gains) {  // the feedback of another plan may lead away
    w->gains = false;
    CR_TRY(run_plan(p, w, &best));
  }
  if (best == NULL) {
    p->failed++;
    w->simulated = false;
    return CR_OK;
  }
  accept(p, best);
  w->left = p->o.nstep;
  return CR_OK;
}

// whether the cost falls by a tenth of what the model expects at least
static bool falls(const cr_planner* p, const ilqr* w, const motion* x) {
  cr_real a = lengths[x->item];
  return x->cost - p->cost <= CR_R(0.1) * (a * w->pass.slope + a * a * w->pass.curvature / 2);
}

static cr_status search(cr_planner* p, ilqr* w) {
  motion* best = NULL;
  forget_best(p, w);
  for (int first = 0, n = 1; first < N_LENGTH && (best == NULL || !falls(p, w, best)); first += n) {
    n = first == 0 ? 1 : AT_ONCE;
    CR_TRY(run_round(p, first, n, &best));
    p->failed += first == 0 && best == NULL;
  }
  if (best == NULL || !(best->cost < p->cost)) {
    raise(p);
    return CR_OK;
  }
  if (best->item < 3) {
    relax(p);
  } else {
    raise(p);
  }
  accept(p, best);
  return CR_OK;
}

static cr_status find_derivatives(cr_planner* p, ilqr* w, cr_error* error) {
  for (int i = 0; i < p->nworker; i++) {
    p->workers[i].error.text[0] = 0;
  }
  cr_status status = cr_pool_run(p->pool, p->o.nstep, derive, p);
  for (int i = 0; i < p->nworker && status != CR_OK; i++) {
    if (p->workers[i].error.text[0] != 0) {
      return cri_fail(error, status, "plan: %s", p->workers[i].error.text);
    }
  }
  w->derived = status == CR_OK;
  return status;
}

static cr_status improve(cr_planner* p, cr_error* error) {
  ilqr* w = p->memory;
  if (!p->known || !w->simulated) {
    CR_TRY(simulate(p, w));
    if (!w->simulated) {
      return CR_OK;
    }
  }
  CR_TRY(w->derived ? CR_OK : find_derivatives(p, w, error));
  for (int tries = 0; tries < MOST_TRIES; tries++) {
    if (cri_backward_pass(&w->pass, p->regularisation, w->work)) {
      w->gains = true;
      return search(p, w);
    }
    raise(p);
  }
  return CR_OK;
}

// derivatives are made again
static void numbers(cr_planner* p, cri_plan_numbers* v) {
  ilqr* w = p->memory;
  size_t n = (size_t)p->o.nstep, nu = (size_t)p->m->nu;
  cri_numbers_of(v, w->now.state, (n + 1) * (size_t)w->nstate);
  cri_numbers_of(v, w->now.warm, (n + 1) * (size_t)p->m->nv);
  cri_numbers_of(v, w->now.time, n + 1);
  cri_numbers_of(v, w->now.ctrl, n * nu);
  cri_numbers_of(v, &w->now.cost, 1);
  cri_numbers_of(v, w->pass.k, n * nu);
  cri_numbers_of(v, w->pass.K, n * nu * (size_t)w->nx);
  cri_numbers_bool(v, &w->simulated);
  cri_numbers_bool(v, &w->gains);
  cri_numbers_int(v, &w->left);
  w->derived = w->derived && v->pass != CRI_NUMBERS_SET;
  w->made_in = NULL;
}

const cri_plan_method cri_plan_by_ilqr = {"ilqr",  false, create,  destroy,
                                          improve, shift, restart, numbers};

// ---- feedback

const cr_real* cr_planner_gain(const cr_planner* p, int step) {
  if (p == NULL || p->method != &cri_plan_by_ilqr || step < 0 || step >= p->o.nstep) {
    return NULL;
  }
  const ilqr* w = p->memory;
  int first = cri_controls_first(&p->controls, step);
  return w->gains ? w->pass.K + (ptrdiff_t)first * p->m->nu * w->nx : NULL;
}

cri_plan_feedback cri_plan_feedback_of(const cr_planner* p) {
  const ilqr* w = p->method == &cri_plan_by_ilqr ? p->memory : NULL;
  return w != NULL && w->gains && w->simulated
             ? (cri_plan_feedback){.K = w->pass.K, .state = w->now.state}
             : (cri_plan_feedback){.K = NULL};
}

void cri_plan_feedback_add(const cr_planner* p, const cri_plan_feedback* f, int step,
                           const cr_data* d, cr_real* dx, cr_real* ctrl) {
  const cr_model* m = p->m;
  const ptrdiff_t first = cri_controls_first(&p->controls, step);
  const int nx = cri_state_tangent_size(m), nstate = cri_state_size(m);
  const cr_real* K = f->K + first * m->nu * nx;
  const cri_state from =
      cri_state_at(cri_state_sizes(m), 1, (cr_real*)(uintptr_t)f->state + first * nstate);
  cri_state_minus(m, cri_state_of(m, d), from, dx);
  for (int i = 0; i < m->nu; i++) {
    for (int j = 0; j < nx; j++) {
      ctrl[i] += K[(ptrdiff_t)i * nx + j] * dx[j];
    }
    ctrl[i] = cr_clip(ctrl[i], p->controls.lower[i], p->controls.upper[i]);
  }
}

cr_status cr_planner_control(const cr_planner* p, int step, const cr_data* d, cr_real* ctrl,
                             cr_error* error) {
  const cri_call call = {"cr_planner_control", error};
  CR_TRY(cri_given(&call, p, "the planner"));
  CR_TRY(cri_given(&call, ctrl, "the control"));
  CR_TRY(d != NULL ? cri_check_data(&call, p->m, d, CR_DATA_PLAIN, "the data") : CR_OK);
  if (step < 0 || step >= p->o.nstep) {
    return cri_fail(error, CR_ERR_ARG, "plan: step %d of %d", step, p->o.nstep);
  }
  cr_copy(ctrl, p->ctrl + (ptrdiff_t)step * p->m->nu, p->m->nu);
  const cri_plan_feedback f = cri_plan_feedback_of(p);
  if (f.K != NULL && d != NULL) {
    const ilqr* w = p->memory;
    cri_plan_feedback_add(p, &f, step, d, w->workers[0].dx, ctrl);
  }
  return CR_OK;
}
