// SPDX-License-Identifier: Apache-2.0
// Derivatives of the joint force of pressure fields by coordinates and velocities: for each pair of geoms a dense block over the dofs
// that move one of its bodies. For the Jacobian of a step.
#ifndef CR_PRESSURE_PRESSURE_JAC_H
#define CR_PRESSURE_PRESSURE_JAC_H

#include "kinematics/rigid_transport.h"

/// Adds the derivatives of qfrc_pressure.
/// Map      (geom_xpos, geom_xmat, cvel, cdof, subtree_com; inputs of `carried`) -> columns
/// Equation all relative to one point of the pair. F(x, u): wrench on the second body by its displacement x against the first, both
///          motions held, and by u = V_2 - V_1; P, Q its slopes, sums over faces of those of [pressure.f1] to [pressure.t2]
///          a displacement S_j:  u' = S_j x (V_2 - V_j) - S_j x (V_1 - V_j), each where it moves the body
///          F' = Q u' + P S_j, of the second body; Q u' + S_j x* F - P S_j - Q (S_j x u), of the first, since F is carried along where
///          both bodies and their motions are; the sum of both, of both bodies                         [pressure.y1]
///          a velocity: F' = +-Q S_j, - of the first body                                              [pressure.y2]
///          i, j: [step_jacobian.z5];  derivation: docs/derivations/pressure.md
/// Shapes   columns q and v
/// Memory   2 nv integers and 24 nv numbers of `work`'s scratch
/// Smooth   as pressure; sizes, moduli, friction and the like are held
void cri_pressure_jac(const cr_model* m, const cr_data* d, const cri_rigid_transport* carried,
                      cri_columns columns, cr_data* work);

#endif
