// SPDX-License-Identifier: Apache-2.0
// Plain products of matrices against their definition, with rows that stand apart.
#include "network/product.h"

#include "base/random.h"
#include "support/test.h"

enum { MOST = 12, WIDE = MOST + 3 };

static cr_real of_definition(cri_product_kind kind, int i, int j, int k, const cr_real* A,
                             const cr_real* B) {
  cr_real sum = 0;
  for (int p = 0; p < k; p++) {
    const cr_real a = kind == CRI_TRANSPOSED_TIMES ? A[p * WIDE + i] : A[i * WIDE + p];
    const cr_real b = kind == CRI_TIMES_TRANSPOSED ? B[j * WIDE + p] : B[p * WIDE + j];
    sum += a * b;
  }
  return sum;
}

TEST(products_are_those_of_the_definition) {
  cr_random r = cr_random_seed(1, 0);
  cr_real A[MOST * WIDE], B[MOST * WIDE], C[2][MOST * WIDE];
  for (int round = 0; round < 60; round++) {
    const cri_product_kind kind = (cri_product_kind)(round % 3);
    const int m = 1 + cr_random_int(&r, MOST), n = 1 + cr_random_int(&r, MOST),
              k = 1 + cr_random_int(&r, MOST);
    const bool add = round % 2 == 0;
    for (int i = 0; i < MOST * WIDE; i++) {
      A[i] = cr_random_range(&r, -1, 1);
      B[i] = cr_random_range(&r, -1, 1);
      C[0][i] = C[1][i] = cr_random_range(&r, -1, 1);
    }
    cri_product_plain(kind, m, n, k, A, WIDE, B, WIDE, add, C[1], WIDE);
    for (int i = 0; i < MOST * WIDE; i++) {
      const int row = i / WIDE, column = i % WIDE;
      cr_real right = C[0][i];
      if (row < m && column < n) {
        right = (add ? right : 0) + of_definition(kind, row, column, k, A, B);
      }
      assert_true(cr_abs(C[1][i] - right) <= 32 * CR_EPS);
    }
  }
  (void)state;
}
