// SPDX-License-Identifier: Apache-2.0
// The sweeps of every instruction set that runs here: as solves of one right side, and the same bits.
#include "math/eight.h"

#include "base/random.h"
#include "support/close.h"

enum { MAX_N = 40, MAX_LD = 13 };

static int32_t index_of[2 * MAX_N + MAX_N * (MAX_N + 1) / 2];
static cr_real L[MAX_N * (MAX_N + 1) / 2];

// the factor of a random matrix on a random tree
static cr_pattern random_factor(cr_random* r, int n) {
  uint64_t bits[MAX_N] = {0};
  int parent[MAX_N];
  for (int i = 0; i < n; i++) {
    parent[i] = i == 0 || cr_random_int(r, 6) == 0 ? -1 : i - 1 - cr_random_int(r, i < 4 ? i : 4);
    for (int j = i; j >= 0; j = parent[j]) {
      cr_chol_set(bits + i, j);
    }
  }
  cr_chol_pattern(index_of, n, bits);
  cr_pattern p = cr_chol_pattern_view(n, index_of);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < p.nnz[i]; k++) {
      L[p.adr[i] + k] = p.col[p.adr[i] + k] == i ? n : cr_random_normal(r);
    }
  }
  assert_int_equal(cr_chol_factor(L, &p), -1);
  return p;
}

// every second sample has a side that is zero on the last rows, which the sweep up passes over
static void random_sides(cr_random* r, int n, int ld, bool zeros, cr_real* X) {
  for (int i = 0; i < n * ld; i++) {
    X[i] = zeros && i / ld > n / 2 ? 0 : cr_random_normal(r);
  }
}

TEST(each_solves_as_one_by_one) {
  cr_random r = cr_random_seed(1, 2);
  for (int sample = 0; sample < 60; sample++) {
    int n = 1 + cr_random_int(&r, MAX_N), ld = CR_EIGHT + cr_random_int(&r, MAX_LD - CR_EIGHT + 1);
    cr_pattern p = random_factor(&r, n);
    cr_run all = {0, n};
    cr_real from[MAX_N * MAX_LD], plain[MAX_N * MAX_LD];
    random_sides(&r, n, ld, sample % 2 == 0, from);
    const cr_eight* set;
    for (int k = 0; (set = cri_eight_of(k)) != NULL; k++) {
      cr_real X[MAX_N * MAX_LD];
      cr_copy(X, from, n * ld);
      set->up(L, &p, all, ld, X);
      set->down(L, &p, all, ld, X);
      for (int side = 0; side < ld; side++) {
        cr_real got[MAX_N], want[MAX_N];
        for (int i = 0; i < n; i++) {
          got[i] = X[i * ld + side];
          want[i] = from[i * ld + side];
        }
        if (side < CR_EIGHT) {
          cr_chol_solve(L, &p, want);
        }
        assert_all_close(got, want, n, side < CR_EIGHT ? 16 * CR_EPS : 0);
      }
      if (k == 0) {
        cr_copy(plain, X, n * ld);
      }
      for (int i = 0; i < n * ld; i++) {
        assert_true(X[i] == plain[i]);
      }
    }
  }
}

TEST(the_widest_is_chosen) {
  int n = 0;
  while (cri_eight_of(n) != NULL) {
    n++;
  }
  assert_true(n >= 1);
  assert_string_equal(cri_eight_of(0)->name, "plain");
  assert_ptr_equal(cri_eight(), cri_eight_of(n - 1));
  assert_true(n < 2 || strcmp(cri_eight_of(1)->name, "plain") != 0);
}

// sums of eight rows: the same bits by every set, those of one number after the other
TEST(each_adds_rows_as_one_by_one) {
  cr_random r = cr_random_seed(1, 5);
  for (int n = 0; n <= MAX_N; n++) {
    cr_real rows[CR_EIGHT][MAX_N + 1], x[CR_EIGHT], from[MAX_N + 1];
    const cr_real* row[CR_EIGHT];
    for (int j = 0; j <= MAX_N; j++) {
      from[j] = cr_random_normal(&r);
      for (int k = 0; k < CR_EIGHT; k++) {
        rows[k][j] = cr_random_normal(&r);
      }
    }
    for (int k = 0; k < CR_EIGHT; k++) {
      row[k] = rows[k];
      x[k] = cr_random_normal(&r);
    }
    const cr_eight* set;
    for (int s = 0; (set = cri_eight_of(s)) != NULL; s++) {
      cr_real y[MAX_N + 1];
      cr_copy(y, from, MAX_N + 1);
      set->add(y, x, row, n);
      for (int j = 0; j <= MAX_N; j++) {
        cr_real low = 0, high = 0;
        for (int k = 0; k < CR_EIGHT / 2; k++) {
          low = k == 0 ? x[0] * row[0][j] : low + x[k] * row[k][j];
          high = k == 0 ? x[4] * row[4][j] : high + x[4 + k] * row[4 + k][j];
        }
        assert_true(y[j] == (j < n ? from[j] + (low + high) : from[j]));
      }
    }
  }
}

// C += A B and A' B of every set against sums one by one, and the same bits
TEST(each_multiplies) {
  enum { ROWS = 11, DEPTH = 13, WIDE = 24 };
  cr_random r = cr_random_seed(3, 1);
  for (int sample = 0; sample < 60; sample++) {
    const int m = cr_random_int(&r, ROWS + 1), depth = cr_random_int(&r, DEPTH + 1);
    const int n = CR_EIGHT * cr_random_int(&r, WIDE / CR_EIGHT + 1);
    const bool turned = sample % 2 == 0;
    cr_real A[ROWS * DEPTH], B[DEPTH * WIDE], from[ROWS * WIDE], plain[ROWS * WIDE];
    random_sides(&r, ROWS, DEPTH, false, A);
    random_sides(&r, DEPTH, WIDE, false, B);
    random_sides(&r, ROWS, WIDE, false, from);
    const cr_factor_rows rows = {A, turned ? 1 : DEPTH, turned ? ROWS : 1};
    const cr_eight* set;
    for (int k = 0; (set = cri_eight_of(k)) != NULL; k++) {
      cr_real C[ROWS * WIDE];
      cr_copy(C, from, ROWS * WIDE);
      set->multiply(m, n, depth, &rows, B, WIDE, C, WIDE);
      for (int i = 0; i < ROWS * WIDE; i++) {
        cr_real sum = from[i];
        for (int l = 0; l < depth && i / WIDE < m && i % WIDE < n; l++) {
          sum += A[turned ? l * ROWS + i / WIDE : i / WIDE * DEPTH + l] * B[l * WIDE + i % WIDE];
        }
        assert_true(cr_abs(C[i] - sum) <= 64 * CR_EPS);
      }
      if (k == 0) {
        cr_copy(plain, C, ROWS * WIDE);
      }
      for (int i = 0; i < ROWS * WIDE; i++) {
        assert_true(C[i] == plain[i]);
      }
    }
  }
}
