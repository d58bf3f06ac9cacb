// SPDX-License-Identifier: Apache-2.0
// The sparse factor against dense arithmetic, on trees and on trees with extra entries.
#include "math/cholesky.h"

#include "base/random.h"
#include "scenes/mechanism.h"
#include "support/close.h"

enum { MAX_N = 70 };

typedef struct {
  int n, nnz;
  int parent[MAX_N];
  int32_t index[2 * MAX_N + MAX_N * (MAX_N + 1) / 2];
  uint64_t bits[MAX_N * 2];
  cr_pattern p;
  cr_real H[MAX_N * (MAX_N + 1) / 2], dense[MAX_N * MAX_N], work[MAX_N * MAX_N];
  cr_real x[MAX_N], y[MAX_N];
} fixture;

static fixture f;

static bool has_bit(int i, int j) {
  return (f.bits[i * cr_chol_words(f.n) + j / 64] >> (j % 64)) & 1;
}

// a random tree, its ancestor pattern, and `extra` random entries that no path holds
static void begin(cr_random* r, int n, int extra) {
  f.n = n;
  memset(f.bits, 0, sizeof f.bits);
  for (int i = 0; i < n; i++) {
    f.parent[i] = i == 0 || cr_random_int(r, 6) == 0 ? -1 : i - 1 - cr_random_int(r, i < 4 ? i : 4);
    for (int j = i; j >= 0; j = f.parent[j]) {
      cr_chol_set(f.bits + i * cr_chol_words(n), j);
    }
  }
  for (int k = 0; k < extra; k++) {
    int i = cr_random_int(r, n);
    cr_chol_set(f.bits + i * cr_chol_words(n), cr_random_int(r, i + 1));
  }
  f.nnz = cr_chol_pattern(f.index, n, f.bits);
  f.p = cr_chol_pattern_view(n, f.index);

  // a symmetric matrix with a dominant diagonal in that pattern
  memset(f.dense, 0, sizeof f.dense);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < f.p.nnz[i]; k++) {
      int j = f.p.col[f.p.adr[i] + k];
      cr_real value = j == i ? n : cr_random_normal(r);
      f.H[f.p.adr[i] + k] = f.dense[i * n + j] = f.dense[j * n + i] = value;
    }
    f.x[i] = cr_random_normal(r);
  }
}

// two systems that share no entry, their rows shuffled into one pattern: a part is solved as by itself
TEST(parts_do_not_touch_each_other) {
  enum { N = 31 };
  cr_random r = cr_random_seed(1, 8);
  for (int sample = 0; sample < 40; sample++) {
    static int32_t index[4 * N + 2 * N * N];
    static cr_real H[2 * N * N];
    int32_t name[2][N];
    cr_run run[2][N];
    cr_runs part[2];
    for (int i = 0, in[2] = {0}; i < 2 * N; i++) {
      int k = in[0] == N || (in[1] < N && cr_random_int(&r, 2) == 0);
      name[k][in[k]++] = i;
    }
    for (int k = 0, from = 0; k < 2; k++) {
      begin(&r, N, 6);
      int end = cr_chol_pattern_part(index, 2 * N, from, N, name[k], f.bits);
      assert_int_equal(end - from, f.nnz);
      cr_copy(H + from, f.H, f.nnz);
      from = end;
      int n = 0;
      for (int i = 0; i < N; i++) {
        if (n > 0 && run[k][n - 1].end == name[k][i]) {
          run[k][n - 1].end++;
        } else {
          run[k][n++] = (cr_run){name[k][i], name[k][i] + 1};
        }
      }
      part[k] = (cr_runs){n, run[k]};
    }
    // f is the second system
    cr_pattern p = cr_chol_pattern_view(2 * N, index);
    cr_real x[2 * N], y[2 * N], X[2 * N * 9];
    for (int i = 0; i < 2 * N; i++) {
      x[i] = y[i] = 1;
    }
    for (int i = 0; i < N; i++) {
      x[name[1][i]] = f.x[i];
    }
    cr_sparse_mul_part(y, H, &p, part[1], x);
    cr_sparse_mul(f.y, f.H, &f.p, f.x);
    assert_int_equal(cr_chol_factor_part(H, &p, part[1]), -1);
    assert_int_equal(cr_chol_factor(f.H, &f.p), -1);
    for (int i = 0; i < 2 * N; i++) {
      for (int k = 0; k < 9; k++) {
        X[9 * i + k] = x[i];
      }
    }
    for (int i = 0; i < N; i++) {
      assert_true(y[name[1][i]] == f.y[i] && y[name[0][i]] == 1);
    }
    cr_chol_solve_part(H, &p, part[1], x);
    cr_chol_solve_many_part(H, &p, part[1], 9, 9, X);
    cr_chol_solve(f.H, &f.p, f.x);
    for (int i = 0; i < N; i++) {
      assert_close(x[name[1][i]], f.x[i], 100 * CR_EPS);
      assert_true(x[name[0][i]] == 1 && X[9 * name[0][i] + 8] == 1);
      for (int k = 0; k < 9; k++) {
        assert_close(X[9 * name[1][i] + k], f.x[i], 100 * CR_EPS);
      }
    }
  }
}

