// SPDX-License-Identifier: Apache-2.0
// Columns of connects and welds: what moves all bodies alike does not change their forces, and the force does not
// change along a motion that leaves a connect or weld alone.
#include "solver/connect_weld_jac.h"

#include <stdlib.h>

#include "constraint/equality.h"
#include "constraint/rows.h"
#include "scenes/chain_model.h"
#include "scenes/columns_scene.h"
#include "support/close.h"

// connects and welds between bodies of trees that all are free: how many
static int connect_welds_of_free_trees(const contact_scene* s) {
  const cr_model* m = &s->m;
  int found = 0;
  for (int t = 0; t < m->ntree; t++) {
    if (m->jnt_type[m->dof_jntid[m->tree_dofadr[t]]] != CR_JNT_FREE) {
      return 0;
    }
  }
  for (int i = 0; i < s->d->ne; i += cri_rows_block(m, s->d, i)) {
    if (cri_is_connect_weld(m->eq_type[s->d->efc_id[i]])) {
      cri_connect_weld b = cri_connect_weld_of(m, s->d, s->d->efc_id[i]);
      if (m->body_treeid[b.body[0]] < 0 || m->body_treeid[b.body[1]] < 0) {
        return 0;
      }
      found++;
    }
  }
  return found;
}

TEST(moved_together_nothing_changes) {
  int found = 0;
  for (int seed = 0; seed < 96; seed++) {
    columns_scene f;
    columns_open(&f, seed, cri_connect_weld_jac);
    const cr_model* m = &f.s.m;
    for (int axis = 0; axis < 3 && connect_welds_of_free_trees(&f.s) > 0; axis++) {
      for (int i = 0; i < m->nv; i++) {
        cr_real sum = 0, scale = 0;
        for (int t = 0; t < m->ntree; t++) {
          cr_real x = f.columns.q[i * f.columns.ld + m->tree_dofadr[t] + axis];
          sum += x;
          scale += cr_abs(x);
        }
        assert_close(sum, 0, 1000 * ROUND_OFF * scale);
        found += scale > 0;
      }
    }
    columns_close(&f);
  }
  assert_true(found > 20);
}

// rows and columns of dofs that move no bonded body
TEST(others_are_left_alone) {
  int found = 0;
  for (int seed = 0; seed < 48; seed++) {
    columns_scene f;
    columns_open(&f, seed, cri_connect_weld_jac);
    const cr_model* m = &f.s.m;
    const cr_data* d = f.s.d;
    bool* bound = calloc((size_t)m->nv, sizeof *bound);
    int n = 0;
    for (int i = 0; i < d->ne; i++) {
      for (int k = 0; k < d->efc_J_rownnz[i] && cri_is_connect_weld(m->eq_type[d->efc_id[i]]);
           k++) {
        bound[d->efc_J_colind[d->efc_J_rowadr[i] + k]] = true;
      }
    }
    for (int i = 0; i < m->nv; i++) {
      cr_real sum = 0;
      for (int j = 0; j < m->nv; j++) {
        if (!bound[i] || !bound[j]) {
          assert_close(f.columns.q[i * f.columns.ld + j], 0, 0);
          assert_close(f.columns.v[i * f.columns.ld + j], 0, 0);
        }
        sum += cr_abs(f.columns.v[i * f.columns.ld + j]);
      }
      n += sum > 0;
    }
    found += n > 0;
    free(bound);
    columns_close(&f);
  }
  assert_true(found > 5);
}
