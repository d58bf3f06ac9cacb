// SPDX-License-Identifier: Apache-2.0
// The backward pass of a matrix whose rows are relative velocities of bodies. Its
// cotangent is a sum of pairs left (x) right: two sweeps of the tree do all pairs at once.
#ifndef CR_KINEMATICS_OPERATOR_SWEEP_H
#define CR_KINEMATICS_OPERATOR_SWEEP_H

#include "model/data.h"

/// The numbers of body b in pair k are at 6 (n b + k).
typedef struct {
  int n;
  cr_real* V;  // motions of the bodies under the right vectors
  cr_real* F;  // forces of the left vectors on the bodies
} cri_operator_sweep;

/// Root to leaf: V; F is zero. In scratch of `bar`.
cri_operator_sweep cri_operator_sweep_begin(const cr_model* m, const cr_data* d, cr_data* bar,
                                            const cr_pairs* pairs);

/// Leaf to root: adds the cotangent of cdof.
void cri_operator_sweep_end(const cr_model* m, cr_data* bar, const cr_pairs* pairs,
                            const cri_operator_sweep* s);

#endif
