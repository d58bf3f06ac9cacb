// SPDX-License-Identifier: Apache-2.0
// Springs of tendons with a dead band: closed forms, and derivatives against differences.
#include "force/tendon_spring.h"

#include "base/real.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static cr_real stiffness = 3, spring_poly[2] = {CR_R(0.5), 2}, slack[2] = {CR_R(0.2), CR_R(0.4)};
static cr_real length;

static cr_model model(void) {
  return (cr_model){.ntendon = 1,
                    .tendon_stiffness = &stiffness,
                    .tendon_stiffnesspoly = spring_poly,
                    .tendon_lengthspring = slack};
}

static cr_real spring_at(cr_real x) {
  cr_model m = model();
  cr_data d = {.ten_length = &length};
  length = x;
  cri_tendon_spring s = cri_tendon_spring_of(&m, &d, 0);
  return -cri_tendon_spring_number(&s, CR_POLY_PULL);
}

// slack inside the band; beyond it -(k x + p_0 x^2 + p_1 x^3) from the nearer end
TEST(dead_band) {
  assert_true(spring_at(CR_R(0.3)) == 0);
  cr_real x = CR_R(0.1);
  assert_close(spring_at(CR_R(0.5)), -(3 * x + x * x / 2 + 2 * x * x * x), 10 * ROUND_OFF);
  assert_close(spring_at(CR_R(0.1)), 3 * x - x * x / 2 + 2 * x * x * x, 10 * ROUND_OFF);
}

TEST(the_slope_of_a_spring) {
  const cr_real h = CR_R(1e-5);
  cr_model m = model();
  for (int i = 0; i < 3; i++) {
    cr_real at = CR_R(0.1) + CR_R(0.2) * (cr_real)i, rate = 1, bar_length = 0;
    cr_data d = {.ten_length = &length}, tan = {.ten_length = &rate};
    cr_data bar = {.ten_length = &bar_length};
    cr_real expected = (spring_at(at + h) - spring_at(at - h)) / (2 * h);
    length = at;
    cri_tendon_spring s = cri_tendon_spring_of(&m, &d, 0);
    assert_close(-cri_tendon_spring_tan(&tan, &s, CR_POLY_PULL), expected, CR_R(1e-8));
    assert_close(-cri_tendon_spring_number(&s, CR_POLY_STIFFNESS), expected, CR_R(1e-8));
    cri_tendon_spring_bar(&bar, &s, CR_POLY_PULL, -2);
    assert_close(bar_length, 2 * expected, CR_R(1e-8));
  }
}

// a band of no width: stiff at its one rest length as beside it; a half of each end, so that moving both
// is moving the rest length, and parting them is nothing
TEST(a_band_of_no_width_is_a_spring) {
  cr_real kept[2] = {slack[0], slack[1]}, rate = 1, bar_length = 0, bar_slack[2] = {0};
  cr_model m = model();
  cr_data d = {.ten_length = &length}, tan = {.ten_length = &rate};
  cr_data bar = {.ten_length = &bar_length, .par = {.tendon_lengthspring = bar_slack}};
  slack[0] = slack[1] = length = CR_R(0.3);
  cri_tendon_spring s = cri_tendon_spring_of(&m, &d, 0);
  assert_true(cri_tendon_spring_rests(&s) && cri_tendon_spring_number(&s, CR_POLY_PULL) == 0);
  assert_close(cri_tendon_spring_number(&s, CR_POLY_STIFFNESS), 3, 0);
  assert_close(cri_tendon_spring_tan(&tan, &s, CR_POLY_PULL), 3, 0);
  cri_tendon_spring_bar(&bar, &s, CR_POLY_PULL, -2);
  assert_close(bar_length, -6, 0);
  assert_close(bar_slack[0], 3, 0);
  assert_close(bar_slack[1], 3, 0);
  assert_int_equal(cri_tendon_spring_side(&m, &d, 0), 0);
  // that of a band with a width, at its ends, is slack
  for (int end = 0; end < 2; end++) {
    slack[1 - end] = end == 0 ? CR_R(0.5) : CR_R(0.1);
    slack[end] = CR_R(0.3);
    s = cri_tendon_spring_of(&m, &d, 0);
    assert_true(!s.acts && cri_tendon_spring_number(&s, CR_POLY_STIFFNESS) == 0);
    assert_int_equal(cri_tendon_spring_side(&m, &d, 0), end == 0 ? -1 : 1);
  }
  cr_copy(slack, kept, 2);
}

// of all three numbers by length, rest and coefficients, and the transpose
TEST(derivatives_are_those_of_the_law) {
  static const cri_polynomial_order orders[] = {CR_POLY_ENERGY, CR_POLY_PULL, CR_POLY_STIFFNESS};
  const cr_real h = CR_R(1e-5);
  for (int k = 0; k < 6; k++) {
    cr_real rate = CR_R(0.7), k_tan = CR_R(-0.3), p_tan[2] = {CR_R(0.2), -1}, l_bar = 0, k_bar = 0;
    cr_real s_tan[2] = {CR_R(0.4), CR_R(-0.6)}, p_bar[2] = {0}, s_bar[2] = {0}, y[2];
    cr_real kept[5] = {stiffness, spring_poly[0], spring_poly[1], slack[0], slack[1]};
    cr_real at = k < 3 ? CR_R(0.11) : CR_R(0.58);
    cr_model m = model();
    cr_data d = {.ten_length = &length};
    cr_data tan = {.ten_length = &rate};
    cr_data bar = {.ten_length = &l_bar};
    tan.par = (cr_model){
        .tendon_stiffness = &k_tan, .tendon_stiffnesspoly = p_tan, .tendon_lengthspring = s_tan};
    bar.par = (cr_model){
        .tendon_stiffness = &k_bar, .tendon_stiffnesspoly = p_bar, .tendon_lengthspring = s_bar};
    for (int side = 0; side < 2; side++) {
      cr_real step = side == 0 ? -h : h;
      length = at + step * rate;
      stiffness = kept[0] + step * k_tan;
      for (int i = 0; i < 2; i++) {
        spring_poly[i] = kept[1 + i] + step * p_tan[i];
        slack[i] = kept[3 + i] + step * s_tan[i];
      }
      cri_tendon_spring s = cri_tendon_spring_of(&m, &d, 0);
      y[side] = cri_tendon_spring_number(&s, orders[k % 3]);
    }
    length = at;
    stiffness = kept[0];
    cr_copy(spring_poly, kept + 1, 2);
    cr_copy(slack, kept + 3, 2);
    cri_tendon_spring s = cri_tendon_spring_of(&m, &d, 0);
    cr_real y_tan = cri_tendon_spring_tan(&tan, &s, orders[k % 3]);
    assert_close(y_tan, (y[1] - y[0]) / (2 * h), CR_R(1e-8));
    cri_tendon_spring_bar(&bar, &s, orders[k % 3], 2);
    cr_real sum = l_bar * rate + k_bar * k_tan;
    for (int i = 0; i < 2; i++) {
      sum += p_bar[i] * p_tan[i] + s_bar[i] * s_tan[i];
    }
    assert_close(sum, 2 * y_tan, 100 * ROUND_OFF);
  }
}
