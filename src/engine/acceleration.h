// SPDX-License-Identifier: Apache-2.0
// The acceleration: forces and constraints together, and its derivative by the implicit function
// theorem. No iteration is differentiated.
#ifndef CR_ENGINE_ACCELERATION_H
#define CR_ENGINE_ACCELERATION_H

#include "model/data.h"

/// Acceleration and constraint forces.
/// Map      (qfrc_smooth, M, efc_J, efc_aref, efc_D, efc_frictionloss, contact_mu, contact_friction;
///          qacc_warmstart) -> qacc_smooth, qacc, efc_force, qfrc_constraint. With the integrator
///          discrete qfrc_shift is added to qfrc_smooth, and the effective mass matrix of engine/implicit_inertia_solve.h, made from
///          efm_..., ten_J, actuator_moment, qvel, cinert, cdof too, replaces M.
///          The contact model has derivatives by numbers without a row, or without one that moves anything
/// Equation [acceleration.a1] M qacc_smooth = qfrc_smooth;
///          [acceleration.a2] r(a) = M a - qfrc_smooth - J' f(e) = 0,  e = J a - aref, f of the contact model;
///          [acceleration.a3] qfrc_constraint = J' f.  Derivation: docs/derivations/acceleration.md
/// Shapes   nv numbers, nefc rows
/// Saves    those of engine/implicit_inertia_solve.h; acc_qacc, acc_jar, acc_force, tree_island, H_factor,
///          H_index: the solution, and where there are rows the factor of H = M - J' F' J there, F' = df/de
/// Units    qacc m/s^2|rad/s^2, forces N|N m
/// Memory   scratch 11 nv + 5 nefc, and the contact model's
/// Errors   CR_ERR_NONFINITE (names the joint, or the row), CR_ERR_SOLVER (names the residual, and the
///          rows in conflict), CR_ERR_SINGULAR if rounding leaves no digits (engine/rounding.h)
/// Smooth   where no row changes its zone (active, sliding, ...); there the derivative is that of
///          the zones at the solution. The warm start has no influence and no derivative.
cr_status cr_acceleration(const cr_model* m, cr_data* d);

/// x = H^-1 x, or H^-T x, at the solution, H with rows if there are some; in scratch of `work`.
void cri_acceleration_solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work);
void cri_acceleration_solve_transposed(const cr_model* m, const cr_data* d, cr_real* x,
                                       cr_data* work);

/// H a_tan = qfrc_smooth_tan - M_tan a + J_tan' f + J' (F' (J_tan a - aref_tan) + f_par_tan).
cr_status cr_acceleration_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// With phi = efc_force_bar + J qfrc_constraint_bar, H^T w = qacc_bar + J' F'^T phi, psi = phi + J w:
/// adds w to qfrc_smooth_bar, -F'^T psi to efc_aref_bar, the pair (-w, a) to M's cotangent, the pairs
/// (f, qfrc_constraint_bar + w) and (F'^T psi, a) to that of efc_J.
cr_status cr_acceleration_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
