// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "support/close.h"

#include "math/qr.h"

enum { ROWS = 7, N = 3, WIDTH = 4 };

static void fill(cr_real* a, int count) {
  cr_random random = cr_random_seed(3, 0);
  for (int i = 0; i < count; i++) {
    a[i] = cr_random_range(&random, -1, 1);
  }
}

// A'A = R'R and A'b = R'c, and below the triangle there are zeros
TEST(qr_keeps_the_normal_equations) {
  cr_real a[ROWS * WIDTH], before[ROWS * WIDTH], work[WIDTH];
  fill(a, ROWS * WIDTH);
  memcpy(before, a, sizeof a);
  cr_qr(a, ROWS, N, WIDTH, work);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < WIDTH; j++) {
      cr_real was = 0, is = 0;
      for (int k = 0; k < ROWS; k++) {
        was += before[k * WIDTH + i] * before[k * WIDTH + j];
        is += a[k * WIDTH + i] * a[k * WIDTH + j];
      }
      assert_close(is, was, 50 * CR_EPS);
    }
    for (int k = i + 1; k < ROWS; k++) {
      assert_close(a[k * WIDTH + i], 0, 0);
    }
  }
}

TEST(qr_solves_what_has_a_solution) {
  const cr_real x[N] = {CR_R(0.5), -2, 3};
  cr_real a[ROWS * WIDTH], work[WIDTH], y[N];
  fill(a, ROWS * WIDTH);
  for (int i = 0; i < ROWS; i++) {
    a[i * WIDTH + N] = 0;
    for (int j = 0; j < N; j++) {
      a[i * WIDTH + N] += a[i * WIDTH + j] * x[j];
    }
  }
  cr_qr(a, ROWS, N, WIDTH, work);
  assert_int_equal(cr_qr_solve(a, N, WIDTH, N, y), N);
  for (int j = 0; j < N; j++) {
    assert_close(y[j], x[j], 200 * CR_EPS);
  }
}

TEST(qr_names_a_column_that_others_make) {
  cr_real a[ROWS * WIDTH], work[WIDTH], y[N] = {7, 7, 7};
  fill(a, ROWS * WIDTH);
  for (int i = 0; i < ROWS; i++) {
    a[i * WIDTH + 1] = 2 * a[i * WIDTH];
  }
  cr_qr(a, ROWS, N, WIDTH, work);
  assert_int_equal(cr_qr_solve(a, N, WIDTH, N, y), 1);
  assert_close(y[0], 7, 0);
}

// squares of the numbers would not be in range
TEST(qr_of_small_and_large_numbers) {
  const cr_real powers[] = {CR_R(1e-200), CR_R(1e200)};
  for (int p = 0; p < 2; p++) {
    cr_real a[] = {3 * powers[p], 6, 4 * powers[p], 8}, work[2], x;
    cr_qr(a, 2, 1, 2, work);
    assert_close(cr_abs(a[0]) / powers[p], 5, 20 * CR_EPS);
    assert_int_equal(cr_qr_solve(a, 1, 2, 1, &x), 1);
    assert_close(x * powers[p], 2, 20 * CR_EPS);
  }
}
