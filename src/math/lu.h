// SPDX-License-Identifier: Apache-2.0
// Factor of a matrix that is not symmetric but has the pattern of a joint-space inertia: entries
// between each dof and its ancestors, both ways. Eliminating from the last row to the first makes
// no fill (see math/cholesky.h). The lower triangle has that pattern. The upper triangle is
// stored transposed: entry k of row i of `lower` is A_ij, of `upper` A_ji, j its column.
#ifndef CR_MATH_LU_H
#define CR_MATH_LU_H

#include "math/cholesky.h"

/// Replaces A by its factors, A = U L with ones on U's diagonal. The diagonal of A and then of L is
/// in `lower`; that of `upper` is not used. No pivoting. Returns -1, or a row whose pivot is smaller
/// than CR_MINVAL or NaN.
int cr_lu_factor(cr_real* lower, cr_real* upper, const cr_pattern* p);

/// Y += s A X, or s A' X if `transposed`, of A before it is factored: of n columns, rows ld apart.
/// `rows`: only these, a part that no entry couples to others.
void cr_lu_mul_many_part(const cr_real* lower, const cr_real* upper, const cr_pattern* p,
                         cr_runs rows, bool transposed, cr_real s, int n, int ld, const cr_real* X,
                         cr_real* Y);

/// x = A^-1 x, given the factors.
void cr_lu_solve(const cr_real* lower, const cr_real* upper, const cr_pattern* p, cr_real* x);

/// The same for n right sides at once: X has p->n rows of n numbers, ld apart.
/// `rows`: only these, a part that no entry couples to others.
void cr_lu_solve_many_part(const cr_real* lower, const cr_real* upper, const cr_pattern* p,
                           cr_runs rows, int n, int ld, cr_real* X);
void cr_lu_solve_many(const cr_real* lower, const cr_real* upper, const cr_pattern* p, int n,
                      int ld, cr_real* X);

/// x = A^-T x, given the factors.
void cr_lu_solve_transposed(const cr_real* lower, const cr_real* upper, const cr_pattern* p,
                            cr_real* x);

#endif
