// SPDX-License-Identifier: Apache-2.0
// Measurements laid out for an identification: places, tracks and controls of runs, windows, and what of x is what.
#ifndef CR_PREDICT_LAYOUT_H
#define CR_PREDICT_LAYOUT_H

#include "predict/problem.h"

/// Fills everything of a problem but its current point. Free with cri_layout_free, also after an error.
/// Errors   those of cr_identification_create
cr_status cri_layout(cri_problem* problem, cr_parameters* parameters,
                     const cr_measurements* measurements, const cr_identification_options* options,
                     cr_error* error);
void cri_layout_free(cri_problem* problem);

/// States about which starts begin: reference pose, then coordinates and velocities that were measured there; velocities
/// of measured coordinates from their slope over the first measurements of the window.
void cri_layout_starts(cri_problem* problem);

/// The state at the start of a window, at the current point.
/// Equation state = base (+) coordinates of the start
/// Shapes   state[cri_state_size]
void cri_layout_start(const cri_problem* problem, int span, cr_real* state);

#endif
