// SPDX-License-Identifier: Apache-2.0
// Cholesky factors of small dense matrices, row by row.
#include "math/dense_cholesky.h"

int cr_dense_chol_factor(cr_real* A, int n, cr_real least) {
  for (int i = 0; i < n; i++) {
    cr_real* a = A + (ptrdiff_t)i * n;
    const cr_real whole = a[i];
    for (int j = 0; j <= i; j++) {
      const cr_real* b = A + (ptrdiff_t)j * n;
      cr_real sum = a[j];
      for (int k = 0; k < j; k++) {
        sum -= a[k] * b[k];
      }
      if (j < i) {
        a[j] = sum * b[j];
      } else if (!(sum > 0 && sum > least * whole)) {
        return i;
      } else {
        a[i] = 1 / cr_sqrt(sum);
      }
    }
  }
  return -1;
}

void cr_dense_chol_forward(const cr_real* L, int n, cr_real* x) {
  for (int i = 0; i < n; i++) {
    const cr_real* row = L + (ptrdiff_t)i * n;
    cr_real sum = x[i];
    for (int j = 0; j < i; j++) {
      sum -= row[j] * x[j];
    }
    x[i] = sum * row[i];
  }
}

void cr_dense_chol_backward(const cr_real* L, int n, cr_real* x) {
  for (int i = n - 1; i >= 0; i--) {
    const cr_real* row = L + (ptrdiff_t)i * n;
    x[i] *= row[i];
    for (int j = 0; j < i; j++) {
      x[j] -= row[j] * x[i];
    }
  }
}

void cr_dense_chol_mul(const cr_real* L, int n, const cr_real* x, cr_real* y) {
  for (int i = 0; i < n; i++) {
    const cr_real* row = L + (ptrdiff_t)i * n;
    y[i] = x[i] / row[i];
    for (int j = 0; j < i; j++) {
      y[i] += row[j] * x[j];
    }
  }
}
