// SPDX-License-Identifier: Apache-2.0
// Rows of tendons: friction loss and limits.  docs/derivations/constraint.md [constraint.k9]
#ifndef CR_CONSTRAINT_TENDON_ROWS_H
#define CR_CONSTRAINT_TENDON_ROWS_H

#include "constraint/rows.h"

/// The cotangent of ten_J gets one pair for each pair of efc_J; a row s ten_J passes its left
/// entries on. Begin once, before the backward pass of all rows made of tendons.
typedef struct {
  int first;  // pair of ten_J for the first of efc_J
} cri_tendon_pairs;

cri_tendon_pairs cri_tendon_pairs_begin(const cr_model* m, cr_data* bar);

/// Row i of efc_J is, or contains, s ten_J of tendon t.
void cri_tendon_row_bar(cr_data* bar, const cri_tendon_pairs* pairs, int i, int t, cr_real s);

/// [constraint.k9] J = ten_J for every tendon with friction loss. The derivatives begin at row i, and return
/// the row after the last.
void cri_tendon_friction(const cr_model* m, cr_data* d, cri_rows_needed* need);
int cri_tendon_friction_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i);
int cri_tendon_friction_vjp(const cr_model* m, cr_data* bar, const cri_tendon_pairs* pairs, int i);

/// [constraint.k9] J = -side ten_J for every active limit, the lower before the upper.
void cri_tendon_limits(const cr_model* m, cr_data* d, cri_rows_needed* need);
int cri_tendon_limits_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i);
int cri_tendon_limits_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                          const cri_tendon_pairs* pairs, int i);

#endif
