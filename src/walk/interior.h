// SPDX-License-Identifier: Apache-2.0
// The interior point method for convex quadratic problems (Mehrotra, On the implementation of a primal-dual interior point method, 1992).
#ifndef CR_WALK_INTERIOR_H
#define CR_WALK_INTERIOR_H

#include "walk/convex_qp.h"

typedef struct cr_interior cr_interior;

cr_status cri_interior_create(cr_interior** interior, int n, int m, double accuracy,
                              cr_error* error);
void cri_interior_destroy(cr_interior* interior);

/// Each bound becomes a row g x <= h with a slack s and a multiplier z, both above 0. A step solves
/// (P + G' diag(z / s) G) dx = ... by Cholesky, first towards s z = 0, then towards a centre that this first step chooses.
/// *iterations: how many steps it took
/// Errors   those of cri_qp_solve
cr_status cri_interior_solve(cr_interior* interior, const cr_qp* qp, double* x, double* y,
                             int* iterations, cr_error* error);

#endif
