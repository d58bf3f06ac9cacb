// SPDX-License-Identifier: Apache-2.0
// The plain curves: a constant, and a constant with slopes over length and velocity.
#ifndef CR_ACTUATOR_AFFINE_H
#define CR_ACTUATOR_AFFINE_H

#include "actuator/curve.h"

/// Equation p0; one parameter
cri_curve_law cri_fixed_curve;

/// Equation p0 + p1 l + p2 v; three parameters
cri_curve_law cri_affine_curve;

#endif
