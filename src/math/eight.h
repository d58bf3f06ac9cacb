// SPDX-License-Identifier: Apache-2.0
// The two sweeps of a sparse solve for eight right sides at once, a cache line of double, sums of eight rows, and products of
// matrices. The Jacobian of a step spends most of its time on the sweeps, a fit of measured runs a fifth on the sums, a plan by ilqr a third on
// products; only here does a wider instruction set pay. The same lines (eight_sweeps.h) are compiled for each set. Nothing is fused, so all give the
// same bits.
#ifndef CR_MATH_EIGHT_H
#define CR_MATH_EIGHT_H

#include "math/cholesky.h"

enum { CR_EIGHT = 8 };

/// One sweep over `rows` of a factor L (cr_chol_factor) for the right sides X[i * ld + 0 ...].
typedef void cr_sweep(const cr_real* L, const cr_pattern* p, cr_run rows, int ld, cr_real* X);

/// y += the sum of x[k] row[k] over eight rows of n numbers, none of which is y.
typedef void cr_add_rows(cr_real* y, const cr_real* x, const cr_real* const* row, int n);

/// A matrix, whose element (i, k) is x[i by_row + k by_column]: it or its transpose.
typedef struct {
  const cr_real* x;
  ptrdiff_t by_row, by_column;
} cr_factor_rows;

/// C[m][n] += A[m][depth] B[depth][n]; n is a multiple of CR_EIGHT. Each sum is made in the order of depth.
typedef void cr_multiply_rows(int m, int n, int depth, const cr_factor_rows* A, const cr_real* B,
                              int ldb, cr_real* C, int ldc);

typedef struct {
  const char* name;  // of the instruction set
  cr_sweep* up;      // X = L'^-1 X, last row to first
  cr_sweep* down;    // X = L^-1 X, first row to last
  cr_add_rows* add;
  cr_multiply_rows* multiply;
} cr_eight;

/// The widest set that this processor and the build have: AVX-512, AVX2, or that of every processor.
const cr_eight* cri_eight(void);

/// Number k of the sets that run here, the plain one first; NULL after the last.
const cr_eight* cri_eight_of(int k);

/// The sweeps of each set; NULL if it was not built.
const cr_eight* cri_eight_avx2(void);
const cr_eight* cri_eight_avx512(void);

#endif
