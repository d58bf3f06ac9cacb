// SPDX-License-Identifier: Apache-2.0
// The methods against the conditions of order, one for each rooted tree [Butcher, Numerical methods
// for ordinary differential equations, 301]: all trees up to the order claimed.
#include "model/tableau.h"

#include "model/model.h"
#include "support/close.h"

// the methods' own digits: Tsit5 is published with 16 of them
#define DIGITS CR_R(2e-13)

enum { MOST = 300 };

// a tree: where its branches are in the list, its number of nodes, its density
typedef struct {
  int branch[8], nbranch, nodes;
  cr_real density;
} tree;

static tree trees[MOST];
static int ntree, first_of[10];  // trees of k nodes are first_of[k] ... first_of[k + 1] - 1

// adds every tree whose branches have `left` nodes in all, none of them behind `last` in the list
static void grow(tree* t, int left, int last) {
  if (left == 0) {
    assert_in_range(ntree, 0, MOST - 1);
    t->density = (cr_real)t->nodes;
    for (int i = 0; i < t->nbranch; i++) {
      t->density *= trees[t->branch[i]].density;
    }
    trees[ntree++] = *t;
    return;
  }
  for (int i = 0; i <= last; i++) {
    if (trees[i].nodes <= left) {
      t->branch[t->nbranch++] = i;
      grow(t, left - trees[i].nodes, i);
      t->nbranch--;
    }
  }
}

static void grow_all(int most_nodes) {
  ntree = 0;
  for (int n = 1; n <= most_nodes; n++) {
    first_of[n] = ntree;
    tree t = {.nodes = n};
    grow(&t, n - 1, ntree - 1);
  }
  first_of[most_nodes + 1] = ntree;
}

// the largest violation among trees of one number of nodes, relative
static cr_real violation(const cri_tableau* t, const cr_real* weights, int nodes) {
  static cr_real at[MOST][CR_RK_STAGES];
  cr_real worst = 0;
  for (int k = 0; k < first_of[nodes + 1]; k++) {
    cr_real sum = 0;
    for (int i = 0; i < t->n; i++) {
      at[k][i] = 1;
      for (int branch = 0; branch < trees[k].nbranch; branch++) {
        cr_real inner = 0;
        for (int j = 0; j < i; j++) {
          inner += t->a[i * t->n + j] * at[trees[k].branch[branch]][j];
        }
        at[k][i] *= inner;
      }
      sum += weights[i] * at[k][i];
    }
    if (trees[k].nodes == nodes) {
      worst = cr_max(worst, cr_abs(sum * trees[k].density - 1));
    }
  }
  return worst;
}

TEST(trees_are_counted) {
  static const int known[] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
  grow_all(8);
  for (int n = 1; n <= 8; n++) {
    assert_int_equal(first_of[n + 1] - first_of[n], known[n]);
  }
}

TEST(methods_have_their_order) {
  grow_all(8);
  int count = 0;
  for (int k = 0; k < 200; k++) {
    const cri_tableau* t = cri_tableau_of(k);
    if (t == NULL) {
      continue;
    }
    count++;
    for (int n = 1; n <= t->order; n++) {
      assert_close(violation(t, t->b, n), 0, DIGITS);
    }
    if (t->order < 8) {
      assert_true(violation(t, t->b, t->order + 1) > CR_R(1e-6));
    }
  }
  assert_int_equal(count, 1 + CR_INT_N_METHOD);
}

TEST(embedded_methods_have_one_less) {
  grow_all(8);
  for (int k = CR_INT_FIRST_METHOD; k < CR_INT_FIRST_METHOD + CR_INT_N_METHOD; k++) {
    const cri_tableau* t = cri_tableau_of(k);
    cr_real weights[CR_RK_STAGES];
    for (int i = 0; t->error != NULL && i < t->n; i++) {
      weights[i] = t->b[i] - t->error[i];
    }
    for (int n = 1; t->error != NULL && n < t->error_order; n++) {
      assert_close(violation(t, weights, n), 0, DIGITS);
    }
    if (t->error != NULL) {
      assert_true(violation(t, weights, t->error_order) > CR_R(1e-6));
    }
  }
}

TEST(tables_are_explicit) {
  for (int k = 0; k < 200; k++) {
    const cri_tableau* t = cri_tableau_of(k);
    for (int i = 0; t != NULL && i < t->n; i++) {
      for (int j = i; j < t->n; j++) {
        assert_true(t->a[i * t->n + j] == 0);
      }
    }
    for (int j = 0; t != NULL && t->last_is_first && j < t->n; j++) {
      assert_close(t->a[(t->n - 1) * t->n + j], t->b[j], 0);
    }
  }
}

TEST(other_numbers_are_no_methods) {
  static const int numbers[] = {
      INT32_MIN, -1, CR_INT_EULER, CR_INT_FIRST_METHOD - 1, CR_INT_FIRST_METHOD + CR_INT_N_METHOD,
      INT32_MAX};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    assert_null(cri_tableau_of(numbers[i]));
  }
}
