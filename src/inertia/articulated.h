// SPDX-License-Identifier: Apache-2.0
// The articulated-body factor of M + diag(extra): solves with the joint-space inertia in time
// linear in the number of bodies, without forming it. inertia makes it for M, the Euler integrator
// for M + hD; accelerations and backward passes solve with it.
#ifndef CR_INERTIA_ARTICULATED_H
#define CR_INERTIA_ARTICULATED_H

#include "math/runs.h"
#include "model/data.h"

/// Factor of A = S' I S + diag, S' I S the joint-space inertia of (cinert, cdof).
/// Map      (d->cinert, d->cdof, diag) -> (U, Dinv)
/// Equation leaf to root; for the dofs i of body b from the last to the first
///            u_i = Ia_b s_i, D_i = s_i . u_i + diag_i, U_i = u_i / D_i, Ia_b -= u_i u_i' / D_i,
///          then Ia_parent += Ia_b; Ia_b starts from cinert_b. [Featherstone, Rigid Body Dynamics
///          Algorithms (2008), 7.3, one dof at a time; docs/derivations/articulated.md a1-a3]
/// Shapes   diag[nv], U[nv * 6], Dinv[nv]
/// Units    those of M
/// Memory   21 numbers a body of `work`'s scratch; `work` may be d
/// Errors   CR_ERR_SINGULAR (D_i below CR_MINVAL: names the joint), CR_ERR_NONFINITE (D_i is
///          NaN); sentence in work->error, U and Dinv then hold no factor
cr_status cri_articulated_factor(const cr_model* m, const cr_data* d, const cr_real* diag,
                                 cr_real* U, cr_real* Dinv, cr_data* work);

/// x = A^-1 x with that factor; A is symmetric, so this is its transposed solve as well.
/// Map      x = tau -> x = a
/// Equation leaf to root y_i = x_i - s_i . p_i, p_parent += p_i + U_i y_i;
///          root to leaf x_i = y_i / D_i - U_i . a_parent, a_i = a_parent + s_i x_i. [articulated.a4], [articulated.a5]
/// Shapes   cdof[nv * 6], U[nv * 6], Dinv[nv], x[nv]
/// Memory   6 numbers a dof of `work`'s scratch
/// `trees`: only the dofs of these whole trees.
void cri_articulated_solve_part(const cr_model* m, const cr_real* cdof, const cr_real* U,
                                const cr_real* Dinv, cr_runs trees, cr_real* x, cr_data* work);
void cri_articulated_solve(const cr_model* m, const cr_real* cdof, const cr_real* U,
                           const cr_real* Dinv, cr_real* x, cr_data* work);

#endif
