// SPDX-License-Identifier: Apache-2.0
#include "bench/plan_timing.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "carom/state.h"
#include "carom/step.h"
#include "carom/step_jacobian.h"
#include "tools/clock.h"

enum {
  HERE = CR_STATE_FULLPHYSICS | CR_STATE_WARMSTART | CR_STATE_CTRL
};                                 // MuJoCo has the same bits
static const double PROBE = 1e-6;  // of the differences, MuJoCo's own choice

typedef struct {
  const cr_plan_bench_case* c;
  cr_data* d;
  mjData* mjd;
  cr_jacobian* work;
  cr_real *start, *here, *by_state, *by_ctrl, *ctrl;
  mjtNum* AB;
  int nu;
} bench;

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "bench: no memory for a plan");
}

static cr_status make(bench* b, cr_error* error) {
  const cr_plan_bench_case* c = b->c;
  size_t nx = 2 * (size_t)c->mj->nv + (size_t)c->mj->na, nu = (size_t)c->mj->nu;
  b->nu = (int)nu;
  b->start = calloc((size_t)cr_state_size(c->m, CR_STATE_INTEGRATION) + 1, sizeof *b->start);
  b->here = calloc((size_t)mj_stateSize(c->mj, HERE) + 1, sizeof *b->here);
  b->by_state = calloc(nx * nx + 1, sizeof *b->by_state);
  b->by_ctrl = calloc(nx * nu + 1, sizeof *b->by_ctrl);
  b->ctrl = calloc(nu + 1, sizeof *b->ctrl);
  b->AB = calloc(nx * (nx + nu) + 1, sizeof *b->AB);
  b->mjd = mj_makeData(c->mj);
  if (b->start == NULL || b->here == NULL || b->by_state == NULL || b->by_ctrl == NULL ||
      b->ctrl == NULL || b->AB == NULL || b->mjd == NULL) {
    return no_memory(error);
  }
  if (mj_stateSize(c->mj, HERE) != cr_state_size(c->m, HERE)) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "bench: MuJoCo has more of a state");
  }
  CR_TRY(cr_data_create(&b->d, c->m, error));
  CR_TRY(cr_jacobian_create(&b->work, c->m, b->d, error));
  return cr_state_get(c->m, c->start, b->start, CR_STATE_INTEGRATION);
}

static void let_go(bench* b) {
  cr_data_destroy(b->d);
  cr_jacobian_destroy(b->work);
  if (b->mjd != NULL) {
    mj_deleteData(b->mjd);
  }
  free(b->start);
  free(b->here);
  free(b->by_state);
  free(b->by_ctrl);
  free(b->ctrl);
  free(b->AB);
}

static cr_status iterate(const bench* b, int iterations, double* mean, cr_error* error) {
  int n;
  cr_real* knots = cr_planner_knots(b->c->planner, &n);
  memset(knots, 0, (size_t)n * (size_t)b->nu * sizeof *knots);
  cr_planner_restart(b->c->planner);
  CR_TRY(cr_planner_set_start(b->c->planner, b->c->start, error));
  double from = cri_microseconds();
  for (int i = 0; i < iterations; i++) {
    CR_TRY(cr_planner_improve(b->c->planner, NULL, error));
  }
  *mean = (cri_microseconds() - from) / iterations;
  return CR_OK;
}

// the state before a step, for MuJoCo's data
static cr_status take_over(const bench* b) {
  CR_TRY(cr_state_get(b->c->m, b->d, b->here, HERE));
  mj_setState(b->c->mj, b->mjd, b->here, HERE);
  return CR_OK;
}

static double differences(const bench* b) {
  size_t nx = 2 * (size_t)b->c->mj->nv + (size_t)b->c->mj->na;
  double from = cri_microseconds();
  mjd_transitionFD(b->c->mj, b->mjd, PROBE, 0, b->AB, b->AB + nx * nx, NULL, NULL);
  return cri_microseconds() - from;
}

// the steps of the plan: Jacobians of both
static cr_status along(const bench* b, double* jacobians, double* by_differences, cr_error* error) {
  const cr_plan_bench_case* c = b->c;
  cr_real* to = cr_data_view(c->m, b->d, "ctrl", NULL, NULL);
  CR_TRY(cr_state_set(c->m, b->d, b->start, CR_STATE_INTEGRATION));
  *jacobians = *by_differences = 0;
  for (int k = 0; k < c->nstep; k++) {
    CR_TRY(cr_planner_control(c->planner, k, b->d, b->ctrl, error));
    memcpy(to, b->ctrl, (size_t)b->nu * sizeof *to);
    CR_TRY(take_over(b));
    *by_differences += differences(b);
    double from = cri_microseconds();
    cr_status status = cr_step(c->m, b->d);
    status = status == CR_OK ? cr_step_jacobian(c->m, b->d, b->work, b->by_state, b->by_ctrl, NULL)
                             : status;
    *jacobians += cri_microseconds() - from;
    status = status == CR_OK ? cr_advance(c->m, b->d) : status;
    if (status != CR_OK) {
      return cri_fail(error, status, "bench: step %d: %s", k + 1, cr_data_error(b->d));
    }
  }
  return CR_OK;
}

cr_status cr_plan_measure(const cr_plan_bench_case* what, int iterations, int rounds,
                          cr_plan_measurement* out, cr_error* error) {
  bench b = {.c = what};
  *out = (cr_plan_measurement){.iteration = {.n = 0}};
  if (what->mj->opt.integrator == mjINT_RK4) {
    return cri_fail(error, CR_ERR_UNSUPPORTED, "bench: mjd_transitionFD refuses Runge-Kutta");
  }
  cr_status status = make(&b, error);
  double warm;
  status = status == CR_OK ? iterate(&b, iterations, &warm, error) : status;
  for (int r = 0; r < rounds && status == CR_OK; r++) {
    double x[3] = {0};
    status = iterate(&b, iterations, &x[0], error);
    status = status == CR_OK ? along(&b, &x[1], &x[2], error) : status;
    out->iteration.round[r] = x[0];
    out->jacobians.round[r] = x[1];
    out->differences.round[r] = x[2];
    out->instead.round[r] = x[0] - x[1] + x[2];
    out->iteration.n = out->jacobians.n = out->differences.n = out->instead.n = r + 1;
  }
  let_go(&b);
  return status;
}
