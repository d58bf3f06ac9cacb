// SPDX-License-Identifier: Apache-2.0
// Needs: io
#include "support/close.h"

#include <math.h>

#include "base/random.h"
#include "stiff/log_normal.h"

enum { GROUPS = 2000, EACH = 5, SUMS = 4, STRIDE = 6 };

// groups with a common part of the logarithm, of standard deviation `common`, and parts of their own
static void draw(double common, double own, cr_real groups[GROUPS][STRIDE]) {
  cr_random random = cr_random_seed(7, 0);
  for (int g = 0; g < GROUPS; g++) {
    cri_log_sums sums = {.n = 0};
    const double shared = common * (double)cr_random_normal(&random);
    for (int i = 0; i < EACH; i++) {
      cri_log_sums_add(&sums, exp(-1 + shared + own * (double)cr_random_normal(&random)));
    }
    const cr_real numbers[SUMS] = {sums.n, sums.sum, sums.logs, sums.squares};
    cr_copy(groups[g], numbers, SUMS);
  }
}

TEST(the_mean_of_a_log_normal_distribution_is_found) {
  static cr_real groups[GROUPS][STRIDE];
  draw(0, 1, groups);
  const cri_log_mean is = cri_log_mean_of(groups[0], STRIDE, GROUPS);
  const double mean = exp(-0.5);
  assert_true(fabs(is.mean - mean) < is.half && fabs(is.arithmetic - mean) < 2 * is.half);
  // s = 1: 1.96 mean sqrt(1/n + 1/(2 n))
  assert_true(fabs(is.half / (1.96 * mean * sqrt(1.5 / (GROUPS * EACH))) - 1) < 0.05);
  // independent numbers: both errors are one
  assert_true(fabs(is.half / 1.96 / is.deviation - 1) < 0.1);
}

TEST(numbers_of_a_group_that_are_one_number_count_once) {
  static cr_real groups[GROUPS][STRIDE];
  draw(1, 0, groups);
  const cri_log_mean is = cri_log_mean_of(groups[0], STRIDE, GROUPS);
  assert_true(fabs(is.deviation / (is.half / 1.96) / sqrt(EACH) - 1) < 0.1);
}
