// SPDX-License-Identifier: Apache-2.0
// A leg of three hinges with a round foot: where the foot is, how it moves, and which angles bring it to a point.
#ifndef CR_WALK_LEG_H
#define CR_WALK_LEG_H

enum { CR_LEG_JOINTS = 3 };

/// Everything in the trunk's frame, m, at the reference angles.
typedef struct {
  double reference[CR_LEG_JOINTS];                          // rad
  double anchor[CR_LEG_JOINTS][3], axis[CR_LEG_JOINTS][3];  // axes have length 1
  double foot[3];
  double mass[CR_LEG_JOINTS],
      middle[CR_LEG_JOINTS][3];  // of the link behind each joint: kg, centre of mass
  double lower[CR_LEG_JOINTS], upper[CR_LEG_JOINTS];  // limits of the angles, rad; infinite: none
} cr_leg;

/// A point of the last link at angles q: it is `off` from the foot's centre, and the lowest of a round foot where it touches.
/// Equation product of the rotations about the three axes, from the hip to the foot
/// Shapes   jacobian[9], row by row: velocity of the point per joint velocity; may be NULL
void cri_leg_foot(const cr_leg* leg, const double q[CR_LEG_JOINTS], const double off[3],
                  double foot[3], double* jacobian);

/// The anchor of the last joint at angles q.
void cri_leg_knee(const cr_leg* leg, const double q[CR_LEG_JOINTS], double knee[3]);

/// Torques that carry the weight of the links at angles q. gravity: m/s^2, in the trunk's frame.
void cri_leg_carry(const cr_leg* leg, const double q[CR_LEG_JOINTS], const double gravity[3],
                   double torque[CR_LEG_JOINTS]);

/// Angles that bring the foot's centre to `target`, from the angles q on: Levenberg and Marquardt, within limits.
/// Returns  the distance that is left, m: 0 but for rounding where the foot can reach the target
double cri_leg_reach(const cr_leg* leg, const double target[3], double q[CR_LEG_JOINTS]);

#endif
