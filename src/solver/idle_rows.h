// SPDX-License-Identifier: Apache-2.0
// Rows of the integrator discrete that move nothing: their Jacobian is zero, as of a pole that stands on its
// joint. Damping and springs do not make such a row softer ([regularisation.s6] of solver/regularisation.h). They do as
// soon as the row moves something, by a share that depends on the dof that it moves.
#ifndef CR_SOLVER_IDLE_ROWS_H
#define CR_SOLVER_IDLE_ROWS_H

#include "solver/contact_model.h"

/// Adds to tau_tan the part of J' f beside the point that the derivative with D as it is lacks.
/// Map      (efc_J, acc_force, efc_state, efc_D, M, efm_...) -> force along the dofs
/// Equation for a single row with f = -D e whose sum of J^2 / M is below 1e-15: if dof j alone moves
///          it, D is s_j = Mhat_jj / M_jj times as large, so  tau_tan_j += (s_j - 1) f J_tan_j   [discrete.z3]
///          This is the derivative in every direction if all s_j of the row are alike
/// Shapes   tau_tan[nv]
/// Flags    CR_ENBL_DIAGEXACT, another integrator: nothing
/// Memory   scratch nv of the twin
void cri_idle_rows_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan);

/// Adds one pair a row to the cotangent of efc_J.
void cri_idle_rows_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* tau_bar);

/// The first row with a force that moves nothing and whose derivative depends on the direction: the s_j of
/// [discrete.z3] are not alike, or other rows, which do move something, take their softness from it. -1: none.
/// Memory   scratch nv of `work`
int cri_idle_rows_undetermined(const cr_model* m, const cr_data* d, cr_data* work);

/// True if there is one; then `doubt`, unless it is NULL, names it and its effect on a derivative.
bool cri_idle_rows_in_doubt(const cr_model* m, const cr_data* d, cr_data* work, cri_doubt* doubt);

/// latent_jvp and latent_vjp of contact models that leave limits, friction loss and equalities to the convex law:
/// rows that move nothing, and those that are not there, solver/latent_friction.h and solver/latent_adhesion.h.
void cri_latent_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan);
void cri_latent_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* tau_bar);

#endif
