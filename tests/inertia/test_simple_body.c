// SPDX-License-Identifier: Apache-2.0
// Passes that keep the diagonal of some blocks alone.
#include "inertia/simple_body.h"

#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 40, MAX_NV = 64 };

// B_ij, between dofs of one tree
static cr_real entry(const cr_model* m, int i, int j) {
  bool together = m->dof_treeid[i] == m->dof_treeid[j];
  return together ? cr_sin((cr_real)(3 * i + 7 * j)) : 0;
}

static cr_real form(const cr_model* m, const cr_real* l, const cr_real* r) {
  cr_real sum = 0;
  for (int i = 0; i < m->nv; i++) {
    for (int j = 0; j < m->nv; j++) {
      sum += l[i] * entry(m, i, j) * r[j];
    }
  }
  return sum;
}

// the sum over the passes has every entry but those between dofs of one of these bodies
TEST(passes_keep_the_diagonal) {
  int dropped[2] = {0};
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    cr_model m;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    assert_true(m.nv <= MAX_NV);
    for (int b = 1; b < m.nbody; b += 2) {
      bool free_body = m.body_dofnum[b] == 6 && m.tree_dofnum[m.body_treeid[b]] == 6;
      m.body_simple[b] = free_body ? 1 : m.body_simple[b];
    }
    for (int kind = CR_SIMPLE_ALL; kind <= CR_SIMPLE_BUT_FREE; kind++) {
      cr_real l[MAX_NV], r[MAX_NV], left[MAX_NV], right[MAX_NV], sum = 0, expected = 0;
      for (int i = 0; i < m.nv; i++) {
        l[i] = (cr_real)(1 + i % 5);
        r[i] = (cr_real)(2 - i % 3);
      }
      for (int i = 0; i < m.nv; i++) {
        for (int j = 0; j < m.nv; j++) {
          bool alone = kind == CR_SIMPLE_ALL ? cri_is_simple(&m, i) : cri_is_diagonal(&m, i);
          bool drop = i != j && alone && entry(&m, i, j) != 0;
          dropped[kind] += drop;
          expected += drop ? 0 : l[i] * entry(&m, i, j) * r[j];
        }
      }
      int passes = cri_simple_passes(&m, (cri_simple_kind)kind);
      assert_true(passes >= 1 && passes <= CR_SIMPLE_PASSES);
      for (int pass = 0; pass < CR_SIMPLE_PASSES; pass++) {
        bool any = cri_simple_keep(&m, (cri_simple_kind)kind, pass, l, left);
        (void)cri_simple_keep(&m, (cri_simple_kind)kind, pass, r, right);
        assert_true(any ? pass < passes : cr_is_zero(left, m.nv));
        sum += form(&m, left, right);
      }
      assert_close(sum, expected, CR_R(1e-10));
    }
    cri_model_free(&m);
  }
  assert_true(dropped[CR_SIMPLE_BUT_FREE] > 10 &&
              dropped[CR_SIMPLE_ALL] > dropped[CR_SIMPLE_BUT_FREE]);
}
