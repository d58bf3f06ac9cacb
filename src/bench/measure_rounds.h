// SPDX-License-Identifier: Apache-2.0
// The two engines in turn, in one process, over the states of a scene; in wall time.
#ifndef CR_BENCH_MEASURE_ROUNDS_H
#define CR_BENCH_MEASURE_ROUNDS_H

#include "bench/scene.h"
#include "bench/timing.h"

typedef struct {
  cr_timing mj_step;  // of one step
  cr_timing step;     // cr_step
  cr_timing vjp;      // cr_step_vjp alone, on data that the step has just filled, all gradients
  cr_timing
      jacobian;  // cr_step_jacobian by state and controls, on the same data; n = 0 beyond 2000
                 // dofs, where its numbers would fill a gigabyte
  cr_timing transition;                    // mjd_transitionFD, one-sided; n = 0 if not measured
  cr_timing centred;                       // the same, centred
  double residual_mujoco, residual_carom;  // the largest
  int by_columns;                          // states whose Jacobian went column by column
} cr_measurement;

/// rounds: 1 to CR_MAX_ROUNDS, after one round that warms up. differences: measure
/// mjd_transitionFD too, which takes seconds a state with the largest models.
/// Overwrites `out`: one struct may serve model after model.
/// Errors: those of cr_step, cr_step_vjp and cr_step_jacobian.
cr_status cr_measure(cr_scene* s, int rounds, bool differences, cr_measurement* out,
                     cr_error* error);

#endif
