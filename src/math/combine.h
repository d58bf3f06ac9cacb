// SPDX-License-Identifier: Apache-2.0
// Sums of rows: the inner loop of products and of normal equations.
#ifndef CR_MATH_COMBINE_H
#define CR_MATH_COMBINE_H

#include "base/real.h"

/// y += sum over k of x[k] times row k. Rows with x[k] = 0 are not read.
/// Shapes   y[n], x[rows], R[rows stride]; y must not overlap
void cri_combine(cr_real* restrict y, const cr_real* x, int rows, const cr_real* R, int stride,
                 int n);

#endif
