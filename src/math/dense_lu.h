// SPDX-License-Identifier: Apache-2.0
// Factors of a dense matrix that is not symmetric, with partial pivoting. The matrix may be a block of a larger
// one, its rows and columns those of some indices.
#ifndef CR_MATH_DENSE_LU_H
#define CR_MATH_DENSE_LU_H

#include "base/real.h"
#include "math/runs.h"

/// Replaces the rows and columns `at` of A (rows ld apart) by factors, P A = L U with ones on L's diagonal; pivot[i]
/// is the row that came to row i. Nothing else of A and pivot is read or written. False where a column has no
/// pivot but 0.
bool cr_dense_lu_factor(cr_real* A, int ld, cr_runs at, int32_t* pivot);

/// x = A^-1 x or A^-T x, given the factors: x[i stride] is the number of index i. `at` are those of the factors, or
/// some of them that no entry of A couples to others.
void cr_dense_lu_solve(const cr_real* A, int ld, cr_runs at, const int32_t* pivot, bool transposed,
                       cr_real* x, int stride);

#endif
