// SPDX-License-Identifier: Apache-2.0
#include "walk/swing.h"

#include <math.h>

void cri_swing_target(const double hip[3], const double velocity[3], double yaw_rate,
                      const double wanted[2], double wanted_yaw_rate, double stance, double gain,
                      double target[3]) {
  // the hip moves about the trunk when it yaws
  const double across[2] = {-hip[1], hip[0]};
  for (int k = 0; k < 2; k++) {
    double is = velocity[k] + yaw_rate * across[k];
    double should = wanted[k] + wanted_yaw_rate * across[k];
    target[k] = hip[k] + is * stance / 2 - gain * (should - is);
  }
  target[2] = hip[2];
}

void cri_swing_point(const double from[3], const double to[3], double phase, double clearance,
                     double point[3]) {
  const double pi = 3.14159265358979323846;
  double s = phase <= 0.5 ? 0.8 * sin(pi * phase) : 0.8 + 0.4 * (phase - 0.5);
  for (int k = 0; k < 2; k++) {
    point[k] = (1 - s) * from[k] + s * to[k];
  }
  // the parabola through both ends and the top at s = 1/2
  double top = fmax(from[2], to[2]) + clearance;
  double a = 2 * (from[2] + to[2] - 2 * top), b = to[2] - from[2] - a;
  point[2] = from[2] + (b + a * s) * s;
}
