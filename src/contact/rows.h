// SPDX-License-Identifier: Apache-2.0
// Products with the sparse Jacobian of the constraint rows. The rows of one contact share their
// columns and stand together, so they are taken as one block.
#ifndef CR_CONTACT_ROWS_H
#define CR_CONTACT_ROWS_H

#include "contact/equality.h"

/// Rows of a contact of dimension dim under the model's cone.
static inline int cri_contact_rows(const cr_model* m, int dim) {
  return dim > 1 && m->cone == CR_CONE_PYRAMIDAL ? 2 * (dim - 1) : dim;
}

/// Rows from row i on that share its columns: those of one contact or equality constraint, or one.
static inline int cri_rows_block(const cr_model* m, const cr_data* d, int i) {
  if (i < d->ne) {
    return cri_equality_rows(m->eq_type[d->efc_id[i]]);
  }
  return i < d->ne + d->nf + d->nl ? 1 : cri_contact_rows(m, d->contact_dim[d->efc_id[i]]);
}

/// y = J x; J holds the values, d the structure (so J may be a tangent).
void cri_rows_mul(const cr_model* m, const cr_data* d, const cr_real* J, cr_real* y,
                  const cr_real* x);

/// x += J' y.
void cri_rows_mul_transposed(const cr_model* m, const cr_data* d, const cr_real* J, cr_real* x,
                             const cr_real* y);

#endif
