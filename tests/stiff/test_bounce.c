// SPDX-License-Identifier: Apache-2.0
// Needs: io
#include <math.h>

#include "stiff/bounce.h"
#include "support/close.h"

// the velocity by small steps of the classical Runge-Kutta method; the floor bends the law, so the steps are very small
static double stepped(const cri_bounce* floor, double height, double velocity, double time) {
  const int steps = 200000;
  const double h = time / steps, k = floor->stiffness, c = 2 * sqrt(k), g = floor->gravity;
  double z = height, v = velocity;
  for (int i = 0; i < steps; i++) {
    const double share[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double dz = 0, dv = 0, sum_z = 0, sum_v = 0;
    for (int s = 0; s < 4; s++) {
      const double at = z + share[s] * h * dz, speed = v + share[s] * h * dv;
      dz = speed;
      dv = at < 0 ? -k * at - c * speed - g : -g;
      sum_z += weight[s] * dz;
      sum_v += weight[s] * dv;
    }
    z += h * sum_z / 6;
    v += h * sum_v / 6;
  }
  return v;
}

TEST(the_closed_form_is_the_differential_equation) {
  static const cri_bounce floors[] = {{9.81, 100}, {9.81, 2500}, {1.62, 9}};
  static const double speeds[] = {-3, -1, 0, 2, 3.8, 3.9, 4.2, 5};
  for (int f = 0; f < 3; f++) {
    for (int i = 0; i < 8; i++) {
      const double is = cri_bounce_velocity(&floors[f], 1, speeds[i], 1);
      assert_true(fabs(is - stepped(&floors[f], 1, speeds[i], 1)) < 2e-3);
    }
  }
}

TEST(flight_that_does_not_end_is_flight) {
  const cri_bounce floor = {9.81, 100};
  assert_true(cri_bounce_velocity(&floor, 1, 5, 1) == 5 - 9.81);
}

TEST(the_point_comes_to_rest) {
  const cri_bounce floor = {9.81, 2500};
  assert_true(fabs(cri_bounce_velocity(&floor, 1, -3, 3)) < 1e-12);
}
