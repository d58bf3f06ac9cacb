// SPDX-License-Identifier: Apache-2.0
// Curves of length and velocity: the gain and the bias of an actuator with one input. The law of a
// curve is one function, which gives the curve and both its slopes, each with its gradient.
#ifndef CR_ACTUATOR_CURVE_H
#define CR_ACTUATOR_CURVE_H

#include "model/model.h"

/// Which function of a curve: itself, or its derivative over velocity or length.
typedef enum { CR_AS_IT_IS, CR_OVER_VELOCITY, CR_OVER_LENGTH } cri_slope_over;

/// Derivatives by all inputs of a curve: length, velocity, the parameters of its law and, if
/// the law says so, the range of the length and acc0.
typedef struct {
  cr_real length, velocity;
  cr_real prm[10];
  cr_real range[2], acc0;
} cri_curve_gradient;

/// The law of a curve of actuator i with the parameters p, at length l and velocity v. Fills `g` with the
/// gradient of its result, unless it is NULL.
typedef cr_real cri_curve_law(const cr_model* m, int i, const cr_real* p, cri_slope_over over,
                              cr_real l, cr_real v, cri_curve_gradient* g);

#endif
