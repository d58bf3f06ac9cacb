// SPDX-License-Identifier: Apache-2.0
// Iterative smoothed predictive control. carom/quasidynamic.h documents the public functions; derivation: docs/derivations/smoothed_mpc.md
//   [smoothed_mpc.e3] y = (x, u_prev), v = u - u_prev:  y' = (A, B; 0, 1) y + (B; 1) v + r, so that the plan's own step ends where it did
//   [smoothed_mpc.e4] least sum of Q (x' - goal)^2 + R u^2 or R v^2 within all limits, from the state that was reached to the horizon
//   [smoothed_mpc.e5] its first control is applied, the system steps, and so on
#include <stdlib.h>

#include "control/bounded_lq.h"
#include "control/mpc_system.h"
#include "model/misuse.h"

typedef struct {
  cr_real *x, *u;  // (nstep + 1) nx, nstep nu
  cr_real cost;
} motion;

struct cr_smoothed_mpc {
  cri_mpc_system system;
  cr_mpc_options o;  // its arrays are in `memory`
  int nx, nu, ny;
  int* follows;  // nu, or NULL
  cr_pool* pool;
  cri_mpc_models* models;
  cri_lq_work* work;
  motion now, next, best;
  cr_real *A, *B, *Ay, *By;                             // of the motion; with the control before
  cr_real *weight, *target, *lower, *upper, *z, *last;  // nstep nz each; nu
  cr_real* memory;
  int iteration;
};

// ---- options

static cr_status refuse(cr_error* error, const char* what) {
  return cri_fail(error, CR_ERR_ARG, "smoothed MPC: %s", what);
}

static cr_status check_system(const cri_call* call, const cr_mpc_system* s) {
  CR_TRY(cri_given(call, s, "the system"));
  CR_TRY(cri_check_size(call, s->size, sizeof *s, "cr_mpc_system"));
  if (s->nx < 1 || s->nu < 1) {
    return cri_fail(call->error, CR_ERR_ARG, "smoothed MPC: %d states and %d controls", s->nx,
                    s->nu);
  }
  return s->step != NULL ? CR_OK : refuse(call->error, "the system has no step");
}

static cr_status check_numbers(const char* what, const cr_real* x, int n, bool positive,
                               cr_error* error) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i]) || (positive && x[i] < 0)) {
      return cri_fail(error, CR_ERR_ARG, "smoothed MPC: %s %d is %.9g", what, i, (double)x[i]);
    }
  }
  return CR_OK;
}

static cr_status check_limits(const char* what, const cr_real* low, const cr_real* high, int n,
                              cr_error* error) {
  for (int i = 0; i < n && low != NULL && high != NULL; i++) {
    if (!(low[i] <= high[i])) {
      return cri_fail(error, CR_ERR_ARG, "smoothed MPC: limits %.9g and %.9g of %s %d",
                      (double)low[i], (double)high[i], what, i);
    }
  }
  return CR_OK;
}

static cr_status check_options(const cri_call* call, const cr_mpc_options* o, int nx, int nu,
                               const int* follows) {
  cr_error* error = call->error;
  CR_TRY(cri_given(call, o, "the options"));
  CR_TRY(cri_check_size(call, o->size, sizeof *o, "cr_mpc_options"));
  if (o->nstep < 1) {
    return cri_fail(error, CR_ERR_ARG, "smoothed MPC: %d steps", o->nstep);
  }
  CR_TRY(cri_given(call, o->goal, "the goal"));
  CR_TRY(cri_given(call, o->Q, "Q"));
  CR_TRY(cri_given(call, o->R, "R"));
  CR_TRY(check_numbers("number of the goal", o->goal, (o->nstep + 1) * nx, false, error));
  CR_TRY(check_numbers("Q of state", o->Q, nx, true, error));
  CR_TRY(check_numbers("Q_end of state", o->Q_end != NULL ? o->Q_end : o->Q, nx, true, error));
  CR_TRY(check_numbers("R of control", o->R, nu, true, error));
  CR_TRY(check_limits("state", o->x_lower, o->x_upper, nx, error));
  CR_TRY(check_limits("control", o->u_lower, o->u_upper, nu, error));
  for (int i = 0; i < nu && follows != NULL; i++) {
    if (follows[i] < 0 || follows[i] >= nx) {
      return cri_fail(error, CR_ERR_ARG, "smoothed MPC: control %d follows state %d of %d", i,
                      follows[i], nx);
    }
  }
  CR_TRY(check_numbers("largest change of control", o->change, o->change != NULL ? nu : 0, true,
                       error));
  CR_TRY(check_numbers("trust of control", o->trust, o->trust != NULL ? nu : 0, true, error));
  if ((o->trust != NULL || o->decoupled) && follows == NULL) {
    return refuse(error, "trust and decoupled need to know which states the controls follow");
  }
  if (!(o->decay >= 0 && o->decay <= 1) || !(o->power >= 0) || !(o->growth >= 0)) {
    return refuse(error, "decay is between 0 and 1, power and growth are 0 or more");
  }
  return o->nthread >= 0 ? CR_OK : refuse(error, "the number of threads is 0 or more");
}

