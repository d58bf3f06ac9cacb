// SPDX-License-Identifier: Apache-2.0
// The backward pass of a matrix whose rows are velocities of bodies against each other, and whose
// cotangent is a sum of pairs left (x) right: two sweeps of the tree for all pairs at once.
#ifndef CR_KINEMATICS_OPERATOR_SWEEP_H
#define CR_KINEMATICS_OPERATOR_SWEEP_H

#include "model/data.h"

/// Body b has its numbers of pair k at 6 (n b + k).
typedef struct {
  int n;
  cr_real* V;  // the bodies' motions under the right vectors
  cr_real* F;  // the forces that the left ones put on bodies
} cri_operator_sweep;

/// Root to leaf: V; F is zero. In scratch of `bar`.
cri_operator_sweep cri_operator_sweep_begin(const cr_model* m, const cr_data* d, cr_data* bar,
                                            const cr_pairs* pairs);

/// Leaf to root: adds the cotangent of cdof.
void cri_operator_sweep_end(const cr_model* m, cr_data* bar, const cr_pairs* pairs,
                            const cri_operator_sweep* s);

#endif