TEST(pattern_of_a_tree_has_no_fill) {
  cr_random r = cr_random_seed(1, 1);
  for (int n = 1; n <= MAX_N; n++) {
    begin(&r, n, 0);
    for (int i = 0; i < n; i++) {
      int depth = 0;
      for (int j = i; j >= 0; j = f.parent[j]) {
        depth++;
      }
      assert_int_equal(f.p.nnz[i], depth);
    }
  }
}

// closed: what row i has below its diagonal, the last of these rows has too
TEST(pattern_is_closed_under_elimination) {
  cr_random r = cr_random_seed(2, 1);
  for (int n = 2; n <= MAX_N; n++) {
    begin(&r, n, n / 3);
    for (int i = 0; i < n; i++) {
      const int32_t* col = f.p.col + f.p.adr[i];
      assert_int_equal(col[f.p.nnz[i] - 1], i);
      for (int a = 0; a < f.p.nnz[i]; a++) {
        assert_true(a == 0 || col[a - 1] < col[a]);
        for (int b = 0; b <= a; b++) {
          assert_true(has_bit(col[a], col[b]));
        }
      }
    }
    assert_true(2 * n + f.nnz <= cr_chol_index_size(n));
  }
}

TEST(product_matches_the_dense_one) {
  cr_random r = cr_random_seed(3, 1);
  for (int n = 1; n <= MAX_N; n += 3) {
    begin(&r, n, n / 3);
    cr_real y[MAX_N];
    cr_sparse_mul(y, f.H, &f.p, f.x);
    mechanism_mul(n, f.dense, f.x, f.y);
    assert_all_close(y, f.y, n, 16 * CR_EPS);
  }
}

TEST(many_products_are_as_one) {
  enum { N = 11, LD = 13 };
  static cr_real X[MAX_N * LD], Y[MAX_N * LD];
  cr_random r = cr_random_seed(15, 1);
  begin(&r, 40, 9);
  for (int i = 0; i < f.n * LD; i++) {
    X[i] = cr_random_normal(&r);
    Y[i] = 7;
  }
  cr_sparse_mul_many(Y, f.H, &f.p, N, LD, X);
  for (int k = 0; k < LD; k++) {
    cr_real x[MAX_N], y[MAX_N], got[MAX_N];
    for (int i = 0; i < f.n; i++) {
      x[i] = X[i * LD + k];
      got[i] = Y[i * LD + k];
      y[i] = 7;
    }
    if (k < N) {
      cr_sparse_mul(y, f.H, &f.p, x);
    }
    assert_all_close(got, y, f.n, k < N ? 16 * CR_EPS : 0);
  }
}

TEST(solve_matches_dense_elimination) {
  cr_random r = cr_random_seed(4, 1);
  for (int n = 1; n <= MAX_N; n++) {
    begin(&r, n, n % 2 == 0 ? n / 3 : 0);
    cr_copy(f.work, f.dense, n * n);
    cr_copy(f.y, f.x, n);
    mechanism_solve(n, f.work, f.y);
    assert_int_equal(cr_chol_factor(f.H, &f.p), -1);
    cr_chol_solve(f.H, &f.p, f.x);
    assert_all_close(f.x, f.y, n, 64 * CR_EPS);
  }
}