// ---- memory

static cr_real* take(cr_real** at, size_t n) {
  cr_real* from = *at;
  *at += n;
  return from;
}

static const cr_real* keep(cr_real** at, const cr_real* from, int n, cr_real otherwise) {
  cr_real* to = take(at, (size_t)n);
  for (int i = 0; i < n; i++) {
    to[i] = from != NULL ? from[i] : otherwise;
  }
  return to;
}

static void take_motion(motion* m, cr_real** at, size_t n, size_t x, size_t u) {
  m->x = take(at, (n + 1) * x);
  m->u = take(at, n * u);
  m->cost = (cr_real)NAN;
}

static void share(cr_smoothed_mpc* s, cr_real* at) {
  const size_t n = (size_t)s->o.nstep, x = (size_t)s->nx, u = (size_t)s->nu, y = x + u, z = y + u;
  const cr_mpc_options o = s->o;
  const cr_real infinite = (cr_real)INFINITY;
  s->o.goal = keep(&at, o.goal, (o.nstep + 1) * s->nx, 0);
  s->o.Q = keep(&at, o.Q, s->nx, 0);
  s->o.Q_end = keep(&at, o.Q_end != NULL ? o.Q_end : o.Q, s->nx, 0);
  s->o.R = keep(&at, o.R, s->nu, 0);
  s->o.x_lower = keep(&at, o.x_lower, s->nx, -infinite);
  s->o.x_upper = keep(&at, o.x_upper, s->nx, infinite);
  s->o.u_lower = keep(&at, o.u_lower, s->nu, -infinite);
  s->o.u_upper = keep(&at, o.u_upper, s->nu, infinite);
  s->o.change = keep(&at, o.change, s->nu, infinite);
  s->o.trust = keep(&at, o.trust, s->nu, infinite);
  s->o.sigma = NULL;  // the models have it
  s->o.decay = o.decay > 0 ? o.decay : 1;
  s->o.growth = o.growth > 0 ? o.growth : 1;
  take_motion(&s->now, &at, n, x, u);
  take_motion(&s->next, &at, n, x, u);
  take_motion(&s->best, &at, n, x, u);
  s->A = take(&at, n * x * x);
  s->B = take(&at, n * x * u);
  s->Ay = take(&at, n * y * y);
  s->By = take(&at, n * y * u);
  s->weight = take(&at, n * z);
  s->target = take(&at, n * z);
  s->lower = take(&at, n * z);
  s->upper = take(&at, n * z);
  s->z = take(&at, n * z);
  s->last = take(&at, u);
}

static cr_status make_room(cr_smoothed_mpc* s, const int* follows, cr_error* error) {
  const size_t n = (size_t)s->o.nstep, x = (size_t)s->nx, u = (size_t)s->nu, y = x + u, z = y + u;
  const size_t options = (n + 1) * x + 4 * x + 5 * u;
  s->memory = calloc(options + 3 * ((n + 1) * x + n * u) + n * (x * y + y * z + 5 * z) + u,
                     sizeof *s->memory);
  s->follows = follows != NULL ? calloc(u, sizeof *s->follows) : NULL;
  if (s->memory == NULL || (follows != NULL && s->follows == NULL)) {
    return cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory for %d steps", s->o.nstep);
  }
  if (follows != NULL) {
    memcpy(s->follows, follows, u * sizeof *follows);
  }
  share(s, s->memory);
  return cri_lq_work_make(&s->work, s->o.nstep, s->ny, s->nu, error);
}

