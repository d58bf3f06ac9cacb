// SPDX-License-Identifier: Apache-2.0
// The state of a walking robot from what it measures: an inertial unit on the trunk, angles of joints, touch of feet.
#ifndef CR_WALK_ODOMETRY_H
#define CR_WALK_ODOMETRY_H

#include "walk/legged.h"

/// What is measured at a moment.
typedef struct {
  double quat[4];          // of the trunk, world from trunk, w first
  double turning[3];       // rad/s, in the trunk's frame
  double acceleration[3];  // m/s^2, of the trunk's origin, without gravity's share, in the world
  double q[CR_LEGGED_JOINTS], v[CR_LEGGED_JOINTS];
  bool touches[CR_LEGS];
} cr_measured_body;

/// A Kalman filter of the trunk's velocity with one variance; then means over the last rows.
/// Equation predict v += h a, variance += h^2 a_sd^2; the lowest point p of a foot, which stands still, measures v = -R (w x p + J q')   [walk.o1]
enum { CR_ODOMETRY_WINDOW = 20 };
typedef struct {
  double acceleration_sd, foot_sd;  // m/s^2, m/s
  double settle;                    // s until a foot that has touched down stands still
  int window;                       // rows that are averaged; at most CR_ODOMETRY_WINDOW
  // the estimate
  double velocity[3], variance, height;  // of the trunk's origin, world; m above the ground
  double smooth[3];                      // velocity over the window
  double touched[CR_LEGS];               // s that feet have touched the ground
  double row[CR_ODOMETRY_WINDOW][3];
  int rows;
} cr_odometry;

/// At rest at the height of the standing robot.
void cri_odometry_begin(cr_odometry* odometry, const cr_legged* robot);

/// stands: feet that are to stand; those of them count that have touched for a while.
void cri_odometry_update(cr_odometry* odometry, const cr_legged* robot,
                         const cr_measured_body* measured, const bool stands[CR_LEGS], double h);

#endif
