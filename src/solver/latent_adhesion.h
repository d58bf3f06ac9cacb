// SPDX-License-Identifier: Apache-2.0
// Adhesion of zero for contacts in their gap. Such a contact makes no rows, so the rows' derivatives
// do not contain it; but with a little adhesion it pulls across the gap.
#ifndef CR_SOLVER_LATENT_ADHESION_H
#define CR_SOLVER_LATENT_ADHESION_H

#include "model/data.h"

/// The derivative by the adhesion of contacts that have none and no rows, at the acceleration acc_qacc.
/// Map      (acc_qacc, qvel, contact_...; contact_adhesion) -> force along the dofs
/// Equation a contact with adhesion c has one row in its gap, r = dist - margin > 0, which presses by
///          f = max(0, c - D e), e = J a - aref without adhesion, beside the pull -c. Where e > 0 and c
///          is small f is 0:  dforce/dc = -J'                             [adhesion.z2]
///          Where e < 0, as for bodies that approach fast, the row would press even without a
///          pull: the step leaps at c = 0, and beyond it does not depend on c: 0
/// Shapes   nv numbers
/// Flags    CR_DSBL_CONTACT, CR_DSBL_CONSTRAINT, both of springs and dampers: none
/// Memory   3 nv of the twin's scratch
/// Smooth   except where e changes sign
/// Derivation docs/derivations/adhesion.md

/// tau_tan += dforce/dc contact_adhesion_tan.
void cri_latent_adhesion_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* tau_tan);

/// Adds the transpose to the cotangent of contact_adhesion.
void cri_latent_adhesion_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                             const cr_real* tau_bar);

#endif