static cr_status make(cr_smoothed_mpc* s, const int* follows, cr_error* error) {
  CR_TRY(cr_pool_create(&s->pool, s->o.nthread, error));
  CR_TRY(s->system.prepare != NULL
             ? s->system.prepare(s->system.system.context, cr_pool_size(s->pool), error)
             : CR_OK);
  CR_TRY(cri_mpc_models_make(&s->models, &s->system, &s->o, s->pool, error));
  return make_room(s, follows, error);
}

cr_status cri_mpc_make(cr_smoothed_mpc** mpc, const cri_mpc_system* system,
                       const cr_mpc_options* options, const int* follows, cr_error* error) {
  const cri_call call = {"cr_smoothed_mpc_create", error};
  cr_status status = check_options(&call, options, system->system.nx, system->system.nu, follows);
  cr_smoothed_mpc* s = status == CR_OK ? calloc(1, sizeof *s) : NULL;
  if (s == NULL) {
    if (system->destroy != NULL) {
      system->destroy(system->system.context);
    }
    return status != CR_OK ? status : cri_fail(error, CR_ERR_MEMORY, "smoothed MPC: no memory");
  }
  s->system = *system;
  s->o = *options;
  s->nx = system->system.nx;
  s->nu = system->system.nu;
  s->ny = s->nx + s->nu;
  status = make(s, follows, error);
  if (status != CR_OK) {
    cr_smoothed_mpc_destroy(s);
    return status;
  }
  *mpc = s;
  return CR_OK;
}

cr_status cr_smoothed_mpc_create(cr_smoothed_mpc** mpc, const cr_mpc_system* system,
                                 const cr_mpc_options* options, cr_error* error) {
  const cri_call call = {"cr_smoothed_mpc_create", error};
  CR_TRY(cri_given(&call, mpc, "where the planner goes"));
  *mpc = NULL;
  CR_TRY(check_system(&call, system));
  CR_TRY(cri_given(&call, options, "the options"));
  const cri_mpc_system own = {.system = *system};
  return cri_mpc_make(mpc, &own, options, options->follows, error);
}

void cr_smoothed_mpc_destroy(cr_smoothed_mpc* s) {
  if (s != NULL) {
    cri_mpc_models_free(s->models);
    cri_lq_work_free(s->work);
    cr_pool_free(s->pool);
    if (s->system.destroy != NULL) {
      s->system.destroy(s->system.system.context);
    }
    free(s->follows);
    free(s->memory);
    free(s);
  }
}

// ---- motions

// the control before the first step
static void control_before(const cr_smoothed_mpc* s, const cr_real* x, cr_real* u) {
  for (int i = 0; i < s->nu; i++) {
    u[i] = s->follows != NULL ? x[s->follows[i]] : 0;
  }
}

static cr_status step(const cr_smoothed_mpc* s, int k, const motion* m, cr_error* error) {
  const cr_mpc_system* f = &s->system.system;
  cr_real* next = m->x + (ptrdiff_t)(k + 1) * s->nx;
  cr_error why = {0};
  const cr_status status = f->step(f->context, 0, m->x + (ptrdiff_t)k * s->nx,
                                   m->u + (ptrdiff_t)k * s->nu, next, NULL, NULL, &why);
  if (status != CR_OK) {
    return cri_fail(error, status, "smoothed MPC: step %d: %s", k, why.text);
  }
  for (int i = 0; i < s->nx; i++) {
    if (!isfinite(next[i])) {
      return cri_fail(error, CR_ERR_NONFINITE, "smoothed MPC: step %d: state %d is not finite", k,
                      i);
    }
  }
  return CR_OK;
}

