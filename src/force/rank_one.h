// SPDX-License-Identifier: Apache-2.0
// Sums of c a' a over the rows a of a sparse operator (moments of actuators, Jacobians of tendons),
// kept where M has entries: between a dof and its ancestors. A row whose dofs lie on one chain is kept
// whole. A row over several branches loses the entries between them, as in MuJoCo's implicit integrators. With
// implicitfast a row also loses the entries between dofs of a simple body (cri_is_diagonal).
#ifndef CR_FORCE_RANK_ONE_H
#define CR_FORCE_RANK_ONE_H

#include "model/data.h"

/// The rows of an operator, with its values or those of its tangent.
typedef struct {
  int n;
  const int32_t *nnz, *adr, *col;
  const cr_real* value;
  bool fast;  // as implicitfast takes them
} cri_rows;

static inline cri_rows cri_moment_rows(const cr_model* m, const cr_data* d, const cr_real* value) {
  return (cri_rows){m->nout, d->moment_rownnz, d->moment_rowadr, d->moment_colind, value, false};
}
static inline cri_rows cri_tendon_rows(const cr_model* m, const cr_real* value) {
  return (cri_rows){m->ntendon, m->ten_J_rownnz, m->ten_J_rowadr, m->ten_J_colind, value, false};
}

/// Row r against x; y += s times it. `value` holds the values of the rows or their tangents.
static inline cr_real cri_row_dot(const cri_rows* rows, const cr_real* value, int r,
                                  const cr_real* x) {
  cr_real sum = 0;
  for (int k = rows->adr[r]; k < rows->adr[r] + rows->nnz[r]; k++) {
    sum += value[k] * x[rows->col[k]];
  }
  return sum;
}
static inline void cri_row_add(const cri_rows* rows, const cr_real* value, int r, cr_real s,
                               cr_real* y) {
  for (int k = rows->adr[r]; k < rows->adr[r] + rows->nnz[r]; k++) {
    y[rows->col[k]] += s * value[k];
  }
}

/// The same for tendon t, J the values of ten_J or their tangents.
static inline cr_real cri_tendon_dot(const cr_model* m, const cr_real* J, int t, const cr_real* x) {
  cri_rows rows = cri_tendon_rows(m, J);
  return cri_row_dot(&rows, J, t, x);
}
static inline void cri_tendon_add(const cr_model* m, const cr_real* J, int t, cr_real s,
                                  cr_real* y) {
  cri_rows rows = cri_tendon_rows(m, J);
  cri_row_add(&rows, J, t, s, y);
}

/// Place of D's entry between two dofs in M's pattern, -1 if there is none.
static inline int cri_rank_one_place(const cr_model* m, bool fast, int i, int j) {
  return fast && i != j && cri_is_diagonal(m, i) ? -1 : cri_place_in_M(m, i, j);
}

/// D += sum of c_k a_k' a_k.
/// Shapes   c[rows->n]; lower[nC], upper[nC] as in inertia/qderiv.h           [qderiv.o1]
void cri_rank_one_add(const cr_model* m, const cri_rows* rows, const cr_real* c, cr_real* lower,
                      cr_real* upper);

/// y += (tangent of D) x, x fixed; a_tan: tangents of the values.
/// Memory   2 nv numbers of `work`'s scratch
void cri_rank_one_jvp(const cr_model* m, const cri_rows* rows, const cr_real* a_tan,
                      const cr_real* c, const cr_real* c_tan, const cr_real* x, cr_real* y,
                      cr_data* work);

/// Gradient of s l' D r, l and r fixed: sets c_bar[rows->n], and adds to the operator's pairs two
/// pairs for all rows on one chain and one for each other.
/// Memory   2 nv numbers of `work`'s scratch
void cri_rank_one_vjp(const cr_model* m, const cri_rows* rows, const cr_real* c, const cr_real* l,
                      const cr_real* r, cr_real s, cr_real* c_bar, cr_pairs* pairs, cr_data* work);

#endif
