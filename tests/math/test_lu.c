// SPDX-License-Identifier: Apache-2.0
// The factor of a branched pattern against its product, solves against the matrix, zero pivots.
#include "math/lu.h"

#include <math.h>

#include "base/random.h"
#include "support/close.h"

// two branches on a stem: 0 - 1 - {2 - 3, 4 - 5 - 6}, and a root of its own, 7
enum { N = 8 };
static const int32_t parent[N] = {-1, 0, 1, 2, 1, 4, 5, -1};
static int32_t nnz[N], adr[N], col[N * N];
static cr_real lower[N * N], upper[N * N], A[N][N];

static cr_pattern make_pattern(void) {
  int used = 0;
  for (int i = 0; i < N; i++) {
    int inherited = parent[i] < 0 ? 0 : nnz[parent[i]];
    adr[i] = used;
    nnz[i] = inherited + 1;
    for (int k = 0; k < inherited; k++) {
      col[used + k] = col[adr[parent[i]] + k];
    }
    col[used + inherited] = i;
    used += nnz[i];
  }
  return (cr_pattern){.n = N, .nnz = nnz, .adr = adr, .col = col};
}

static cr_pattern begin(uint64_t seed) {
  cr_random r = cr_random_seed(seed, 9);
  cr_pattern p = make_pattern();
  for (int i = 0; i < N * N; i++) {
    A[i / N][i % N] = 0;
  }
  for (int i = 0; i < N; i++) {
    for (int k = adr[i]; k < adr[i] + nnz[i]; k++) {
      lower[k] = A[i][col[k]] = cr_random_normal(&r) + (col[k] == i ? 6 : 0);
      upper[k] = col[k] == i ? 0 : cr_random_normal(&r);
      A[col[k]][i] = col[k] == i ? lower[k] : upper[k];
    }
  }
  return p;
}

TEST(solves_undo_products) {
  for (uint64_t seed = 1; seed < 10; seed++) {
    cr_pattern p = begin(seed);
    cr_real x[N], y[N], z[N];
    for (int i = 0; i < N; i++) {
      x[i] = 1 + (cr_real)i;
      y[i] = z[i] = 0;
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        y[i] += A[i][j] * x[j];
        z[i] += A[j][i] * x[j];
      }
    }
    cr_run all = {0, N};
    cr_real both[N] = {0};
    cr_lu_mul_many_part(lower, upper, &p, (cr_runs){1, &all}, false, 2, 1, 1, x, both);
    cr_lu_mul_many_part(lower, upper, &p, (cr_runs){1, &all}, true, -1, 1, 1, x, both);
    for (int i = 0; i < N; i++) {
      assert_close(both[i], 2 * y[i] - z[i], CR_R(1e-13));
    }
    assert_int_equal(cr_lu_factor(lower, upper, &p), -1);
    cr_lu_solve(lower, upper, &p, y);
    cr_lu_solve_transposed(lower, upper, &p, z);
    assert_all_close(y, x, N, CR_R(1e-13));
    assert_all_close(z, x, N, CR_R(1e-13));
  }
}

TEST(many_right_sides_are_solved_as_one) {
  enum { SIDES = 5, LD = 7 };
  cr_pattern p = begin(3);
  cr_random r = cr_random_seed(4, 9);
  cr_real X[N * LD], x[SIDES][N];
  for (int i = 0; i < N * LD; i++) {
    X[i] = cr_random_normal(&r);
    if (i % LD < SIDES) {
      x[i % LD][i / LD] = X[i];
    }
  }
  cr_real beside = X[LD - 1];
  assert_int_equal(cr_lu_factor(lower, upper, &p), -1);
  cr_lu_solve_many(lower, upper, &p, SIDES, LD, X);
  for (int k = 0; k < SIDES; k++) {
    cr_real got[N];
    for (int i = 0; i < N; i++) {
      got[i] = X[i * LD + k];
    }
    cr_lu_solve(lower, upper, &p, x[k]);
    assert_all_close(got, x[k], N, 8 * CR_EPS);
  }
  assert_close(X[LD - 1], beside, 0);
}

TEST(a_pivot_of_zero_is_named) {
  cr_pattern p = begin(1);
  lower[adr[6] + nnz[6] - 1] = 0;
  assert_int_equal(cr_lu_factor(lower, upper, &p), 6);
  p = begin(1);
  lower[adr[3] + nnz[3] - 1] = (cr_real)NAN;
  assert_int_equal(cr_lu_factor(lower, upper, &p), 3);
}