static cr_real distance(const cr_real* Q, const cr_real* x, const cr_real* goal, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    const cr_real off = x[i] - (goal != NULL ? goal[i] : 0);
    sum += Q[i] * off * off;
  }
  return sum;
}

static cr_real cost(const cr_smoothed_mpc* s, const motion* m) {
  const ptrdiff_t n = s->o.nstep, nx = s->nx, nu = s->nu;
  cr_real sum = distance(s->o.Q_end, m->x + n * nx, s->o.goal + n * nx, s->nx);
  control_before(s, m->x, s->last);
  for (ptrdiff_t k = 0; k < n; k++) {
    const cr_real* before = k > 0 ? m->u + (k - 1) * nu : s->last;
    sum += distance(s->o.Q, m->x + k * nx, s->o.goal + k * nx, s->nx);
    sum += distance(s->o.R, m->u + k * nu, s->o.changes ? before : NULL, s->nu);
  }
  return sum;
}

static void copy_motion(const cr_smoothed_mpc* s, motion* to, const motion* from) {
  cr_copy(to->x, from->x, (s->o.nstep + 1) * s->nx);
  cr_copy(to->u, from->u, s->o.nstep * s->nu);
  to->cost = from->cost;
}

static cr_status check_guess(const cr_smoothed_mpc* s, cr_error* error) {
  for (ptrdiff_t i = 0; i < (ptrdiff_t)s->o.nstep * s->nu; i++) {
    const int k = (int)(i / s->nu), j = (int)(i % s->nu);
    if (!(s->now.u[i] >= s->o.u_lower[j] && s->now.u[i] <= s->o.u_upper[j])) {
      return cri_fail(
          error, CR_ERR_ARG,
          "smoothed MPC: control %d of step %d is %.9g, outside its limits %.9g to %.9g", j, k,
          (double)s->now.u[i], (double)s->o.u_lower[j], (double)s->o.u_upper[j]);
    }
  }
  return CR_OK;
}

static cr_status begin(cr_smoothed_mpc* s, cr_error* error) {
  CR_TRY(check_guess(s, error));
  for (int k = 0; k < s->o.nstep; k++) {
    CR_TRY(step(s, k, &s->now, error));
  }
  s->now.cost = cost(s, &s->now);
  copy_motion(s, &s->best, &s->now);
  return CR_OK;
}

// ---- the quadratic problem

// [smoothed_mpc.e6]
static void decouple(const cr_smoothed_mpc* s) {
  const ptrdiff_t nx = s->nx, nu = s->nu;
  for (ptrdiff_t k = 0; k < s->o.nstep; k++) {
    cr_real *A = s->A + k * nx * nx, *B = s->B + k * nx * nu;
    cr_zero(A, (int)(nx * nx));
    for (ptrdiff_t i = 0; i < nx; i++) {
      A[i * nx + i] = 1;
    }
    for (ptrdiff_t j = 0; j < nu; j++) {
      const ptrdiff_t i = s->follows[j];
      A[i * nx + i] = 0;
      cr_zero(B + i * nu, (int)nu);
      B[i * nu + j] = 1;
    }
  }
}

// [smoothed_mpc.e3]
static void put_models(cr_smoothed_mpc* s) {
  const ptrdiff_t nx = s->nx, nu = s->nu, ny = s->ny;
  cr_zero(s->Ay, (int)(s->o.nstep * ny * ny));
  cr_zero(s->By, (int)(s->o.nstep * ny * nu));
  for (ptrdiff_t k = 0; k < s->o.nstep; k++) {
    cr_real *Ay = s->Ay + k * ny * ny, *By = s->By + k * ny * nu;
    for (ptrdiff_t i = 0; i < nx; i++) {
      cr_copy(Ay + i * ny, s->A + (k * nx + i) * nx, (int)nx);
      cr_copy(Ay + i * ny + nx, s->B + (k * nx + i) * nu, (int)nu);
      cr_copy(By + i * nu, s->B + (k * nx + i) * nu, (int)nu);
    }
    for (ptrdiff_t i = 0; i < nu; i++) {
      Ay[(nx + i) * ny + nx + i] = By[(nx + i) * nu + i] = 1;
    }
  }
}

