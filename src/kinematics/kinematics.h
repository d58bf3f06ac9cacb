// SPDX-License-Identifier: Apache-2.0
// Forward kinematics: poses of all bodies, joints, geoms and sites from the coordinates.
#ifndef CR_KINEMATICS_KINEMATICS_H
#define CR_KINEMATICS_KINEMATICS_H

#include "model/data.h"

/// Poses of all objects (MuJoCo's mj_kinematics).
/// Map      (qpos, mocap_pos, mocap_quat; fixed poses, joint anchors and axes) -> xpos, xquat, xmat,
///          xipos, ximat, xanchor, xaxis, geom_xpos, geom_xmat, site_xpos, site_xmat
/// Equation [kinematics.k1] a frame fixed in another: x = x0 + R0 p, Q = Q0 q
///          [kinematics.k2] a joint before it acts: axis = R a, anchor = x + R b
///          [kinematics.k3] slide: x += axis (qpos - qpos0)
///          [kinematics.k4] hinge, ball: Q = Q exp(turn / 2), x = anchor - R b
///          [kinematics.k5] free: x and Q are the coordinates; derivation: docs/derivations/kinematics.md
/// Shapes   the field tables
/// Units    m, rad.  Frames: world, quaternions and matrices body to world
/// Saves    kin_xmat, kin_jnt_xmat
/// Notes    Joints of one body act in their order; anchor and axis are those before the joint acts.
///          Quaternions of qpos and of mocap bodies are normalised in a copy. The derivative of
///          jnt_axis is that of three free numbers, taken at unit length. Poses of mocap bodies
///          carry no derivative. The world's body frame is the identity.
/// Errors   none
/// Smooth   everywhere
cr_status cr_kinematics(const cr_model* m, cr_data* d);

/// Tangents of all poses: one angular and one linear velocity a body, from the root to the leaves.
cr_status cr_kinematics_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// The transpose: one moment and one force a body, from the leaves to the root.
cr_status cr_kinematics_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
