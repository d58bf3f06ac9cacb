// SPDX-License-Identifier: Apache-2.0
// A point that falls on a soft floor, in one dimension and in closed form.
#ifndef CR_STIFF_BOUNCE_H
#define CR_STIFF_BOUNCE_H

/// Equation z'' = -g above the floor (z >= 0), z'' = -k z - 2 sqrt(k) z' - g below it
typedef struct {
  double gravity;    // g, m/s^2
  double stiffness;  // k, N/(kg m)
} cri_bounce;

/// Velocity after `time` seconds from the height `height` >= 0 with the velocity `velocity`, up is positive. The floor is
/// critically damped, so the point never leaves it again.
double cri_bounce_velocity(const cri_bounce* floor, double height, double velocity, double time);

#endif