// costs and limits of z = (x', u, u - u before)
static void put_costs(cr_smoothed_mpc* s) {
  const ptrdiff_t nx = s->nx, nu = s->nu, nz = s->ny + nu;
  const cr_mpc_options* o = &s->o;
  for (ptrdiff_t k = 0; k < o->nstep; k++) {
    cr_real *weight = s->weight + k * nz, *target = s->target + k * nz;
    cr_real *lower = s->lower + k * nz, *upper = s->upper + k * nz;
    cr_copy(weight, k + 1 < o->nstep ? o->Q : o->Q_end, (int)nx);
    cr_copy(target, o->goal + (k + 1) * nx, (int)nx);
    cr_copy(lower, o->x_lower, (int)nx);
    cr_copy(upper, o->x_upper, (int)nx);
    for (ptrdiff_t i = 0; i < nu; i++) {
      const ptrdiff_t u = nx + i, v = s->ny + i;
      const cr_real centre = s->follows != NULL ? s->now.x[k * nx + s->follows[i]] : 0;
      weight[u] = o->changes ? 0 : o->R[i];
      weight[v] = o->changes ? o->R[i] : 0;
      target[u] = target[v] = 0;
      lower[u] = cr_max(o->u_lower[i], centre - o->trust[i]);
      upper[u] = cr_min(o->u_upper[i], centre + o->trust[i]);
      lower[v] = -o->change[i];
      upper[v] = o->change[i];
    }
  }
}

// z from step t on: the plan's controls, by the linear models from the state that was reached
static void put_start(cr_smoothed_mpc* s, ptrdiff_t t) {
  const ptrdiff_t nx = s->nx, nu = s->nu, nz = s->ny + nu;
  const cr_real *x = s->next.x + t * nx, *before = t > 0 ? s->next.u + (t - 1) * nu : s->last;
  for (ptrdiff_t k = t; k < s->o.nstep; k++) {
    const cr_real *A = s->A + k * nx * nx, *u = s->now.u + k * nu;
    cr_real* z = s->z + k * nz;
    for (ptrdiff_t i = 0; i < nx; i++) {
      z[i] = s->now.x[(k + 1) * nx + i];
      for (ptrdiff_t j = 0; j < nx; j++) {
        z[i] += A[i * nx + j] * (x[j] - s->now.x[k * nx + j]);
      }
    }
    for (ptrdiff_t i = 0; i < nu; i++) {
      z[nx + i] = u[i];
      z[nx + nu + i] = u[i] - before[i];
    }
    x = z;
    before = u;
  }
}

// [smoothed_mpc.e4] from step t on
static cr_status solve(cr_smoothed_mpc* s, ptrdiff_t t, cr_error* error) {
  const ptrdiff_t ny = s->ny, nu = s->nu, nz = ny + nu;
  put_start(s, t);
  const cri_bounded_lq q = {.nstep = s->o.nstep - (int)t,
                            .ny = s->ny,
                            .nv = s->nu,
                            .A = s->Ay + t * ny * ny,
                            .B = s->By + t * ny * nu,
                            .weight = s->weight + t * nz,
                            .target = s->target + t * nz,
                            .lower = s->lower + t * nz,
                            .upper = s->upper + t * nz,
                            .z = s->z + t * nz};
  return cri_bounded_lq_solve(&q, s->work, error);
}

static void drop_state_limits(cr_smoothed_mpc* s) {
  const ptrdiff_t nz = s->ny + s->nu;
  for (ptrdiff_t k = 0; k < s->o.nstep; k++) {
    for (ptrdiff_t i = 0; i < s->nx; i++) {
      s->lower[k * nz + i] = -(cr_real)INFINITY;
      s->upper[k * nz + i] = (cr_real)INFINITY;
    }
  }
}

