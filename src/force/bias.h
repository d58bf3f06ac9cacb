// SPDX-License-Identifier: Apache-2.0
// Coriolis, centrifugal and gravitational forces: the recursive Newton-Euler sweep without joint
// accelerations (MuJoCo's mj_rne).
#ifndef CR_FORCE_BIAS_H
#define CR_FORCE_BIAS_H

#include "model/data.h"

/// The force that keeps the joint accelerations zero.
/// Map      (qvel, cinert, cdof, cdof_dot, cvel, ten_J, ten_bias; gravity, tendon_armature,
///          actuator_armature, actuator_gear) -> qfrc_bias
/// Equation A_world = (0, -gravity), A_b = A_parent + sum of cdof_dot_i qvel_i over the dofs of b;
///          F_b = I_b A_b + V_b x* (I_b V_b) + sum of children's F; qfrc_bias_i = s_i . F_b
///          + sum over tendons with armature a of a ten_bias ten_J_i             [bias.b5]
///          [Featherstone (2008), 5.3]; docs/derivations/bias.md b1-b5. Gravity is left out under
///          CR_DSBL_GRAVITY.
/// Shapes   qfrc_bias[nv]
/// Units    N, N m.  Frames: world axes, about the centre of mass of the tree
/// Saves    bias_acc: A_b, bias_frc: F_b (of bodies that move)
/// Errors   none
/// Smooth   everywhere
cr_status cr_bias(const cr_model* m, cr_data* d);
cr_status cr_bias_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_bias_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
