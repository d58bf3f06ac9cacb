// SPDX-License-Identifier: Apache-2.0
// Plans of quasi-dynamic poses in full dynamics: open loop, or with setpoints that are corrected while the plan runs.
#ifndef CR_COMMAND_PLAN_EXECUTION_H
#define CR_COMMAND_PLAN_EXECUTION_H

#include "command/servo_plan.h"

/// How poses become seconds.
typedef struct {
  double step;      // s from pose to pose
  double hold;      // s for each pose in full dynamics
  double timestep;  // s, of these
} cr_plan_times;

/// How a plan is run. Between plans the state in d stays.
typedef struct {
  const cr_setup* setup;
  cr_plan_times times;
  const bool* object;    // [nq] coordinates without a servo
  const double* weight;  // [nv] of the distance of object poses, 1/m or 1/rad; 0 of servos
  cr_quasidynamic *exact, *smooth;  // for the corrections; NULL: open loop
  double give_up;                   // distance to the plan at which the execution ends
  double stepsize;                  // largest norm of a correction of the setpoints
  double gap;                       // m, at which fingers pass in a new grasp
  cr_data* d;
  cr_pose_table* table;  // gets poses
  double time;           // s, of the last row
  // what it came to
  int poses;       // of the plan that were run
  int blocked;     // new grasps without a free way
  double to_plan;  // largest distance to the plan at one of its poses
} cr_plan_execution;

/// Runs a plan from the state in x->d. Setpoints move to their next value in the first half of `hold` seconds. Open loop: that is all, and new grasps
/// are set, not moved. With feedback: setpoints are corrected several times within a pose, and fingers move to new grasps along free ways.
/// Equation du = B'(B B' + r I)^-1 (planned object pose - exact next pose at the measured state), B of the smoothed step
/// Errors   those of steps of the dynamics; CR_ERR_MEMORY
cr_status cr_plan_execute(cr_plan_execution* x, const cr_servo_plan* plan, cr_error* error);

#endif
