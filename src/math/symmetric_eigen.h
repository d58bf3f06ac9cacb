// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of a symmetric matrix.
#ifndef CR_MATH_SYMMETRIC_EIGEN_H
#define CR_MATH_SYMMETRIC_EIGEN_H

#include "base/real.h"

/// A = V diag(values) V', by Jacobi's rotations in a fixed order (Golub and Van Loan, Matrix computations, section 8.5).
/// Columns of V belong to values, which are in no order. A is used up.
/// Shapes   a[n n], values[n], vectors[n n], row by row
/// Smooth   no derivatives
void cr_symmetric_eigen(cr_real* a, int n, cr_real* values, cr_real* vectors);

#endif
