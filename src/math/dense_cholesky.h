// SPDX-License-Identifier: Apache-2.0
// Cholesky factors of small dense symmetric matrices, A = L L', rows n apart.
#ifndef CR_MATH_DENSE_CHOLESKY_H
#define CR_MATH_DENSE_CHOLESKY_H

#include "base/real.h"

/// Replaces the lower triangle of A[n n] by L, with 1 / L_ii on the diagonal; the rest is not read. Returns -1, or the
/// first row at which A is not positive definite: where the pivot is not above `least` times A_ii.
int cr_dense_chol_factor(cr_real* A, int n, cr_real least);

/// x = L^-1 x, x = L^-T x.
void cr_dense_chol_forward(const cr_real* L, int n, cr_real* x);
void cr_dense_chol_backward(const cr_real* L, int n, cr_real* x);

/// y = L x.
void cr_dense_chol_mul(const cr_real* L, int n, const cr_real* x, cr_real* y);

/// x = A^-1 x.
static inline void cr_dense_chol_solve(const cr_real* L, int n, cr_real* x) {
  cr_dense_chol_forward(L, n, x);
  cr_dense_chol_backward(L, n, x);
}

#endif
