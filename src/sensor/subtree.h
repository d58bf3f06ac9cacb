// SPDX-License-Identifier: Apache-2.0
// Momenta of subtrees (MuJoCo's mj_subtreeVel).
#ifndef CR_SENSOR_SUBTREE_H
#define CR_SENSOR_SUBTREE_H

#include "model/data.h"

/// Velocity of the centre of mass, and angular momentum about it, of every subtree.
/// Map      (cinert, cvel, subtree_com) -> subtree_linvel, subtree_angmom
/// Equation (l, p)_b = I_b V_b + sum of children's, m_b its mass          [subtree.u1]
///          subtree_linvel = p / m                                        [subtree.u2]
///          subtree_angmom = l - r x p, r = subtree_com_b - com of the tree       [subtree.u3]
///          the world: trees have points of their own, so l_0 = sum l + (com_tree - com_0) x p
///          derivation: docs/derivations/subtree.md
/// Shapes   subtree_linvel[3 nbody], subtree_angmom[3 nbody]
/// Units    m/s, kg m^2/s.  Frames: world axes
/// Errors   none
/// Smooth   everywhere; a subtree lighter than CR_MINVAL counts as that heavy, as in MuJoCo
cr_status cr_subtree(const cr_model* m, cr_data* d);
cr_status cr_subtree_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_subtree_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