// any number of right sides, beside numbers that are not theirs, as one by one
TEST(many_right_sides_are_solved_as_one) {
  enum { MAX_SIDES = 100, GAP = 3 };
  static cr_real X[MAX_N * (MAX_SIDES + GAP)];
  cr_random r = cr_random_seed(14, 1);
  for (int n = 1; n <= MAX_SIDES; n += n < 10 ? 1 : 13) {
    begin(&r, 30, n % 3);
    assert_int_equal(cr_chol_factor(f.H, &f.p), -1);
    int ld = n + GAP;
    for (int i = 0; i < f.n * ld; i++) {
      X[i] = i % ld < n ? cr_random_normal(&r) : 7;
    }
    static cr_real before[sizeof X / sizeof X[0]];
    cr_copy(before, X, f.n * ld);
    cr_chol_solve_many(f.H, &f.p, n, ld, X);
    for (int k = 0; k < ld; k++) {
      cr_real got[MAX_N];
      for (int i = 0; i < f.n; i++) {
        f.y[i] = before[i * ld + k];
        got[i] = X[i * ld + k];
      }
      if (k < n) {
        cr_chol_solve(f.H, &f.p, f.y);
      }
      assert_all_close(got, f.y, f.n, k < n ? 16 * CR_EPS : 0);
    }
  }
}

// H = L' L entry by entry, 1 / L_ii on the diagonal
TEST(factor_multiplies_back) {
  cr_random r = cr_random_seed(5, 1);
  begin(&r, 40, 12);
  assert_int_equal(cr_chol_factor(f.H, &f.p), -1);
  memset(f.work, 0, sizeof f.work);
  for (int i = 0; i < f.n; i++) {
    for (int k = 0; k < f.p.nnz[i]; k++) {
      int j = f.p.col[f.p.adr[i] + k];
      f.work[i * f.n + j] = j == i ? 1 / f.H[f.p.adr[i] + k] : f.H[f.p.adr[i] + k];
    }
  }
  for (int i = 0; i < f.n; i++) {
    for (int j = 0; j < f.n; j++) {
      cr_real sum = 0;
      for (int k = 0; k < f.n; k++) {
        sum += f.work[k * f.n + i] * f.work[k * f.n + j];
      }
      assert_close(sum, f.dense[i * f.n + j], 64 * CR_EPS * (cr_real)f.n);
    }
  }
}

// any number of vectors, on the columns of a whole path (contiguous) and of a part of one row
TEST(update_matches_the_dense_one) {
  cr_random r = cr_random_seed(6, 1);
  for (int count = 1; count <= 10; count++) {
    begin(&r, 50, 20);
    int i = f.n - 1 - cr_random_int(&r, 10), ncol = 0, n = f.n;
    int32_t col[MAX_N];
    for (int k = 0; k < f.p.nnz[i]; k++) {
      if (count % 2 == 0 || k % 2 == 0) {
        col[ncol++] = f.p.col[f.p.adr[i] + k];
      }
    }
    // symmetric in the sum: w_k = x_k
    cr_real numbers[10][MAX_N];
    const cr_real* x[10];
    cr_real scale[10];
    for (int k = 0; k < count; k++) {
      x[k] = numbers[k];
      scale[k] = cr_random_normal(&r);
      for (int q = 0; q < ncol; q++) {
        numbers[k][q] = cr_random_normal(&r);
      }
      for (int a = 0; a < ncol; a++) {
        for (int b = 0; b < ncol; b++) {
          f.dense[col[a] * n + col[b]] += scale[k] * numbers[k][a] * numbers[k][b];
        }
      }
    }
    cr_sparse_update(f.H, &f.p, ncol, col, count, scale, x, x);
    for (int row = 0; row < n; row++) {
      for (int k = f.p.adr[row]; k < f.p.adr[row] + f.p.nnz[row]; k++) {
        assert_close(f.H[k], f.dense[row * n + f.p.col[k]], 256 * CR_EPS);
      }
    }
  }
}

TEST(indefinite_matrix_names_its_row) {
  cr_random r = cr_random_seed(7, 1);
  begin(&r, 30, 5);
  f.H[f.p.adr[17] + f.p.nnz[17] - 1] = -1;
  assert_int_equal(cr_chol_factor(f.H, &f.p), 17);
  begin(&r, 30, 5);
  f.H[f.p.adr[29] + f.p.nnz[29] - 1] = (cr_real)NAN;
  assert_int_equal(cr_chol_factor(f.H, &f.p), 29);
}
