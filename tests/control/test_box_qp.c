// SPDX-License-Identifier: Apache-2.0
// Box-constrained quadratic problems: the conditions of a minimum, on random ones.
#include "control/box_qp.h"

#include "base/random.h"
#include "support/close.h"

enum { MOST = 12 };

static void make(cr_random* random, int n, cr_real* H, cr_real* g, cr_real* low, cr_real* high) {
  cr_real R[MOST * MOST];
  for (int i = 0; i < n * n; i++) {
    R[i] = cr_random_normal(random);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      H[i * n + j] = i == j ? CR_R(0.1) : 0;
      for (int k = 0; k < n; k++) {
        H[i * n + j] += R[k * n + i] * R[k * n + j];
      }
    }
    g[i] = 3 * cr_random_normal(random);
    low[i] = -cr_random_uniform(random);
    high[i] = cr_random_uniform(random);
    if (i % 5 == 4) {
      low[i] = -(cr_real)INFINITY;
      high[i] = (cr_real)INFINITY;
    }
  }
}

TEST(conditions_of_a_minimum_hold) {
  cr_random random = cr_random_seed(1, 0);
  int held = 0, inside = 0;
  for (int trial = 0; trial < 300; trial++) {
    int n = 1 + trial % MOST;
    cr_real H[MOST * MOST], g[MOST], low[MOST], high[MOST], x[MOST] = {0}, L[MOST * MOST];
    cr_real work[MOST * MOST + 4 * MOST];
    bool free[MOST];
    make(&random, n, H, g, low, high);
    int nfree = cri_box_qp(n, H, g, low, high, x, free, L, work), count = 0;
    for (int i = 0; i < n; i++) {
      cr_real slope = g[i];
      for (int j = 0; j < n; j++) {
        slope += H[i * n + j] * x[j];
      }
      assert_true(x[i] >= low[i] && x[i] <= high[i]);
      if (free[i]) {
        assert_close(slope, 0, CR_R(1e-9));
      } else {
        assert_true(x[i] == low[i] ? slope > 0 : x[i] == high[i] && slope < 0);
      }
      count += free[i];
    }
    assert_int_equal(nfree, count);
    held += n - count;
    inside += count;
  }
  assert_true(held > 100 && inside > 100);
}

// the factor belongs to the free rows: L L' b = H b
TEST(the_factor_is_of_the_free_rows) {
  const cr_real H[9] = {4, 1, 0, 1, 3, 1, 0, 1, 5}, g[3] = {-1, 100, 2}, low[3] = {-9, -1, -9},
                high[3] = {9, 1, 9};
  cr_real x[3] = {0}, L[9], work[21], b[2] = {1, 2};
  bool free[3];
  assert_int_equal(cri_box_qp(3, H, g, low, high, x, free, L, work), 2);
  assert_true(free[0] && !free[1] && free[2] && x[1] == -1);
  cri_box_qp_solve(L, 3, 2, b);
  assert_close(b[0], CR_R(0.25), CR_R(1e-15));
  assert_close(b[1], CR_R(0.4), CR_R(1e-15));
  assert_close(x[0], CR_R(0.5), CR_R(1e-14));
  assert_close(x[2], CR_R(-0.2), CR_R(1e-14));
}

TEST(what_is_not_convex_is_refused) {
  const cr_real H[4] = {1, 2, 2, 1}, g[2] = {1, 1}, low[2] = {-1, -1}, high[2] = {1, 1},
                nan[4] = {(cr_real)NAN};
  cr_real x[2] = {0}, L[4], work[12];
  bool free[2];
  assert_int_equal(cri_box_qp(2, H, g, low, high, x, free, L, work), -1);
  assert_int_equal(cri_box_qp(1, nan, g, low, high, x, free, L, work), -1);
}

// both ends of a range in one place
TEST(no_room) {
  const cr_real H[1] = {1}, g[1] = {-5}, at[1] = {CR_R(0.25)};
  cr_real x[1] = {0}, L[1], work[5];
  bool free[1];
  assert_int_equal(cri_box_qp(1, H, g, at, at, x, free, L, work), 0);
  assert_true(x[0] == at[0]);
}
