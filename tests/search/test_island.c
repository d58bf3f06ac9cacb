// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "search/island.h"

enum { N = 2, P = 5 };

static const cr_real lower[] = {-1, 10}, upper[] = {1, 30};
static cr_real numbers[200];

static cr_island make(void) {
  cr_island s = {
      .n = N, .population = P, .lower = lower, .upper = upper, .random = cr_random_seed(1, 0)};
  s.count = cri_island_count(&cr_restarts, N, P);
  assert_int_equal(s.count, 1 + N + P + P * N);
  cri_island_bind(&s, numbers);
  s.best[0] = (cr_real)INFINITY;
  for (int k = 0; k < P; k++) {
    static const cr_real values[P] = {3, 1, 7, 1, 2};
    s.values[k] = values[k];
    cri_island_draw(&s, cri_island_at(&s, k));
  }
  return s;
}

TEST(island_knows_its_best_and_worst) {
  cr_island s = make();
  cr_real order[P];
  static const int sorted[P] = {1, 3, 4, 0, 2};
  assert_int_equal(cri_island_lowest(&s), 1);
  assert_int_equal(cri_island_highest(&s), 2);
  cri_island_sort(&s, order);
  for (int k = 0; k < P; k++) {
    assert_int_equal((int)order[k], sorted[k]);
  }
  const cr_real x[] = {CR_R(0.5), 20};
  cri_island_replace_worst(&s, 8, x);  // worse than the worst
  assert_close(s.values[2], 7, 0);
  cri_island_replace_worst(&s, 6, x);
  assert_close(s.values[2], 6, 0);
  assert_close(cri_island_at(&s, 2)[1], 20, 0);
}

TEST(island_keeps_the_best_ever_in_mind) {
  cr_island s = make();
  const cr_real x[] = {CR_R(0.5), 20}, y[] = {0, 15};
  cri_island_note(&s, 4, x);
  cri_island_note(&s, 5, y);
  assert_close(s.best[0], 4, 0);
  assert_close(s.best[2], 20, 0);
}

TEST(island_draws_within_bounds) {
  cr_island s = make();
  cr_real x[N], mean[N] = {0};
  for (int i = 0; i < 4000; i++) {
    cri_island_draw(&s, x);
    for (int j = 0; j < N; j++) {
      assert_true(lower[j] <= x[j] && x[j] <= upper[j]);
      mean[j] += x[j] / 4000;
    }
  }
  assert_close(mean[0], 0, CR_R(0.05));
  assert_close(mean[1], 20, CR_R(0.5));
  const cr_real start[] = {CR_R(0.25), 12};
  s.start = start;
  cri_island_first(&s, 0);
  assert_close(cri_island_at(&s, 0)[1], 12, 0);
  cri_island_first(&s, 1);
  assert_true(cri_island_at(&s, 1)[1] != 12);
}

TEST(mirrored_numbers) {
  assert_close(cri_mirror(3, 2, 4), 3, 0);
  assert_close(cri_mirror(5, 2, 4), 3, 0);
  assert_close(cri_mirror(CR_R(1.5), 2, 4), CR_R(2.5), 0);
  assert_close(cri_mirror(CR_R(6.5), 2, 4), CR_R(2.5), 0);  // there and back
  assert_close(cri_mirror(-100, 2, 4), 4, 0);
  assert_close(cri_mirror(7, 2, 2), 2, 0);  // a number that is held
}
