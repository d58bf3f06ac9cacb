// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "support/close.h"

#include "math/symmetric_eigen.h"

enum { N = 6 };

static void check(const cr_real* a, int n) {
  cr_real used[N * N], values[N], v[N * N];
  memcpy(used, a, (size_t)(n * n) * sizeof *a);
  cr_symmetric_eigen(used, n, values, v);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      cr_real product = 0, square = 0;
      for (int k = 0; k < n; k++) {
        product += v[i * n + k] * values[k] * v[j * n + k];
        square += v[k * n + i] * v[k * n + j];
      }
      assert_close(product, a[i * n + j], 200 * CR_EPS);
      assert_close(square, i == j, 100 * CR_EPS);
    }
  }
}

TEST(eigen_makes_the_matrix_again) {
  cr_random random = cr_random_seed(5, 0);
  for (int n = 1; n <= N; n++) {
    cr_real a[N * N];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        a[i * n + j] = a[j * n + i] = cr_random_range(&random, -1, 1);
      }
    }
    check(a, n);
  }
}

TEST(eigen_of_matrices_with_equal_or_zero_values) {
  const cr_real twice[] = {2, 0, 0, 0, 2, 0, 0, 0, 1};
  const cr_real ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const cr_real nothing[9] = {0};
  check(twice, 3);
  check(ones, 3);
  check(nothing, 3);
}

// known: 2 - 2 cos(k pi / (n + 1))
TEST(eigen_of_a_chain) {
  cr_real a[N * N] = {0}, values[N], v[N * N];
  for (int i = 0; i < N; i++) {
    a[i * N + i] = 2;
    if (i > 0) {
      a[i * N + i - 1] = a[(i - 1) * N + i] = -1;
    }
  }
  cr_symmetric_eigen(a, N, values, v);
  for (int k = 1; k <= N; k++) {
    cr_real known = 2 - 2 * cr_cos((cr_real)k * CR_PI / (N + 1)), nearest = 10;
    for (int i = 0; i < N; i++) {
      nearest = cr_min(nearest, cr_abs(values[i] - known));
    }
    assert_close(nearest, 0, 50 * CR_EPS);
  }
}
