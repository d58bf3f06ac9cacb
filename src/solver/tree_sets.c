// SPDX-License-Identifier: Apache-2.0
#include "solver/tree_sets.h"

void cri_tree_sets_begin(const cr_model* m, int32_t* set) {
  for (int t = 0; t < m->ntree; t++) {
    set[t] = t;
  }
}

int32_t cri_tree_sets_lowest(int32_t* set, int32_t t) {
  while (set[t] != t) {
    set[t] = set[set[t]];
    t = set[t];
  }
  return t;
}

void cri_tree_sets_join(const cr_model* m, int32_t* set, const int32_t* col, int n) {
  for (int k = 1; k < n; k++) {
    int32_t t = m->dof_treeid[col[k - 1]], u = m->dof_treeid[col[k]];
    if (t != u) {
      int32_t a = cri_tree_sets_lowest(set, t), b = cri_tree_sets_lowest(set, u);
      set[a > b ? a : b] = a < b ? a : b;
    }
  }
}
