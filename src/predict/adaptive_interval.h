// SPDX-License-Identifier: Apache-2.0
// One time step of a window in steps as long as the error allows, with the sensitivity.
#ifndef CR_PREDICT_ADAPTIVE_INTERVAL_H
#define CR_PREDICT_ADAPTIVE_INTERVAL_H

#include "predict/predictor.h"

/// From the state in work->d to the time `end`. The controller goes on from interval to interval of a window; controls are
/// those in work->d.
/// Equation S+ = A S + B for each step, its length a constant            [identification.m2]
///          S+ = (1 + R) S+ + Q where rows entered, left or were swapped: R, Q the jump by the state and by the
///          parameters                                                  [event.e2]
/// Errors   those of cri_adaptive_step, its vjp and of cri_jump_vjp, in work->d or work->bar
cr_status cri_adaptive_interval(cri_predictor* work, const cri_problem* problem, cr_real end,
                                bool derive);

#endif
