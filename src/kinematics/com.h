// SPDX-License-Identifier: Apache-2.0
// Centres of mass, and inertias and motion axes about them.
#ifndef CR_KINEMATICS_COM_H
#define CR_KINEMATICS_COM_H

#include "model/data.h"

/// Centres of mass of subtrees; inertias and motion axes with world axes about the centre of mass
/// of the tree, so that they add within a tree (MuJoCo's mj_comPos).
/// Map      (xipos, ximat, xmat, xanchor, xaxis, body_mass, body_inertia)
///          -> subtree_com, cinert, cdof
/// Equation [com.m1] subtree_com = sum m x / sum m over the subtree; x where the sum is below CR_MINVAL
///      [com.m2] cinert = (R diag(inertia) R' + m (o'o 1 - o o'), m o, m), o = x - com of the tree
///      [com.m3] cdof = (a, a x r) of a rotation, r = com of the tree - anchor; (0, a) of a slide;
///          axes a: xaxis, or the columns of xmat for ball and free joints, whose translations
///          are (0, e_x), (0, e_y), (0, e_z); derivation: docs/derivations/com.md
/// Shapes   the field tables; [world] has cinert 0
/// Units    kg, m.  Frames: world axes
/// Saves    com_subtree
/// Errors   none
/// Smooth   everywhere; a subtree below CR_MINVAL stays massless
cr_status cr_com(const cr_model* m, cr_data* d);

cr_status cr_com_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

cr_status cr_com_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
