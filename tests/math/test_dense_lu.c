// SPDX-License-Identifier: Apache-2.0
// Solves with random matrices and their transposes, whole and in parts, with and without pivots.
#include "math/dense_lu.h"

#include "base/random.h"
#include "support/close.h"
#include "support/test.h"

enum { N = 9 };

static const cr_run runs[] = {{1, 4}, {5, 6}, {7, 9}};
static const cr_runs at = {3, runs};

static void fill(cr_real* A, cr_random* r) {
  for (int i = 0; i < N * N; i++) {
    A[i] = cr_random_normal(r);
  }
}

// row i of A x, or of A' x, over `at`
static cr_real product(const cr_real* A, const cr_real* x, int stride, int i, bool transposed) {
  cr_real sum = 0;
  CR_EACH(j, at) { sum += (transposed ? A[j * N + i] : A[i * N + j]) * x[j * stride]; }
  return sum;
}

static void set_apart(cr_real* row, int i) {
  CR_EACH(j, at) { row[j] = (i < 5) == (j < 5) ? row[j] : 0; }
}

// A x = b, or A' x = b, over `at`
static void check(const cr_real* A, const cr_real* x, int stride, const cr_real* b,
                  bool transposed) {
  CR_EACH(i, at) { assert_close(product(A, x, stride, i, transposed), b[i], CR_R(1e4) * CR_EPS); }
}

TEST(solves_are_those_of_the_matrix) {
  cr_random r = cr_random_seed(1, 2);
  for (int k = 0; k < 40; k++) {
    cr_real A[N * N], LU[N * N], b[N], x[2 * N];
    int32_t pivot[N];
    fill(A, &r);
    A[N + 1] = k % 2 == 0 ? 0 : A[N + 1];  // needs a pivot
    cr_copy(LU, A, N * N);
    assert_true(cr_dense_lu_factor(LU, N, at, pivot));
    for (int transposed = 0; transposed < 2; transposed++) {
      int stride = 1 + transposed;
      for (int i = 0; i < N; i++) {
        x[i * stride] = b[i] = cr_random_normal(&r);
      }
      cr_dense_lu_solve(LU, N, at, pivot, transposed, x, stride);
      check(A, x, stride, b, transposed);
      assert_true(x[0] == b[0] && x[4 * stride] == b[4] && x[6 * stride] == b[6]);
    }
    assert_true(LU[0] == A[0] && LU[4 * N + 2] == A[4 * N + 2] && LU[2 * N + 4] == A[2 * N + 4]);
  }
}

// a part that nothing couples to the rest is solved with the factors of the whole
TEST(parts_are_solved_alone) {
  static const cr_run first[] = {{1, 4}}, second[] = {{5, 6}, {7, 9}};
  cr_random r = cr_random_seed(1, 3);
  cr_real A[N * N], LU[N * N], x[N], y[N];
  int32_t pivot[N];
  fill(A, &r);
  CR_EACH(i, at) { set_apart(A + i * N, i); }
  cr_copy(LU, A, N * N);
  assert_true(cr_dense_lu_factor(LU, N, at, pivot));
  for (int i = 0; i < N; i++) {
    x[i] = y[i] = cr_random_normal(&r);
  }
  for (int transposed = 0; transposed < 2; transposed++) {
    cr_dense_lu_solve(LU, N, at, pivot, transposed, x, 1);
    cr_dense_lu_solve(LU, N, (cr_runs){2, second}, pivot, transposed, y, 1);
    cr_dense_lu_solve(LU, N, (cr_runs){1, first}, pivot, transposed, y, 1);
    assert_all_close(x, y, N, 0);
  }
}

TEST(what_has_no_inverse_is_told) {
  cr_real A[N * N] = {0};
  int32_t pivot[N];
  assert_false(cr_dense_lu_factor(A, N, at, pivot));
  A[0] = (cr_real)NAN;
  assert_false(cr_dense_lu_factor(A, N, (cr_runs){1, (cr_run[]){{0, 1}}}, pivot));
  assert_true(cr_dense_lu_factor(A, N, (cr_runs){0, NULL}, pivot));
}
