// SPDX-License-Identifier: Apache-2.0
// Plain products of matrices, row by row.
#include "network/product.h"

#include "network/layers.h"

static void zero_rows(int m, int n, cr_real* C, int ldc) {
  for (int i = 0; i < m; i++) {
    cr_zero(C + (size_t)i * (size_t)ldc, n);
  }
}

// y += s x
static void add_scaled(int n, cr_real s, const cr_real* x, cr_real* y) {
  for (int j = 0; j < n && s != 0; j++) {
    y[j] += s * x[j];
  }
}

void cri_product_plain(cri_product_kind kind, int m, int n, int k, const cr_real* A, int lda,
                       const cr_real* B, int ldb, bool add, cr_real* C, int ldc) {
  const size_t a = (size_t)lda, b = (size_t)ldb, c = (size_t)ldc;
  if (!add) {
    zero_rows(m, n, C, ldc);
  }
  for (int i = 0; i < m && kind == CRI_TIMES_TRANSPOSED; i++) {
    for (int j = 0; j < n; j++) {
      C[(size_t)i * c + (size_t)j] += cri_dot(k, B + (size_t)j * b, A + (size_t)i * a);
    }
  }
  for (int i = 0; i < m && kind == CRI_TIMES; i++) {
    for (int p = 0; p < k; p++) {
      add_scaled(n, A[(size_t)i * a + (size_t)p], B + (size_t)p * b, C + (size_t)i * c);
    }
  }
  for (int p = 0; p < k && kind == CRI_TRANSPOSED_TIMES; p++) {
    for (int i = 0; i < m; i++) {
      add_scaled(n, A[(size_t)p * a + (size_t)i], B + (size_t)p * b, C + (size_t)i * c);
    }
  }
}
