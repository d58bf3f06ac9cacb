// SPDX-License-Identifier: Apache-2.0
// Islands: trees that constraint rows couple, directly or through others, with these rows. Islands
// are independent of each other, so each is solved separately.
#ifndef CR_SOLVER_ISLANDS_H
#define CR_SOLVER_ISLANDS_H

#include "math/cholesky.h"
#include "math/runs.h"
#include "model/data.h"

/// Island k: dofs dof_adr[k] .. of `dof`, rows row_adr[k] .. of `row`. They are numbered by their
/// first tree; rows without columns make a last one without dofs.
typedef struct {
  int n;
  const int32_t *dof_adr, *row_adr;
  const cr_run *dof, *row;
} cri_islands;

static inline cr_runs cri_island_dofs(const cri_islands* x, int k) {
  return (cr_runs){x->dof_adr[k + 1] - x->dof_adr[k], x->dof + x->dof_adr[k]};
}
static inline cr_runs cri_island_rows(const cri_islands* x, int k) {
  return (cr_runs){x->row_adr[k + 1] - x->row_adr[k], x->row + x->row_adr[k]};
}

/// The islands of d's rows under an effective mass matrix with this pattern, if the effective mass matrix itself couples trees; NULL: it
/// does not.
/// Map      (efc_J_rownnz, efc_J_rowadr, efc_J_colind; mass) -> tree_island, islands
/// Memory   they are in d's scratch, which the caller pops: 9 ntree + 6 nefc + 8 integers
cri_islands cri_islands_find(const cr_model* m, cr_data* d, const cr_pattern* mass);

/// Of these dofs, which are those of whole trees, the ones in islands, or all others; `room` holds ntree
/// runs.
cr_runs cri_dofs_in_islands(const cr_model* m, const cr_data* d, cr_runs dofs, bool in,
                            cr_run* room);

#endif
