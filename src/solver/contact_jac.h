// SPDX-License-Identifier: Apache-2.0
// Derivatives of the joint force of contacts by coordinates and velocities: for each contact a dense block
// over the dofs that move one of its bodies. For the Jacobian of a step.
#ifndef CR_SOLVER_CONTACT_JAC_H
#define CR_SOLVER_CONTACT_JAC_H

#include "solver/row_force_jac.h"

/// Adds the derivatives of J' f of all contacts, the acceleration held.
/// Map      (contact_pos, contact_frame, acc_force; inputs of `carried`) -> columns
/// Equation with all motions at the contact point, u = u_2 - u_1 of a sum u of S x (x = a or v), a
///          displacement S_j of one body, or of both, moves the point by p', turns the frame by w':
///            u' = S_j x (u_2 - u_j) - S_j x (u_1 - u_j), each where it moves the body
///            (J x)'_k = f_k . (u'_lin + u_ang x p' + u_lin x w'),  f_k . (u'_ang + u_ang x w')  [step_jacobian.z3]
///            f' by [step_jacobian.z1];  F' = (w' x t + p' x f, w' x f) + the wrench of f'      [step_jacobian.z4]
///            i, j: +-s_i . (F' - S_j x* F where S_j carries s_i), - on the first body          [step_jacobian.z5]
///          derivation: docs/derivations/step_jacobian.md
/// Shapes   columns q and v
/// Memory   2 nv integers and 24 nv numbers of `work`'s scratch
/// Smooth   as collision and the contact model; friction, solref and the like are held
void cri_contact_jac(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                     const cri_rigid_transport* carried, cri_columns columns, cr_data* work);

#endif
