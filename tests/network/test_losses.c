// SPDX-License-Identifier: Apache-2.0
// Losses and their slopes, by hand and against differences.
#include "network/losses.h"

#include "support/test.h"

TEST(values_and_slopes) {
  const cr_real d = CR_R(0.75), h = CR_R(1e-5);
  static const cr_real at[] = {CR_R(-2), CR_R(-0.3), CR_R(0.5), CR_R(0.76), 4};
  cr_real slope, ignored;
  for (int kind = CR_LEARNING_SQUARES; kind <= CR_LEARNING_HUBER; kind++) {
    for (int i = 0; i < 5; i++) {
      const cr_learning_loss k = (cr_learning_loss)kind;
      (void)cri_loss(k, d, at[i], &slope);
      const cr_real up = cri_loss(k, d, at[i] + h, &ignored),
                    down = cri_loss(k, d, at[i] - h, &ignored);
      assert_true(cr_abs(slope - (up - down) / (2 * h)) < CR_R(1e-9));
    }
  }
  assert_true(cri_loss(CR_LEARNING_SQUARES, d, -3, &slope) == 9 && slope == -6);
  assert_true(cri_loss(CR_LEARNING_ABSOLUTE, d, -3, &slope) == 3 && slope == -1);
  assert_true(cri_loss(CR_LEARNING_HUBER, 2, 1, &slope) == CR_R(0.5) && slope == 1);
  assert_true(cri_loss(CR_LEARNING_HUBER, 2, -5, &slope) == 8 && slope == -2);
  (void)state;
}
