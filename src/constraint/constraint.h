// SPDX-License-Identifier: Apache-2.0
// Constraint rows: friction loss, joint limits and contacts as a sparse Jacobian, with the numbers that
// decide how soft each row is.
#ifndef CR_CONSTRAINT_CONSTRAINT_H
#define CR_CONSTRAINT_CONSTRAINT_H

#include "model/data.h"

/// All constraint rows of a state, in MuJoCo's order: equality constraints, friction loss by dof
/// and by tendon, limits by joint and by tendon (lower, upper), contacts as listed.
/// Map      (qpos, xpos, xmat, site_..., eq_..., ten_length, ten_J, tendon_..., cdof, subtree_com;
///          contact_...; jnt_..., dof_...) -> efc_J, efc_pos, efc_margin, efc_frictionloss,
///          efc_KBIP; efc_type, efc_id, contact_exclude, contact_efc_address; ne, nf, nl, nefc, nJ
/// Equation equality: J is the rate of the residual (constraint/equality.h), the impedance of a connect's or weld's
///          rows that of the residual's length. Friction loss: J = e_i. Limit: pos = q - lower or
///          upper - q, J = +-e_i; ball: pos = upper - angle, J = -axis'. Contact: J_k =
///          f_k . (v2 - v1), f_k a row of contact_frame, v_b the velocity of body b at contact_pos;
///          from the fourth on angular velocities. Pyramidal rows J_0 +- mu_k J_k. Columns: dofs that move
///          one body and not the other. K, B, I: constraint/solref_impedance.h.
///          [MuJoCo manual, Computation, "Constraint model"]; docs/derivations/constraint.md [constraint.k1]-[constraint.k9]
/// Shapes   nefc rows, nJ non-zeros in rows of ascending columns; rows of a contact share columns
/// Units    as in the field table
/// Memory   scratch 10 nv + 12 nbody pairs
/// Errors   CR_ERR_CAPACITY with the rows and non-zeros needed
/// Smooth   where the set of rows stays; solref_impedance.h names its kinks. A ball joint at its reference
///          pose has no axis: the derivative of its row's J is zero there.
cr_status cr_constraint(const cr_model* m, cr_data* d);
cr_status cr_constraint_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Consumes bar->efc_J_pairs by one sweep root to leaf and one back, all pairs together.
cr_status cr_constraint_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
