// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "learn/transform.h"

static const cr_transform all[] = {CR_TRANSFORM_NONE, CR_TRANSFORM_LOG, CR_TRANSFORM_SOFTPLUS,
                                   CR_TRANSFORM_BOUNDED};
static const cr_real xs[] = {-40, -3, CR_R(-0.1), 0, CR_R(0.7), 5, 60};

TEST(transform_inverse_undoes_value) {
  for (int t = 0; t < 3; t++) {
    for (size_t i = 0; i < sizeof xs / sizeof xs[0]; i++) {
      cr_real back = cr_transform_inverse(all[t], cr_transform_value(all[t], xs[i]));
      assert_close(back, xs[i], 100 * CR_EPS * cr_max(1, cr_abs(xs[i])));
    }
  }
}

TEST(transform_slope_matches_differences) {
  cr_real h = cr_pow(CR_EPS, CR_R(0.2));
  for (int t = 0; t < 4; t++) {
    for (size_t i = 0; i < sizeof xs / sizeof xs[0]; i++) {
      cr_real near = cr_transform_value(all[t], xs[i] + h) - cr_transform_value(all[t], xs[i] - h);
      cr_real far =
          cr_transform_value(all[t], xs[i] + 2 * h) - cr_transform_value(all[t], xs[i] - 2 * h);
      cr_real slope = cr_transform_slope(all[t], xs[i]);
      assert_close((8 * near - far) / (12 * h), slope,
                   1000 * cr_pow(CR_EPS, CR_R(0.8)) * slope + CR_EPS * cr_abs(xs[i]) / h);
    }
  }
}

TEST(transform_values_are_the_formulas) {
  assert_close(cr_transform_value(CR_TRANSFORM_NONE, CR_R(-2.5)), CR_R(-2.5), 0);
  assert_close(cr_transform_value(CR_TRANSFORM_LOG, 1), cr_exp(1), CR_EPS * 4);
  assert_close(cr_transform_value(CR_TRANSFORM_SOFTPLUS, 0), cr_log(2), CR_EPS * 4);
  assert_close(cr_transform_value(CR_TRANSFORM_SOFTPLUS, 800), 800, 0);
}

TEST(transform_bounds_out_of_reach_are_open) {
  assert_true(isinf(cr_transform_inverse(CR_TRANSFORM_LOG, 0)));
  assert_true(cr_transform_inverse(CR_TRANSFORM_SOFTPLUS, -1) < 0);
  assert_true(isinf(cr_transform_inverse(CR_TRANSFORM_SOFTPLUS, (cr_real)INFINITY)));
}

// between 0 and 1, the ends of which no number reaches
TEST(bounded_numbers_stay_inside) {
  for (cr_real x = -30; x <= 30; x += CR_R(0.7)) {
    cr_real p = cr_transform_value(CR_TRANSFORM_BOUNDED, x);
    assert_true(p > 0 && p < 1);
    assert_close(cr_transform_inverse(CR_TRANSFORM_BOUNDED, p), x,
                 100 * CR_EPS * cr_exp(cr_abs(x)) + CR_EPS * 100);
  }
  assert_close(cr_transform_value(CR_TRANSFORM_BOUNDED, 0), CR_R(0.5), 0);
  assert_close(cr_transform_slope(CR_TRANSFORM_BOUNDED, 0), CR_R(0.25), 0);
  assert_close(cr_transform_slope(CR_TRANSFORM_BOUNDED, -800), 0, CR_R(1e-300));
  assert_true(isinf(cr_transform_inverse(CR_TRANSFORM_BOUNDED, 0)));
  assert_true(isinf(cr_transform_inverse(CR_TRANSFORM_BOUNDED, 2)));
}
