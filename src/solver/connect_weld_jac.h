// SPDX-License-Identifier: Apache-2.0
// Derivatives of the joint force of connects and welds by coordinates and velocities: for each a dense
// block over the dofs that move one of its bodies. For the Jacobian of a step.
#ifndef CR_SOLVER_CONNECT_WELD_JAC_H
#define CR_SOLVER_CONNECT_WELD_JAC_H

#include "solver/row_force_jac.h"

/// Adds the derivatives of J' f of all connects and welds, the acceleration held.
/// Map      (inputs of constraint/equality and `carried`; acc_force) -> columns
/// Equation under dof j the two bodies, their motions and their bias accelerations A move by
///            V' = S_j x (V - V_j),  B' = S_j x (B - B_j),  A' = S_j x (A - A_j) + nu_j x (V - V_j)
///          by velocity V' = S_j, A' = (V_j + V+_j) x S_j - V x S_j; the tangents of constraint/equality
///          turn these into the tangents of residual, J a, J v and bias:
///            e' = (J a)' + b (J v)' + bias' + K I pos' + e_r |pos|',  f' = F e' + by_r |pos|'
///            tau' = J' f' + (J')' f                                [step_jacobian.z6]
///          derivation: docs/derivations/step_jacobian.md
/// Shapes   columns q and v
/// Memory   scratch of `tan`, a tangent twin: 8 nv + 6 nbody numbers, 2 nv integers; uses its tangents
///          of bodies, sites and subtree_com
/// Smooth   as constraint/equality
void cri_connect_weld_jac(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                          const cri_rigid_transport* carried, cri_columns columns, cr_data* tan);

#endif
