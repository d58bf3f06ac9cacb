// SPDX-License-Identifier: Apache-2.0
// The motion between two states of an integrator, from these and their accelerations alone.
#ifndef CR_INTEGRATE_DENSE_H
#define CR_INTEGRATE_DENSE_H

#include "model/state_vector.h"

/// A state on the way, with the rates there.
typedef struct {
  cri_state state, rate;  // the rate of coordinates is the velocity; it is not read
  cr_real time;
} cri_node;

/// The state in d at a time t between two nodes.
/// Map      (a, b, t) -> the state in d, d->time
/// Equation q = (qa (+) (t - ta) W) (+) p,  v = exp(-p) W + Jr(p) p'        [adjoint.d1]
///          W the mean of the two velocities, p the polynomial of degree five that meets q, v and
///          v' at both ends; all else the cubic one that meets it and its rate      [adjoint.d2]
///          derivation: docs/derivations/adjoint.md
/// Scratch  11 nv + nq numbers of d
/// Smooth   everywhere; the errors are O(h^6) in q, O(h^5) in v, O(h^4) in act, where the motion is
void cri_dense_at(const cr_model* m, const cri_node* a, const cri_node* b, cr_real t, cr_data* d);

#endif
