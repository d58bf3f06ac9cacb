// SPDX-License-Identifier: Apache-2.0
// Noisy copies of a plan, which the sampling planners share.
#ifndef CR_CONTROL_PLAN_SAMPLES_H
#define CR_CONTROL_PLAN_SAMPLES_H

#include "control/planner.h"

typedef struct {
  cr_real* rows;       // samples x n; row 0 is the centre itself
  cr_real* costs;      // samples
  int32_t* order;      // samples, by cost, the first of equals first
  cr_real* centre;     // n
  cr_real* deviation;  // n: the standard deviation of each number
  uint64_t drawn;      // samples so far
  cr_real* memory;
} cri_samples;

/// Room for p->o.samples; deviations as the options say. Free with cri_samples_free, also after a failure.
cr_status cri_samples_make(cri_samples* s, const cr_planner* p, cr_error* error);
void cri_samples_free(cri_samples* s);

/// The deviations of the options again, around the plan.
void cri_samples_restart(cri_samples* s, const cr_planner* p);

/// Passes over their numbers.
void cri_samples_numbers(cri_samples* s, const cr_planner* p, cri_plan_numbers* v);

/// Draws samples around the centre, within the limits. Sample i of a planner depends on seed, i and nothing else.
/// Equation theta = clip(centre + deviation e), e of the options' colour along the knots; of every fifth sample wider   [plan.m1]
void cri_samples_draw(cri_samples* s, const cr_planner* p);

/// Their costs, and their order.
cr_status cri_samples_evaluate(cri_samples* s, cr_planner* p);

#endif
