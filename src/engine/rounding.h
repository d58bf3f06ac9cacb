// SPDX-License-Identifier: Apache-2.0
// Digits that rounding leaves of the acceleration, where light bodies carry heavy ones or stiff rows
// oppose each other. Estimated only where the inertia's pivots show that digits are lost.
#ifndef CR_ENGINE_ROUNDING_H
#define CR_ENGINE_ROUNDING_H

#include "solver/contact_model.h"

/// x = H^-1 x at the solution, in scratch of `work`.
typedef void cri_linear_solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work);

/// Sizes of the terms added up on each dof of A x = b, sizes[nv]: their rounding moves x. `beside`: numbers like x;
/// the larger of the two in a tree is the unit for its x. `solve` is by A^-1, `transposed` by its transpose.
typedef struct {
  const cr_real *sizes, *x, *beside;
  cri_linear_solve *solve, *transposed;
} cri_noise;

/// sizes += |A| |x|, A symmetric with this lower triangle; sizes += |J|' |f| of all rows.
void cri_noise_of_product(const cr_pattern* p, const cr_real* value, const cr_real* x,
                          cr_real* sizes);
void cri_noise_of_rows(const cr_data* d, cr_real* sizes);

/// sizes = |qfrc_smooth| + |J|' |f|; speeds = v / h, beside which rounding in an acceleration is small.
void cri_noise_of_forces(const cr_model* m, const cr_data* d, cr_real* sizes);
void cri_noise_speeds(const cr_model* m, const cr_data* d, cr_real* speeds);

/// |A^-1| 32 eps sizes, over the largest x of the tree, for the dof where this is largest, by two to six solves.
/// Memory   scratch nv of d
cr_real cri_noise_moves(const cr_model* m, cr_data* d, const cri_noise* noise);

/// Estimates how far rounding moves the acceleration of some dof,
///   |H^-1| 32 eps (|Mhat| |a| + |tau| + |J|' |f|), over the largest acceleration of its tree,
/// for the dof where this is largest, by two to six solves.
/// Map      (M, art_Dinv or efm_L, acc_qacc, qacc_smooth, efc_J, efc_force; factor of H) -> d->rounding,
///          0 if no pivot is below a thousandth of its diagonal, and d->rounding_dof, whose
///          own inertia is lost beside the inertia that it carries
/// Errors   CR_ERR_SINGULAR if fewer than three digits are left, with the joint
cr_status cri_rounding(const cr_model* m, cr_data* d, const cr_mass_view* mass,
                       cri_linear_solve* solve, cri_linear_solve* transposed);

#endif
