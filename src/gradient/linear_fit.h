// SPDX-License-Identifier: Apache-2.0
// Least squares: y = c + X w from samples of w and y.
#ifndef CR_GRADIENT_LINEAR_FIT_H
#define CR_GRADIENT_LINEAR_FIT_H

#include "base/real.h"

/// Sums over samples. n numbers w of which those with use[i] count, with a constant in front; m numbers y.
typedef struct {
  int n, m, count;
  const bool* use;  // n; NULL: all
  cr_real *G, *R;   // (n + 1)(n + 1): w w', then its factor; (n + 1) m: w y'
  cr_real* square;  // m: y y
  cr_real* row;     // n + 1
} cri_linear_fit;

/// Numbers of memory.
size_t cri_linear_fit_room(int n, int m);

/// Begins with memory of that size.
void cri_linear_fit_begin(cri_linear_fit* f, int n, int m, const bool* use, cr_real* memory);
void cri_linear_fit_add(cri_linear_fit* f, const cr_real* w, const cr_real* y);

/// Solves: the columns of X[m n] that count, c[m] (NULL: not asked). False where the samples do not determine them.
bool cri_linear_fit_solve(cri_linear_fit* f, cr_real* X, cr_real* c);

/// Behind it the standard error of X_ij, or with j = -1 of c_i: that of residuals with one variance, root of r'r / (count - k) (w w')^-1_jj of
/// k numbers. Infinite without residuals to spare.
cr_real cri_linear_fit_error(cri_linear_fit* f, int i, int j);

#endif
