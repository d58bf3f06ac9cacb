// SPDX-License-Identifier: Apache-2.0
// The cost of a window and its gradient by one sweep back: for so many parameters that rows of sensitivities would take longer.
#ifndef CR_PREDICT_WINDOW_ADJOINT_H
#define CR_PREDICT_WINDOW_ADJOINT_H

#include "predict/predict.h"

/// Work memory of one worker.
typedef struct cri_window_adjoint cri_window_adjoint;

cr_status cri_window_adjoint_create(cri_window_adjoint** adjoint, const cri_problem* problem,
                                    cr_error* error);
void cri_window_adjoint_free(cri_window_adjoint* adjoint);

/// Where the gradient of a window goes; everything is added.
typedef struct {
  cr_real* x_bar;    // n: of the parameters p themselves, of delays and offsets
  cr_real* derived;  // of the derived constants (cri_parameters_nderived)
} cri_window_gradient;

/// The cost of a window from its start, which is held, and how many numbers were seen of it. to NULL: without its gradient.
/// Equation cost = sum of rho(e / noise)        [identification.m4]; e_bar = rho'(e / noise) / noise goes into the
///          states of the steps before and behind it, and from there back through the rollout   [identification.m12]
/// Errors   those of cr_rollout_run and cr_rollout_gradient, with the run
/// Smooth   as the step; delays as in cri_predict
cr_status cri_window_adjoint_run(cri_window_adjoint* adjoint, cri_predictor* work,
                                 const cri_problem* problem, int span, cr_real* cost,
                                 int64_t* numbers, const cri_window_gradient* to, cr_error* error);

#endif
