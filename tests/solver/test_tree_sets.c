// SPDX-License-Identifier: Apache-2.0
// Sets of trees against the closure of what was joined.
#include "solver/tree_sets.h"

#include "base/random.h"
#include "support/close.h"

enum { TREES = 12, DOFS = 3 * TREES };

TEST(sets_are_the_closure) {
  cr_random r = cr_random_seed(1, 3);
  for (int sample = 0; sample < 200; sample++) {
    int32_t of_dof[DOFS], set[TREES];
    bool with[TREES][TREES];
    cr_model m = {.ntree = TREES, .nv = DOFS, .dof_treeid = of_dof};
    for (int i = 0; i < DOFS; i++) {
      of_dof[i] = i / 3;
    }
    for (int t = 0; t < TREES; t++) {
      for (int u = 0; u < TREES; u++) {
        with[t][u] = t == u;
      }
    }
    cri_tree_sets_begin(&m, set);
    for (int k = cr_random_int(&r, 8); k > 0; k--) {
      int32_t col[4];
      int n = cr_random_int(&r, 5);
      for (int i = 0; i < n; i++) {
        col[i] = cr_random_int(&r, DOFS);
        with[of_dof[col[0]]][of_dof[col[i]]] = with[of_dof[col[i]]][of_dof[col[0]]] = true;
      }
      cri_tree_sets_join(&m, set, col, n);
    }
    for (int k = 0; k < TREES; k++) {
      for (int t = 0; t < TREES; t++) {
        for (int u = 0; u < TREES; u++) {
          with[t][u] = with[t][u] || (with[t][k] && with[k][u]);
        }
      }
    }
    for (int t = 0; t < TREES; t++) {
      int32_t low = cri_tree_sets_lowest(set, t);
      assert_true(low <= t && with[t][low] && cri_tree_sets_lowest(set, low) == low);
      for (int u = 0; u < TREES; u++) {
        assert_int_equal(with[t][u], cri_tree_sets_lowest(set, u) == low);
      }
    }
  }
}
