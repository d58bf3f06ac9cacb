// SPDX-License-Identifier: Apache-2.0
// Orders of the polynomial: each the derivative of the one before, and linear in the coefficients.
#include "force/polynomial.h"

#include "support/close.h"

static const cr_real c[3] = {CR_R(0.7), CR_R(-0.4), CR_R(0.3)};

TEST(orders_follow_from_each_other) {
  for (cr_real y = -2; y < 2; y += CR_R(0.3)) {
    cr_real pull = cri_polynomial(CR_POLY_PULL, c, y);
    assert_close(pull, CR_R(0.7) * y - CR_R(0.4) * y * y + CR_R(0.3) * y * y * y, 16 * CR_EPS);
    assert_close(pull, y * cri_polynomial(CR_POLY_CHORD, c, y), 16 * CR_EPS);
    assert_close(pull, cri_polynomial_slope(CR_POLY_ENERGY, c, y), 0);
    assert_close(cri_polynomial(CR_POLY_STIFFNESS, c, y), cri_polynomial_slope(CR_POLY_PULL, c, y),
                 0);
  }
}

TEST(slopes_are_derivatives) {
  const cr_real h = CR_R(1e-4);
  for (int order = CR_POLY_ENERGY; order <= CR_POLY_STIFFNESS; order++) {
    for (cr_real y = -2; y < 2; y += CR_R(0.3)) {
      cri_polynomial_order o = (cri_polynomial_order)order;
      cr_real difference = cri_polynomial(o, c, y + h) - cri_polynomial(o, c, y - h);
      assert_close(cri_polynomial_slope(o, c, y), difference / (2 * h), CR_R(1e-7));
    }
  }
}

TEST(gradients_are_values_of_unit_coefficients) {
  for (int order = CR_POLY_ENERGY; order <= CR_POLY_STIFFNESS; order++) {
    cri_polynomial_order o = (cri_polynomial_order)order;
    cr_real y = CR_R(-1.3), bar[3] = {1, 1, 1};
    cri_polynomial_bar(o, y, 2, bar);
    for (int k = 0; k < 3; k++) {
      const cr_real unit[3] = {k == 0, k == 1, k == 2};
      assert_close(bar[k], 1 + 2 * cri_polynomial(o, unit, y), 32 * CR_EPS);
    }
  }
}

// places of coefficients, and twins without room for them
TEST(coefficients_have_places) {
  cr_real first[2] = {0, 1}, rest[4] = {0, 0, 2, 3}, x[3];
  cri_coefficients a = {first, rest}, half = {NULL, rest}, none = {NULL, NULL};
  cri_coefficients_of(a, 0, x);
  assert_true(cri_coefficients_zero(x));
  cri_coefficients_of(a, 1, x);
  assert_true(!cri_coefficients_zero(x) && x[0] == 1 && x[1] == 2 && x[2] == 3);
  cri_coefficients_tan(half, 1, x);
  assert_true(x[0] == 0 && x[1] == 2 && x[2] == 3);
  cri_coefficients_bar(half, 1, x);
  assert_true(rest[2] == 4 && rest[3] == 6 && first[1] == 1);
  cri_coefficients_bar(none, 1, x);
  assert_true(cri_coefficients_wanted(half) && !cri_coefficients_wanted(none));
}
