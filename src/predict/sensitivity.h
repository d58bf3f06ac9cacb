// SPDX-License-Identifier: Apache-2.0
// How the state after a step, and its outputs, depend on the parameters and on the start of the window.
#ifndef CR_PREDICT_SENSITIVITY_H
#define CR_PREDICT_SENSITIVITY_H

#include "predict/predictor.h"

/// S over the step that work->d has just taken.
/// Equation S+ = A S + B                                       [identification.m2]
/// Errors   those of cr_step_vjp, in work->bar
cr_status cri_sensitivity_step(cri_predictor* work, const cri_problem* problem);

/// Rows of an output's errors at work->d, measured.
/// Equation C S + D                                            [identification.m3]
/// Shapes   rows[cri_output_errors cri_columns_of]
/// Errors   those of cr_forward_vjp, in work->bar
cr_status cri_sensitivity_output(cri_predictor* work, const cri_problem* problem,
                                 const cri_output* output, cr_real* rows);

/// Parts of a step, for integrators of several stages: the inputs of work->bar become zero; what a sweep left there becomes a row by
/// the state and one by the parameters; S over work->A and work->B.
/// Shapes   by_x[nx], by_p[np]
/// Equation S+ = A S + B                                       [identification.m2]
void cri_sensitivity_clear(cri_predictor* work, const cri_problem* problem);
void cri_sensitivity_collect(cri_predictor* work, const cri_problem* problem, cr_real* by_x,
                             cr_real* by_p);
void cri_sensitivity_advance(cri_predictor* work, const cri_problem* problem);

#endif
