// SPDX-License-Identifier: Apache-2.0
// Flight, then critically damped motion around the rest position -g/k.
#include "stiff/bounce.h"

#include <math.h>

double cri_bounce_velocity(const cri_bounce* floor, double height, double velocity, double time) {
  const double g = floor->gravity, w = sqrt(floor->stiffness);
  const double impact = sqrt(velocity * velocity + 2 * g * height);
  const double t = time - (velocity + impact) / g;  // since the floor was reached
  if (t <= 0) {
    return velocity - g * time;
  }
  // y = z + g/k = (a + b t) exp(-w t), y' = (b - w (a + b t)) exp(-w t)
  const double a = g / floor->stiffness, b = w * a - impact;
  return (b - w * (a + b * t)) * exp(-w * t);
}
