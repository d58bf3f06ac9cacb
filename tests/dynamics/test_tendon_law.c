// SPDX-License-Identifier: Apache-2.0
// Springs with a dead band and dampers of tendons: closed forms, and derivatives against differences.
#include "dynamics/tendon_law.h"

#include "base/real.h"
#include "support/chain_model.h"
#include "support/close.h"

static cr_real stiffness = 3, spring_poly[2] = {CR_R(0.5), 2}, slack[2] = {CR_R(0.2), CR_R(0.4)};
static cr_real length, velocity;

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
  return cri_tendon_spring(&m, &d, 0, NULL);
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
    assert_close(cri_tendon_spring_tan(&m, &d, &tan, 0), expected, CR_R(1e-8));
    cri_tendon_spring_bar(&m, &d, &bar, 0, 2);
    assert_close(bar_length, 2 * expected, CR_R(1e-8));
  }
}

// a band of no width: stiff at its one rest length as beside it; a half of each end, so that moving both
// is moving the rest length, and parting them is nothing
TEST(a_band_of_no_width_is_a_spring) {
  cr_real kept[2] = {slack[0], slack[1]}, rate = 1, bar_length = 0, bar_slack[2] = {0}, slope;
  cr_model m = model();
  cr_data d = {.ten_length = &length}, tan = {.ten_length = &rate};
  cr_data bar = {.ten_length = &bar_length, .par = {.tendon_lengthspring = bar_slack}};
  slack[0] = slack[1] = length = CR_R(0.3);
  assert_true(cri_tendon_spring(&m, &d, 0, &slope) == 0);
  assert_close(slope, -3, 0);
  assert_close(cri_tendon_spring_tan(&m, &d, &tan, 0), -3, 0);
  cri_tendon_spring_bar(&m, &d, &bar, 0, 2);
  assert_close(bar_length, -6, 0);
  assert_close(bar_slack[0], 3, 0);
  assert_close(bar_slack[1], 3, 0);
  assert_int_equal(cri_dead_band_side(&m, &d, 0), 0);
  // that of a band with a width, at its ends, is slack
  for (int end = 0; end < 2; end++) {
    slack[1 - end] = end == 0 ? CR_R(0.5) : CR_R(0.1);
    slack[end] = CR_R(0.3);
    (void)cri_tendon_spring(&m, &d, 0, &slope);
    assert_true(slope == 0);
    assert_int_equal(cri_dead_band_side(&m, &d, 0), end == 0 ? -1 : 1);
  }
  cr_copy(slack, kept, 2);
}

TEST(damper) {
  const cr_real b[3] = {2, CR_R(0.5), CR_R(0.1)}, still[3] = {0};
  for (int sign = -1; sign <= 1; sign += 2) {
    cr_real v = CR_R(1.5) * (cr_real)sign, rate = 1, v_bar = 0, b_bar[3];
    cr_data d = {.ten_velocity = &velocity}, tan = {.ten_velocity = &rate};
    cr_data bar = {.ten_velocity = &v_bar};
    velocity = v;
    cr_real force = -(2 * v + cr_abs(v) * v / 2 + v * v * v / 10);
    cr_real slope = -(2 + cr_abs(v) + CR_R(0.3) * v * v);
    assert_close(cri_tendon_damper(&d, b, 0, NULL), force, 10 * ROUND_OFF);
    assert_close(cri_tendon_damper_tan(&d, &tan, b, still, 0), slope, 10 * ROUND_OFF);
    cri_tendon_damper_bar(&d, &bar, b, b_bar, 0, 1);
    assert_close(v_bar, slope, 10 * ROUND_OFF);
    assert_close(b[0] * b_bar[0] + b[1] * b_bar[1] + b[2] * b_bar[2], force, 10 * ROUND_OFF);
  }
}
