// SPDX-License-Identifier: Apache-2.0
// The controller: gait, forces of standing feet, way of swinging ones, torques.
#ifndef CR_WALK_WALKER_H
#define CR_WALK_WALKER_H

#include "walk/force_plan.h"
#include "walk/odometry.h"

typedef struct {
  cr_gait gait;
  cr_force_costs costs;
  double friction;  // that is believed of all feet
  int every;  // steps between two decisions; one is made too when a foot begins or ends to stand
  double raibert;                // s, of what a foot lands further out where the robot is too fast
  double clearance;              // m, of a swing
  double kp, kd[CR_LEG_JOINTS];  // of swinging legs, N m/rad, N m s/rad
  double yaw_limit;              // rad, of the error of the heading that a decision sees
} cr_walk_options;

/// Those of motion_imitation for its larger robot, with the robot's own mass and inertia.
cr_walk_options cri_walk_options(const cr_legged* robot);

/// What decides forces: tells `force` [CR_LEGS][3] for a view.
typedef cr_status cr_decide(void* context, const cr_body_view* view, double force[CR_LEGS][3],
                            cr_error* error);

typedef struct {
  const cr_legged* robot;
  cr_walk_options options;
  cr_decide* decide;
  void* context;
  cr_odometry odometry;
  double heading;             // that is wanted, rad
  int step, last;             // steps so far; that of the last decision
  bool stands[CR_LEGS];       // now
  bool planned[CR_LEGS];      // by the gait
  double lifted[CR_LEGS][3];  // where the foot was when its swing began, level, from the trunk
  double force[CR_LEGS][3];   // of the last decision, level
  cr_body_view view;          // of the last step
  double phase[CR_LEGS];
  int decisions;
} cr_walker;

/// From standing at the heading 0.
void cri_walker_begin(cr_walker* walker, const cr_legged* robot, const cr_walk_options* options,
                      cr_decide* decide, void* context);

/// wanted: speed ahead and to the left, m/s, and of turning, rad/s. torque: of every joint of every leg, N m.
/// Equation standing: -J' R' f; swinging: kp (q_wanted - q) - kd q'; both carry the weight of the leg     [walk.w1]
/// Errors   those of decide
cr_status cri_walker_act(cr_walker* walker, const cr_measured_body* measured, double time, double h,
                         const double wanted[3], double torque[CR_LEGGED_JOINTS], cr_error* error);

#endif
