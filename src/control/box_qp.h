// SPDX-License-Identifier: Apache-2.0
// Small quadratic problems within bounds.
#ifndef CR_CONTROL_BOX_QP_H
#define CR_CONTROL_BOX_QP_H

#include "base/real.h"

/// Numbers of work for n unknowns.
static inline int cri_box_qp_room(int n) { return n * n + 4 * n; }

/// Minimises x'H x / 2 + g'x with lower <= x <= upper by projected Newton steps (Tassa, Mansard, Todorov, Control-limited differential
/// dynamic programming, 2014), from the x given. free[i]: no bound holds x_i. L: the Cholesky factor, L L', of the rows and
/// columns of H that are free, packed at the left of rows of n numbers.
/// Shapes   H[n n], g, lower, upper, x[n], free[n], L[n n], work[cri_box_qp_room(n)]
/// Returns  how many are free; -1 where H is not positive definite on them
int cri_box_qp(int n, const cr_real* H, const cr_real* g, const cr_real* lower,
               const cr_real* upper, cr_real* x, bool* free, cr_real* L, cr_real* work);

/// Replaces b[n], one number for each free row in order, by (L L')^-1 b.
void cri_box_qp_solve(const cr_real* L, int n, int nfree, cr_real* b);

#endif
