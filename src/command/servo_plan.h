// SPDX-License-Identifier: Apache-2.0
// A plan of quasi-dynamic poses: where it is kept, and how it is run in full dynamics.
#ifndef CR_COMMAND_SERVO_PLAN_H
#define CR_COMMAND_SERVO_PLAN_H

#include "command/pose_table.h"
#include "command/setup.h"

typedef struct {
  int n;
  cr_real *qpos, *u;  // n nq poses; n nu: the setpoints that led there
  bool* grasp;        // n: fingers were set down anew, nothing moved
} cr_servo_plan;

/// Room for n poses. The caller frees it with cr_servo_plan_free, also after an error.
cr_status cr_servo_plan_create(cr_servo_plan* plan, const cr_setup* setup, int n, cr_error* error);
void cr_servo_plan_free(cr_servo_plan* plan);

/// How poses become seconds.
typedef struct {
  double step;      // s from pose to pose
  double hold;      // s for each pose in full dynamics
  double timestep;  // s, of these
} cr_plan_times;

/// Runs the plan in the full dynamics of the setup's model: setpoints move to their next value in the first half of `hold` and
/// stay; grasps are set. d ends in the last state; the table gets poses. object[nq]: what fingers do not hold in place
/// when they are set.
cr_status cr_servo_plan_execute(const cr_servo_plan* plan, const cr_setup* setup,
                                const cr_plan_times* times, const bool* object, cr_data* d,
                                cr_pose_table* table, cr_error* error);

/// NAME=VALUE of an option, where NAME is of qpos: its numbers are *first ... *first + *count - 1.
cr_status cr_coordinate_read(const cr_model* m, const char* option, const char* text, int* first,
                             int* count, cr_real* value, cr_error* error);

#endif
