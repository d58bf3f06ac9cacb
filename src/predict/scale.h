// SPDX-License-Identifier: Apache-2.0
// How far a number that is to be found may move before it is another one.
#ifndef CR_PREDICT_SCALE_H
#define CR_PREDICT_SCALE_H

#include "predict/problem.h"

/// Of number i of x: a parameter by all of its value, or between its bounds where the value is 0; a delay up to the longest; an
/// offset by a hundred standard deviations of its place.
/// Shapes   x[n]
cr_real cri_scale_of(const cri_problem* problem, const cr_real* x, int i);

#endif
