// SPDX-License-Identifier: Apache-2.0
// QR decomposition by Householder's reflections, for least squares of dense rows.
#ifndef CR_MATH_QR_H
#define CR_MATH_QR_H

#include "base/real.h"

/// Makes the first `n` columns of a upper triangular, by reflections from the left; the other columns go along. So
/// of [A | b] there is [R | Q'b] in the first rows. With fewer rows than columns R ends with the last row.
/// Shapes   a[rows width], row by row, n <= width; work[width]
void cr_qr(cr_real* a, int rows, int n, int width, cr_real* work);

/// Solves R x = b with the upper triangle R in the first n columns of a and b in column `right`.
/// Returns the first column whose diagonal is zero but for rounding, and leaves x; n if there is none.
/// Shapes   a[n width], x[n]
int cr_qr_solve(const cr_real* a, int n, int width, int right, cr_real* x);

#endif
