// SPDX-License-Identifier: Apache-2.0
// Dense Cholesky factors: what they solve, and what has none.
#include "math/dense_cholesky.h"

#include "base/random.h"
#include "support/close.h"

enum { N = 7 };

TEST(a_factor_solves_and_multiplies) {
  cr_random random_;
  cr_real A[N * N], L[N * N], x[N], y[N] = {0}, back[N];
  random_ = cr_random_seed(1, 0);
  for (int i = 0; i < N; i++) {
    x[i] = cr_random_uniform(&random_);
    for (int j = 0; j <= i; j++) {
      A[i * N + j] = A[j * N + i] = (i == j ? N : 0) + cr_random_uniform(&random_);
    }
  }
  for (int i = 0; i < N * N; i++) {
    L[i] = A[i];
    y[i / N] += A[i] * x[i % N];
  }
  assert_int_equal(cr_dense_chol_factor(L, N, 0), -1);
  cr_dense_chol_solve(L, N, y);
  assert_all_close(y, x, N, CR_R(1e-13));
  cr_dense_chol_mul(L, N, x, back);
  cr_dense_chol_forward(L, N, back);
  assert_all_close(back, x, N, CR_R(1e-13));
}

TEST(the_first_bad_row_is_named) {
  cr_real A[9] = {2, 0, 0, 1, 1, 0, 0, 0, -1}, B[4] = {1, 0, 1, 1}, C[1] = {(cr_real)NAN};
  assert_int_equal(cr_dense_chol_factor(A, 3, 0), 2);
  assert_int_equal(cr_dense_chol_factor(B, 2, CR_R(1e-12)), 1);
  assert_int_equal(cr_dense_chol_factor(C, 1, 0), 0);
}
