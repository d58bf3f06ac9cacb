// SPDX-License-Identifier: Apache-2.0
// Rows of active equality constraints, made of what contact/equality.h knows of bonds and couplings.
//   docs/derivations/constraint.md [k7], [k8]
#ifndef CR_CONTACT_EQUALITY_ROWS_H
#define CR_CONTACT_EQUALITY_ROWS_H

#include "contact/jacobian.h"
#include "contact/rows.h"
#include "contact/tendon_rows.h"

/// Rows of all active constraints, in their order; J is the rate of the residual, the impedance of
/// all rows of a bond that of the residual's length.
void cri_equality_add(const cr_model* m, cr_data* d, cri_rows_needed* need);
void cri_equality_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Couplings pass their rows on to joints and tendons, bonds to the motions of bodies.
void cri_equality_couplings_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                const cri_tendon_pairs* pairs);
void cri_equality_bonds_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                            const cri_pair_sweep* sweep);

#endif
