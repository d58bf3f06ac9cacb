// SPDX-License-Identifier: Apache-2.0
// How the joint force of connects and welds changes with coordinates and velocities: per bond a dense
// block over the dofs that move one of its bodies. For the Jacobian of a step.
#ifndef CR_CONTACT_BOND_COLUMNS_H
#define CR_CONTACT_BOND_COLUMNS_H

#include "contact/row_slopes.h"

/// Adds the derivatives of J' f of all bonds, the acceleration held.
/// Map      (what contact/equality and `carried` are made of; acc_force) -> columns
/// Equation under dof j the two bodies, their motions and their bias accelerations A move by
///            V' = S_j x (V - V_j),  B' = S_j x (B - B_j),  A' = S_j x (A - A_j) + nu_j x (V - V_j)
///          by velocity V' = S_j, A' = (V_j + V+_j) x S_j - V x S_j; the tangents of contact/equality
///          turn these into those of residual, J a, J v and bias:
///            e' = (J a)' + b (J v)' + bias' + K I pos' + e_r |pos|',  f' = F e' + by_r |pos|'
///            tau' = J' f' + (J')' f                                              [z6]
///          derivation: docs/derivations/step_jacobian.md
/// Shapes   columns q and v
/// Memory   scratch of `tan`, a tangent twin: 8 nv + 6 nbody numbers, 2 nv integers; uses its tangents
///          of bodies, sites and subtree_com
/// Smooth   as contact/equality
void cri_bond_columns(const cr_model* m, const cr_data* d, const cri_row_slopes* slopes,
                      const cri_carried* carried, cri_columns columns, cr_data* tan);

#endif
