// SPDX-License-Identifier: Apache-2.0
// Sums of rows against one product after the other, for all small sizes; rows that do not count are not read.
#include "math/combine.h"

#include "base/random.h"
#include "support/test.h"

enum { MOST = 21, STRIDE = 24 };

TEST(sums_of_rows) {
  cr_random random = cr_random_seed(5, 1);
  for (int rows = 0; rows <= MOST; rows++) {
    cr_real R[MOST * STRIDE], x[MOST], y[STRIDE], expected[STRIDE];
    int n = rows;
    for (int j = 0; j < STRIDE; j++) {
      y[j] = expected[j] = cr_random_normal(&random);
    }
    for (int k = 0; k < rows; k++) {
      x[k] = k % 4 == 1 ? 0 : cr_random_normal(&random);
      for (int j = 0; j < STRIDE; j++) {
        R[k * STRIDE + j] = x[k] == 0 ? (cr_real)NAN : cr_random_normal(&random);
        expected[j] += x[k] == 0 || j >= n ? 0 : x[k] * R[k * STRIDE + j];
      }
    }
    cri_combine(y, x, rows, R, STRIDE, n);
    for (int j = 0; j < STRIDE; j++) {
      assert_true(cr_abs(y[j] - expected[j]) < 64 * CR_EPS);
    }
  }
}