// [smoothed_mpc.e5]; *unlimited: steps from the first one on whose limits of the state no controls keep
static cr_status follow(cr_smoothed_mpc* s, int* unlimited, cr_error* error) {
  const ptrdiff_t nx = s->nx, nu = s->nu, nz = s->ny + nu;
  cr_copy(s->next.x, s->now.x, s->nx);
  control_before(s, s->now.x, s->last);
  for (ptrdiff_t k = 0; k < s->o.nstep; k++) {
    cr_status status = solve(s, k, error);
    if (status == CR_ERR_SOLVER && *unlimited == 0) {
      drop_state_limits(s);
      *unlimited = s->o.nstep - (int)k;
      status = solve(s, k, error);
    }
    CR_TRY(status);
    for (ptrdiff_t i = 0; i < nu; i++) {
      const ptrdiff_t e = k * nz + nx + i;
      s->next.u[k * nu + i] = cr_clip(s->z[e], s->lower[e], s->upper[e]);
    }
    CR_TRY(step(s, (int)k, &s->next, error));
  }
  s->next.cost = cost(s, &s->next);
  return CR_OK;
}

// ---- the public functions

static cr_real spread_of(cr_smoothed_mpc* s) {
  cr_real spread =
      cr_pow(s->o.decay, (cr_real)(s->iteration - 1)) / cr_pow((cr_real)s->iteration, s->o.power);
  if (s->system.begin != NULL) {
    s->system.begin(s->system.system.context, s->iteration, &spread);
  }
  return spread;
}

cr_status cr_smoothed_mpc_improve(cr_smoothed_mpc* s, cr_mpc_result* result, cr_error* error) {
  const cri_call call = {"cr_smoothed_mpc_improve", error};
  CR_TRY(cri_given(&call, s, "the planner"));
  CR_TRY(result != NULL ? cri_check_size(&call, result->size, sizeof *result, "cr_mpc_result")
                        : CR_OK);
  if (s->iteration == 0) {
    CR_TRY(begin(s, error));
  }
  s->iteration++;
  cr_mpc_result r = {.size = sizeof r, .before = s->now.cost, .iteration = s->iteration};
  r.spread = spread_of(s);
  CR_TRY(cri_mpc_models_find(s->models, s->iteration, r.spread, s->now.x, s->now.u, s->A, s->B,
                             &r.failed, error));
  if (s->o.decoupled) {
    decouple(s);
  }
  put_models(s);
  put_costs(s);
  CR_TRY(follow(s, &r.unlimited, error));
  copy_motion(s, &s->now, &s->next);
  if (s->now.cost < s->best.cost) {
    copy_motion(s, &s->best, &s->now);
  }
  r.cost = s->now.cost;
  r.best = s->best.cost;
  return result != NULL ? cri_give(&call, result, &r, sizeof r, "cr_mpc_result") : CR_OK;
}

cr_status cr_smoothed_mpc_set_start(cr_smoothed_mpc* s, const cr_real* x, cr_error* error) {
  const cri_call call = {"cr_smoothed_mpc_set_start", error};
  CR_TRY(cri_given(&call, s, "the planner"));
  CR_TRY(cri_given(&call, x, "the start"));
  CR_TRY(check_numbers("state", x, s->nx, false, error));
  cr_copy(s->now.x, x, s->nx);
  s->iteration = 0;
  s->now.cost = s->best.cost = (cr_real)NAN;
  for (ptrdiff_t k = 0; k < s->o.nstep && s->system.hold != NULL; k++) {
    s->system.hold(s->system.system.context, x, s->now.u + k * s->nu);
  }
  return CR_OK;
}

cr_real* cr_smoothed_mpc_ctrl(cr_smoothed_mpc* s) { return s != NULL ? s->now.u : NULL; }

const cr_real* cr_smoothed_mpc_states(const cr_smoothed_mpc* s) {
  return s != NULL ? s->now.x : NULL;
}

cr_real cr_smoothed_mpc_cost(const cr_smoothed_mpc* s) {
  return s != NULL ? s->now.cost : (cr_real)NAN;
}

cr_real cr_smoothed_mpc_best(const cr_smoothed_mpc* s, const cr_real** states,
                             const cr_real** ctrl) {
  if (states != NULL) {
    *states = s != NULL ? s->best.x : NULL;
  }
  if (ctrl != NULL) {
    *ctrl = s != NULL ? s->best.u : NULL;
  }
  return s != NULL ? s->best.cost : (cr_real)NAN;
}
