// SPDX-License-Identifier: Apache-2.0
// Velocities of bodies and tendons, and the rates of the motion axes (MuJoCo's mj_comVel).
#ifndef CR_KINEMATICS_VELOCITY_H
#define CR_KINEMATICS_VELOCITY_H

#include "model/data.h"

/// Body velocities, rates of motion axes, tendon velocities.
/// Map      (qvel, cdof, ten_J) -> cvel, cdof_dot, ten_velocity
/// Equation v = cvel_parent; for the joints of body b in order: v_j = v, cdof_dot_i = v_j x s_i and
///          then v += s_i qvel_i, for all dofs i of the joint at once; cvel_b = v. The translations
///          of a free joint have fixed axes: cdof_dot_i = 0, and they come before v_j is taken
///          ten_velocity = ten_J qvel
///          docs/derivations/velocity.md v1-v4
/// Shapes   cvel[nbody * 6], cdof_dot[nv * 6], ten_velocity[ntendon]
/// Units    cvel rad/s, m/s.  Frames: world axes, about the centre of mass of the tree
/// Saves    jnt_cvel: v_j
/// Errors   none
/// Smooth   everywhere
cr_status cr_velocity(const cr_model* m, cr_data* d);
cr_status cr_velocity_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_velocity_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
