// SPDX-License-Identifier: Apache-2.0
// A plan of quasi-dynamic poses, coordinates and rotations by name, and the distance of poses.
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

/// NAME=VALUE of an option, where NAME is of qpos: its numbers are *first ... *first + *count - 1.
cr_status cr_coordinate_read(const cr_model* m, const char* option, const char* text, int* first,
                             int* count, cr_real* value, cr_error* error);

/// JOINT=X,Y,Z of an option: turns the object of a ball or free joint in qpos[nq] by the rotation vector X, Y, Z, in degrees, in
/// the world.
cr_status cr_turn_read(const cr_model* m, const char* option, const char* text, cr_real* qpos,
                       cr_error* error);

/// Norm of weight (a - b) over the dofs, orientations as rotation vectors. weight[nv]; move[nv] is scratch; a[nq], b[nq].
double cr_object_distance(const cr_model* m, const double* weight, cr_real* move, const cr_real* a,
                          const cr_real* b);

#endif
