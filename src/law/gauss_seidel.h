// SPDX-License-Identifier: Apache-2.0
// Projected Gauss-Seidel over constraint forces: near the solution of contacts with Coulomb's friction from any
// start, where Newton's method then finishes.
#ifndef CR_LAW_GAUSS_SEIDEL_H
#define CR_LAW_GAUSS_SEIDEL_H

#include "model/data.h"

/// x = mass^-1 x, in scratch of `work`.
typedef void cri_mass_solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work);

/// Sweeps over all rows until forces stand still, `most` at most. f[nefc] is the start and becomes the
/// result; a[nv] becomes qacc_smooth + mass^-1 J' f. Returns the number of sweeps.
/// Equation [ncp.n4] f_i = P(f_i - (J_i a - aref_i + f_i / D_i) / A_i), row by row, A = J mass^-1 J' + 1 / D; the
///          tangents of a contact together; P of a limit and a normal max(0, f), of friction loss its bounds, of tangents
///          radially into the cone; forces of contacts with laws of gap and velocity, or that were added, stay
/// Memory   nefc (nv + 1) numbers of scratch
int cri_gauss_seidel(const cr_model* m, cr_data* d, cri_mass_solve* solve, int most, cr_real* f,
                     cr_real* a);

#endif
