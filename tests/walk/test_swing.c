// SPDX-License-Identifier: Apache-2.0
// Where a swinging foot lands, and how it gets there.
#include "walk/swing.h"

#include "support/close.h"
#include "support/test.h"

TEST(a_steady_robot_steps_half_a_stance_ahead) {
  const double hip[3] = {0.2, -0.1, -0.4}, velocity[3] = {0.6, -0.1, 0}, wanted[2] = {0.6, -0.1};
  double target[3];
  cri_swing_target(hip, velocity, 0, wanted, 0, 0.3, 0.03, target);
  assert_close(target[0], 0.2 + 0.09, 1e-12);
  assert_close(target[1], -0.1 - 0.015, 1e-12);
  assert_close(target[2], -0.4, 1e-12);
}

TEST(a_robot_that_is_too_fast_steps_further) {
  const double hip[3] = {0.2, -0.1, -0.4}, velocity[3] = {1, 0, 0}, wanted[2] = {0.6, 0};
  double target[3];
  cri_swing_target(hip, velocity, 0, wanted, 0, 0.3, 0.03, target);
  assert_close(target[0], 0.2 + 0.15 + 0.03 * 0.4, 1e-12);
}

TEST(hips_of_a_turning_robot_move) {
  const double hip[3] = {0.2, -0.1, -0.4}, velocity[3] = {0, 0, 0}, wanted[2] = {0, 0};
  double target[3];
  cri_swing_target(hip, velocity, 0.8, wanted, 0.8, 0.3, 0.03, target);
  // turning times (0.1, 0.2) for half a stance
  assert_close(target[0], 0.2 + 0.8 * 0.1 * 0.15, 1e-12);
  assert_close(target[1], -0.1 + 0.8 * 0.2 * 0.15, 1e-12);
}

TEST(the_way_begins_and_ends_where_it_is_to_and_rises_between) {
  const double from[3] = {-0.1, 0.02, -0.4}, to[3] = {0.1, -0.02, -0.38};
  double point[3], top = -1, before = -1;
  cri_swing_point(from, to, 0, 0.1, point);
  for (int k = 0; k < 3; k++) {
    assert_close(point[k], from[k], 1e-12);
  }
  cri_swing_point(from, to, 1, 0.1, point);
  for (int k = 0; k < 3; k++) {
    assert_close(point[k], to[k], 1e-12);
  }
  for (int i = 0; i <= 1000; i++) {
    cri_swing_point(from, to, i / 1000.0, 0.1, point);
    assert_true(point[0] >= before);  // never back
    before = point[0];
    top = point[2] > top ? point[2] : top;
  }
  assert_close(top, -0.28, 1e-3);
  // four fifths of the way after half of the time
  cri_swing_point(from, to, 0.5, 0.1, point);
  assert_close(point[0], -0.1 + 0.8 * 0.2, 1e-12);
}
