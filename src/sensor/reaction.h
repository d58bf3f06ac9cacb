// SPDX-License-Identifier: Apache-2.0
// Accelerations of bodies and the forces between them (MuJoCo's mj_rnePostConstraint).
#ifndef CR_SENSOR_REACTION_H
#define CR_SENSOR_REACTION_H

#include "model/data.h"

/// The Newton-Euler sweep with the computed accelerations: the force through each joint.
/// Map      (qvel, qacc, gravity, cinert, cvel, cdof, cdof_dot; all that cri_external reads)
///          -> cacc, cfrc_ext, cfrc_int
/// Equation cacc_world = (0, -gravity), cacc_b = cacc_parent + sum of cdof_dot v + cdof a   [reaction.k1]
///          cfrc_ext = cri_external                                                 [reaction.k2]
///          cfrc_int_b = I A + V x* I V - cfrc_ext_b + sum of children's            [reaction.k3]
///          derivation: docs/derivations/reaction.md
/// Shapes   6 numbers a body
/// Units    rad/s^2, m/s^2; N m, N.  Frames: world axes, about the centre of mass of the tree;
///          cfrc_int of the world adds numbers about different points, as MuJoCo's does
/// Errors   none
/// Smooth   except where spatial tendons are not (sensor/tendon_wrench.h)
cr_status cr_reaction(const cr_model* m, cr_data* d);
cr_status cr_reaction_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_reaction_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
