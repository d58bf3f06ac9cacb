// SPDX-License-Identifier: Apache-2.0
// Products with the matrix of a layer. Sums of a row go in four parts, which the processor adds side by side; their
// order is fixed.
#include "network/layers.h"

cr_real cri_dot(int n, const cr_real* a, const cr_real* b) {
  cr_real s[4] = {0};
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    s[0] += a[k] * b[k];
    s[1] += a[k + 1] * b[k + 1];
    s[2] += a[k + 2] * b[k + 2];
    s[3] += a[k + 3] * b[k + 3];
  }
  for (; k < n; k++) {
    s[0] += a[k] * b[k];
  }
  return (s[0] + s[1]) + (s[2] + s[3]);
}

void cri_affine(int m, int n, const cr_real* W, const cr_real* b, const cr_real* x, cr_real* y) {
  for (int i = 0; i < m; i++) {
    y[i] = cri_dot(n, W + (size_t)i * (size_t)n, x) + (b != NULL ? b[i] : 0);
  }
}

void cri_affine_add(int m, int n, const cr_real* W, const cr_real* x, cr_real* y) {
  for (int i = 0; i < m; i++) {
    y[i] += cri_dot(n, W + (size_t)i * (size_t)n, x);
  }
}

void cri_affine_back(int m, int n, const cr_real* W, const cr_real* y, cr_real* x) {
  for (int i = 0; i < m; i++) {
    const cr_real* row = W + (size_t)i * (size_t)n;
    for (int k = 0; k < n && y[i] != 0; k++) {
      x[k] += row[k] * y[i];
    }
  }
}

void cri_affine_outer(int m, int n, const cr_real* y, const cr_real* x, cr_real* W_bar) {
  for (int i = 0; i < m; i++) {
    cr_real* row = W_bar + (size_t)i * (size_t)n;
    for (int k = 0; k < n && y[i] != 0; k++) {
      row[k] += y[i] * x[k];
    }
  }
}
