// SPDX-License-Identifier: Apache-2.0
// The sparse Jacobian of the constraint rows: enters rows into it, and products with it. The rows of
// one contact or connect or weld share their columns and stand together, so they are one block.
#ifndef CR_CONSTRAINT_ROWS_H
#define CR_CONSTRAINT_ROWS_H

#include "constraint/equality.h"
#include "math/runs.h"
#include "model/added_contact.h"

/// Rows of a contact of dimension dim under the model's cone.
static inline int cri_contact_rows(const cr_model* m, int dim) {
  return dim > 1 && m->cone == CR_CONE_PYRAMIDAL ? 2 * (dim - 1) : dim;
}

/// Number of rows from row i on that share its columns: those of one contact or equality constraint, or one.
static inline int cri_rows_block(const cr_model* m, const cr_data* d, int i) {
  if (i < d->ne) {
    return cri_equality_rows(m->eq_type[d->efc_id[i]]);
  }
  return i < d->ne + d->nf + d->nl ? 1 : cri_contact_rows(m, d->contact_dim[d->efc_id[i]]);
}

/// True if row i is of a contact of the model ncp.
static inline bool cri_row_is_ncp(const cr_model* m, const cr_data* d, int i) {
  if (i < d->ne + d->nf + d->nl || (m->contact_model != CR_CONTACT_NCP && m->contacts == NULL)) {
    return false;
  }
  const int32_t* geom = d->contact_geom + 2 * d->efc_id[i];
  return cri_contact_model_of(m, geom[0], geom[1]) == CR_CONTACT_NCP;
}

/// True if the rows that the flag `disable` (CR_DSBL_...) switches off are on.
static inline bool cri_rows_on(const cr_model* m, int disable) {
  return (m->disableflags & (disable | CR_DSBL_CONSTRAINT)) == 0;
}

/// Rows and non-zeros needed so far, also beyond the room.
typedef struct {
  int nefc, nJ;
} cri_rows_needed;

/// Enters nrow rows over the dofs col[n], with position, margin and friction loss 0. Returns the
/// first, -1 if there is no room.
int cri_rows_add(cr_data* d, cri_rows_needed* need, int nrow, int type, int id, int n,
                 const int32_t* col);

/// y = J x of these rows, which begin and end with a block; J holds the values, d the structure (so J
/// may be a tangent).
void cri_rows_mul_run(const cr_model* m, const cr_data* d, const cr_real* J, cr_run rows,
                      cr_real* y, const cr_real* x);

/// x += J' y of these rows.
void cri_rows_mul_transposed_run(const cr_model* m, const cr_data* d, const cr_real* J, cr_run rows,
                                 cr_real* x, const cr_real* y);

/// y = J x.
void cri_rows_mul(const cr_model* m, const cr_data* d, const cr_real* J, cr_real* y,
                  const cr_real* x);

/// x += J' y.
void cri_rows_mul_transposed(const cr_model* m, const cr_data* d, const cr_real* J, cr_real* x,
                             const cr_real* y);

#endif
