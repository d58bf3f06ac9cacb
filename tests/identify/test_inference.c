// SPDX-License-Identifier: Apache-2.0
// Intervals against tables, covariances, numbers that data do not tell.
#include "identify/inference.h"

#include "base/random.h"
#include "support/close.h"
#include "support/test.h"

enum { N = 6 };

static void random_matrix(cr_real* A, uint64_t seed) {
  cr_random random = cr_random_seed(seed, 1);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++) {
      A[i * N + j] = A[j * N + i] = cr_random_normal(&random);
    }
  }
}

TEST(quantiles_are_those_of_tables) {
  // Abramowitz and Stegun, table 26.10, two-sided
  const cr_real rows[][3] = {{CR_R(0.9), 5, CR_R(2.015)},   {CR_R(0.9), 30, CR_R(1.697)},
                             {CR_R(0.95), 10, CR_R(2.228)}, {CR_R(0.99), 20, CR_R(2.845)},
                             {CR_R(0.9), 1e9, CR_R(1.645)}, {CR_R(0.95), 1e9, CR_R(1.960)}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_true(cr_abs(cri_student(rows[i][0], rows[i][1]) - rows[i][2]) < CR_R(2e-3));
  }
}

TEST(covariance_is_the_inverse) {
  cr_error error;
  cr_real A[N * N], H[N * N], scale[N];
  random_matrix(A, 33);
  for (int i = 0; i < N; i++) {
    scale[i] = (cr_real)(1 << i);
    for (int j = 0; j < N; j++) {
      H[i * N + j] = i == j ? 100 : 0;
      for (int k = 0; k < N; k++) {
        H[i * N + j] += A[i * N + k] * A[j * N + k];
      }
    }
  }
  cri_inference f;
  assert_int_equal(cri_inference_of(&f, N, H, scale, 1, &error), CR_OK);
  for (int i = 0; i < N; i++) {
    assert_true(f.told[i]);
    for (int j = 0; j < N; j++) {
      cr_real sum = -(cr_real)(i == j);
      for (int k = 0; k < N; k++) {
        sum += H[i * N + k] * f.covariance[k * N + j];
      }
      assert_true(cr_abs(sum) < CR_R(1e-10));
    }
  }
  // the step that is left solves H step = -g
  cr_real g[N], step[N];
  for (int i = 0; i < N; i++) {
    g[i] = A[i * N];
  }
  cri_inference_step(&f, g, step);
  for (int i = 0; i < N; i++) {
    cr_real sum = g[i];
    for (int k = 0; k < N; k++) {
      sum += H[i * N + k] * step[k];
    }
    assert_true(cr_abs(sum) < CR_R(1e-10));
  }
  cri_inference_free(&f);
}

TEST(sums_that_alone_are_told) {
  // x0 and x1 act as x0 + x1, x2 alone, x3 not at all
  cr_error error;
  const cr_real H[16] = {1e6, 1e6, 0, 0, 1e6, 1e6, 0, 0, 0, 0, 1e4, 0, 0, 0, 0, 0};
  const cr_real scale[4] = {1, 1, 1, 1};
  cri_inference f;
  assert_int_equal(cri_inference_of(&f, 4, H, scale, 1, &error), CR_OK);
  const bool told[4] = {false, false, true, false};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(f.told[i], told[i]);
    assert_int_equal(isnan(f.covariance[5 * i]) != 0, !told[i]);
  }
  assert_true(cr_abs(f.covariance[10] - CR_R(1e-4)) < CR_R(1e-12));
  assert_true(isinf(f.spread[0]) && isinf(f.spread[1]) && f.spread[2] < 1 && f.spread[3] < 1);
  cri_inference_free(&f);
}

TEST(functions_of_numbers_are_told_where_their_directions_are) {
  // x0 + x1 to 1e-3, x2 to 0.11, x3 hardly, to 2 scales
  cr_error error;
  const cr_real H[16] = {CR_R(0.5e6), CR_R(0.5e6), 0,  0, CR_R(0.5e6), CR_R(0.5e6), 0, 0,
                         0,           0,           90, 0, 0,           0,           0, 1};
  const cr_real scale[4] = {1, 1, CR_R(0.1), CR_R(0.5)};
  cri_inference f;
  assert_int_equal(cri_inference_of(&f, 4, H, scale, 1, &error), CR_OK);
  const cr_real sum[4] = {2, 2, 3, 0}, first[4] = {1, 0, 0, 0}, last[4] = {0, 0, 1, 1};
  const cr_real mostly[4] = {2, CR_R(1.9), 0, 0}, none[4] = {0};
  // along (1, 1) / sqrt 2 with deviation 1e-3: 2 sqrt 2 1e-3; and 3 / sqrt 90
  cr_real right = cr_sqrt(CR_R(8e-6) + CR_R(0.1));
  assert_true(cr_abs(cri_inference_deviation(&f, sum) - right) < CR_R(1e-10));
  assert_true(isinf(cri_inference_deviation(&f, first)));
  assert_true(isinf(cri_inference_deviation(&f, mostly)));
  assert_true(isinf(cri_inference_deviation(&f, last)));
  assert_true(cri_inference_deviation(&f, none) == 0);
  assert_true(!f.told[0] && !f.told[1] && !f.told[2] && !f.told[3]);
  cri_inference_free(&f);
  // the same with scales that make x2 known
  const cr_real wide[4] = {1, 1, 1, 10};
  assert_int_equal(cri_inference_of(&f, 4, H, wide, 1, &error), CR_OK);
  assert_true(!f.told[0] && f.told[2] && f.told[3]);
  assert_true(cr_abs(cri_inference_deviation(&f, last) - cr_sqrt(1 + CR_R(1.0) / 90)) <
              CR_R(1e-10));
  cri_inference_free(&f);
}
