// SPDX-License-Identifier: Apache-2.0
// Where a swinging foot is to land, and the way there. Frame: level, x the heading, origin at the trunk.
#ifndef CR_WALK_SWING_H
#define CR_WALK_SWING_H

/// Where the foot below a hip lands (Raibert, Legged robots that balance, 1986).
/// Equation hip + v_hip stance / 2 - gain (v_wanted - v_hip), v of the hip in the plane            [walk.s1]
/// Shapes   hip: where the foot stands below a trunk at rest; z of the result is that of hip
void cri_swing_target(const double hip[3], const double velocity[3], double yaw_rate,
                      const double wanted[2], double wanted_yaw_rate, double stance, double gain,
                      double target[3]);

/// The point of the way at a phase 0 ... 1: a parabola in z that rises `clearance` above the higher end, a straight line in
/// the plane. Both run in the warped phase, which is quick in the first half.
/// Equation warped = phase <= 1/2 ? 0.8 sin(pi phase) : 0.8 + 0.4 (phase - 1/2)                   [walk.s2]
void cri_swing_point(const double from[3], const double to[3], double phase, double clearance,
                     double point[3]);

#endif
