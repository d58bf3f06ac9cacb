// SPDX-License-Identifier: Apache-2.0
// An iteration of ilqr, its Jacobians, and the same Jacobians by differences of MuJoCo's steps.
#ifndef CR_BENCH_PLAN_TIMING_H
#define CR_BENCH_PLAN_TIMING_H

#include <mujoco/mujoco.h>

#include "bench/timing.h"
#include "carom/plan.h"

typedef struct {
  cr_planner* planner;  // ilqr, with one thread
  const cr_model* m;
  mjModel* mj;  // the same
  const cr_data* start;
  int nstep;
} cr_plan_bench_case;

/// Microseconds.
typedef struct {
  cr_timing iteration;    // cr_planner_improve, mean of the first iterations from controls of zero
  cr_timing jacobians;    // along the plan: cr_step with cr_step_jacobian, all steps
  cr_timing differences;  // mjd_transitionFD, one-sided, at the same states and controls
  cr_timing instead;      // an iteration with differences: iteration - jacobians + differences
} cr_plan_measurement;

/// rounds: 1 to CR_MAX_ROUNDS, each with all four; iterations: 1 or more.
/// Errors   those of the planner and of a step; CR_ERR_MEMORY; CR_ERR_UNSUPPORTED for Runge-Kutta methods, which mjd_transitionFD refuses
cr_status cr_plan_measure(const cr_plan_bench_case* what, int iterations, int rounds,
                          cr_plan_measurement* out, cr_error* error);

#endif
