// SPDX-License-Identifier: Apache-2.0
// What is said of times: order does not matter, and a ratio is formed round by round.
#include "bench/timing.h"

#include "support/close.h"

TEST(quantiles_are_rounds) {
  const cr_timing t = {.round = {5, 1, 4, 2, 3}, .n = 5};
  assert_true(cr_timing_median(&t) == 3);
  assert_true(cr_timing_quantile(&t, 0) == 1 && cr_timing_quantile(&t, 1) == 5);
  assert_true(cr_timing_quantile(&t, 0.25) == 2);
  assert_true(t.round[0] == 5 && t.round[4] == 3);  // as they were
  const cr_timing one = {.round = {7}, .n = 1}, none = {.n = 0};
  assert_true(cr_timing_quantile(&one, 0.1) == 7 && cr_timing_median(&one) == 7);
  assert_true(cr_timing_median(&none) == 0);
}

TEST(as_many_rounds_as_there_may_be) {
  cr_timing t = {.n = CR_MAX_ROUNDS};
  for (int i = 0; i < t.n; i++) {
    t.round[i] = (37 * i) % CR_MAX_ROUNDS;  // each of 0 .. 100 once
  }
  assert_true(cr_timing_median(&t) == 50);
  assert_true(cr_timing_quantile(&t, 0.9) == 90);
}

// a machine that is slow in one round is slow for both
TEST(ratio_goes_round_by_round) {
  const cr_timing a = {.round = {2, 200, 6}, .n = 3}, b = {.round = {1, 100, 3, 9}, .n = 4};
  cr_timing r = cr_timing_ratio(&a, &b);
  assert_int_equal(r.n, 3);
  for (int i = 0; i < 3; i++) {
    assert_true(r.round[i] == 2);
  }
}
