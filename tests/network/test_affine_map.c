// SPDX-License-Identifier: Apache-2.0
// Products with a matrix, for every number of columns about the parts that are summed side by side.
#include "network/layers.h"
#include "support/test.h"

enum { M = 3, MOST = 11 };

TEST(products_are_those_of_the_definition) {
  for (int n = 1; n <= MOST; n++) {
    cr_real W[M * MOST], b[M], x[MOST], y[M], back[MOST] = {0}, outer[M * MOST] = {0};
    for (int i = 0; i < M * n; i++) {
      W[i] = (cr_real)(i * i % 17 - 8);
    }
    for (int k = 0; k < n; k++) {
      x[k] = (cr_real)(k - 4);
    }
    for (int i = 0; i < M; i++) {
      b[i] = (cr_real)(10 * i);
    }
    cri_affine(M, n, W, b, x, y);
    cri_affine_add(M, n, W, x, y);
    for (int i = 0; i < M; i++) {
      cr_real sum = 0;
      for (int k = 0; k < n; k++) {
        sum += W[i * n + k] * x[k];
      }
      assert_true(y[i] == 2 * sum + b[i]);
    }
    cri_affine_back(M, n, W, b, back);
    cri_affine_outer(M, n, b, x, outer);
    for (int k = 0; k < n; k++) {
      assert_true(back[k] == 10 * W[n + k] + 20 * W[2 * n + k]);
      assert_true(outer[k] == 0 && outer[2 * n + k] == 20 * x[k]);
    }
  }
  (void)state;
}
