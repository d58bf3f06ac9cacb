// SPDX-License-Identifier: Apache-2.0
// The proximal step of a sparse-group lasso (Simon et al., A sparse-group lasso, 2013) in Adam's metric. It makes numbers exactly 0, alone
// or as a whole group.
#ifndef CR_DESCENT_SPARSE_STEP_H
#define CR_DESCENT_SPARSE_STEP_H

#include "base/status.h"
#include "descent/adam_step.h"

/// Penalties  sum f_i lasso |x_i| + sum over groups of group_lasso sqrt(sum g_i^2) |x of the group|, f and g the factors.
/// member, first: the numbers of group k are member[first[k]] ... member[first[k + 1] - 1].
typedef struct {
  int n, ngroup;
  const int32_t *member, *first;
  const cr_real* factor;        // [n]: f; NULL: 1
  const cr_real* group_factor;  // [n]: g; NULL: f
  cr_real lasso, group_lasso;
} cri_sparse_penalty;

/// Sorts numbers by their groups: group[i] from 0 on, -1 for a number without penalty.
/// Shapes   member[n], first[n + 1]; penalty->ngroup becomes n, groups may be empty
void cri_sparse_groups(cri_sparse_penalty* penalty, const int32_t* group, int n, int32_t* member,
                       int32_t* first);

/// After step k of Adam: shrinks x. metric: room for n numbers.
/// Equation h_i = max(Adam's divisor, f_i lasso + group_lasso sqrt(sum g^2 / size)); the part of Adam's step that is too long by that is taken
///          back; x = sign(x) max(|x| - rate f lasso / h, 0); then of a group the y with the least
///          sum h (y - x)^2 / 2 + rate group_lasso sqrt(sum g^2) |y|               [identification.m11]
void cri_sparse_step(const cri_sparse_penalty* penalty, const cri_adam_rule* rule, cr_real rate,
                     int k, cr_real* x, const cr_real* mean, const cr_real* square,
                     cr_real* metric);

#endif
