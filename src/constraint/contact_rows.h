// SPDX-License-Identifier: Apache-2.0
// Rows of contacts under either cone.  docs/derivations/constraint.md [constraint.k3], [constraint.k4]
#ifndef CR_CONSTRAINT_CONTACT_ROWS_H
#define CR_CONSTRAINT_CONTACT_ROWS_H

#include "constraint/row_jacobian.h"
#include "constraint/rows.h"

/// Rows of all contacts that make a force, as listed. Sets contact_exclude to the reason why one has none, and
/// contact_efc_address to the place of its rows.
void cri_contact_add(const cr_model* m, cr_data* d, cri_rows_needed* need);
void cri_contact_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// The reach of contact c from distance, 0 none (collision/broad.h).
cr_real cri_contact_width(const cr_model* m, const cr_data* d, int c);

/// With the motions under the right vectors of efc_J's pairs in `sweep`.
void cri_contact_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                     const cri_operator_sweep* sweep);

#endif
