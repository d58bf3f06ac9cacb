// SPDX-License-Identifier: Apache-2.0
// The real type and its functions agree: nothing silently works in another precision.
#include "base/real.h"
#include "support/test.h"

#define near(x, y) assert_true(cr_abs((x) - (y)) <= 4 * CR_EPS * cr_max(1, cr_abs(y)))

TEST(epsilon_belongs_to_the_type) {
  volatile cr_real one = 1, sum = one + CR_EPS, half = one + CR_EPS / 2;
  assert_true(sum != one);
  assert_true(half == one);
}

TEST(literals_have_full_precision) {
  volatile cr_real ten = 10, third = CR_R(0.1) * ten;
  assert_true(third == 1);
  assert_true(cr_abs(CR_R(0.1) - 1 / ten) <= CR_EPS / 8);
}

// each function against an identity, to a few units in the last place of cr_real
TEST(functions_have_full_precision) {
  cr_real x = CR_R(0.73);
  near(cr_sqrt(x) * cr_sqrt(x), x);
  near(cr_sin(x) * cr_sin(x) + cr_cos(x) * cr_cos(x), 1);
  near(cr_sin(CR_PI / 6), CR_R(0.5));
  near(cr_cos(CR_PI), -1);
  near(cr_acos(cr_cos(x)), x);
  near(cr_atan2(cr_sin(x), cr_cos(x)), x);
  near(cr_atan2(0, -1), CR_PI);
  near(cr_exp(x) * cr_exp(-x), 1);
  near(cr_log(cr_exp(x)), x);
  near(cr_log1p(CR_EPS) / CR_EPS, 1);
  near(cr_pow(x, 3), x * x * x);
  near(cr_abs(-x), x);
}

TEST(minimum_maximum_clip_sign) {
  assert_true(cr_min(-1, 2) == -1 && cr_min(2, -1) == -1);
  assert_true(cr_max(-1, 2) == 2 && cr_max(2, -1) == 2);
  assert_true(cr_clip(5, -1, 2) == 2 && cr_clip(-5, -1, 2) == -1 && cr_clip(1, -1, 2) == 1);
  assert_true(cr_sign(-3) == -1 && cr_sign(3) == 1 && cr_sign(0) == 0);
}

TEST(zero_and_copy_touch_only_their_numbers) {
  cr_real x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
  cr_zero(x + 1, 2);
  assert_true(x[0] == 1 && x[1] == 0 && x[2] == 0 && x[3] == 4);
  cr_copy(y, x, 3);
  assert_true(y[0] == 1 && y[2] == 0 && y[3] == 8);
  cr_zero(NULL, 0);
  cr_copy(NULL, NULL, 0);
  cr_zero(x, -1);
  assert_true(x[0] == 1);
}
