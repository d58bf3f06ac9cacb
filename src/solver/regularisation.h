// SPDX-License-Identifier: Apache-2.0
// Softness of a constraint row: its regularisation R, from the impedance and the diagonal of
// A = J M^-1 J'.
#ifndef CR_SOLVER_REGULARISATION_H
#define CR_SOLVER_REGULARISATION_H

#include "model/data.h"

/// Regularisation of all rows, after constraint/constraint made them.
/// Map      (efc_KBIP, contact_friction, contact_weight, contact_solref, jnt_solref,
///          tendon_solref_lim, efc_J, M, ten_J, actuator_moment, efm_...; body_invweight0,
///          dof_invweight0, tendon_invweight0, or with the flag diagexact efc_J and M) ->
///          efc_diagA, efc_R, efc_D, contact_mu
/// Equation R = max(1e-15, (1 - I) / I A), D = 1 / R                 [regularisation.s1]
///          A_i = sum of the inverse weights of what row i moves, for pyramids times 1 + mu_1^2 [regularisation.s2]
///          or, with diagexact, J_i M^-1 J_i'                        [regularisation.s3]
///          [regularisation.s1] with the integrator discrete: max(1e-15, (1 - I) / I A / f, (1 - .9999) / .9999 A), f of
///          solver/discrete_row.h, A times the row's sum J^2 / Mhat_jj over its sum J^2 / M_jj, but A
///          if the latter is below 1e-15                              [regularisation.s5], [regularisation.s6]
///          contacts, from their first row: elliptic R_2 = R_1 / impratio, R_k mu_(k-1)^2 the same
///          for all k >= 2; pyramidal 2 mu^2 R_1 for all rows; contact_mu = mu_1 / sqrt(impratio) [regularisation.s4]
///          R_1 of a contact is divided by its weight, 1 except with smooth collision   [regularisation.s7]
///          [MuJoCo manual, Computation, "Constraint model"]; docs/derivations/regularisation.md
///          contacts of the model ncp: R_1 = ncp_cfm / h                [regularisation.s8]
/// Shapes   nefc rows, ncon contacts
///          with both, A_i = J_i X^-1 J_i', X = M + efm_fluid with the diagonal of Mhat
/// Saves    euler_L: the factor of X
/// Memory   scratch 8 nv and that of the solve with diagexact, 6 nv with discrete, else none
/// Errors   CR_ERR_SINGULAR of that factor
/// Smooth   except where R meets its least value; and, with discrete, not at J = 0 of a row, beside which [regularisation.s6]
///          depends on the direction: solver/idle_rows.h
cr_status cr_regularisation(const cr_model* m, cr_data* d);
cr_status cr_regularisation_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// With diagexact one pair a row joins the cotangents of efc_J and M.
cr_status cr_regularisation_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
