// SPDX-License-Identifier: Apache-2.0
// The tangent that leads from one state to another.
#ifndef CR_KINEMATICS_STATE_MINUS_H
#define CR_KINEMATICS_STATE_MINUS_H

#include "model/state_vector.h"

/// d = a (-) b, so that b (+) d = a.
/// Equation orientations: log(b^-1 a); the rest: a - b                                  [plan.d1]
/// Shapes   d[cri_state_tangent_size(m)]
void cri_state_minus(const cr_model* m, cri_state a, cri_state b, cr_real* d);

#endif
