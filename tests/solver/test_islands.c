// SPDX-License-Identifier: Apache-2.0
// Islands against the closure of what rows couple, by a matrix; and that one's solution is its own.
#include "solver/islands.h"

#include <stdlib.h>

#include "engine/acceleration.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 24, MOST = 64 };

static cri_islands find(contact_scene* s) { return cri_islands_find(&s->m, s->d, NULL); }

// which dofs rows and trees couple, closed
static void closure(const contact_scene* s, bool with[MOST][MOST]) {
  int nv = s->m.nv;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      with[i][j] = s->m.dof_treeid[i] == s->m.dof_treeid[j];
    }
  }
  for (int row = 0; row < s->d->nefc; row++) {
    const int32_t* col = s->d->efc_J_colind + s->d->efc_J_rowadr[row];
    for (int a = 0; a < s->d->efc_J_rownnz[row]; a++) {
      for (int b = 0; b < s->d->efc_J_rownnz[row]; b++) {
        with[col[a]][col[b]] = true;
      }
    }
  }
  for (int k = 0; k < nv; k++) {
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) {
        with[i][j] = with[i][j] || (with[i][k] && with[k][j]);
      }
    }
  }
}

// the island of each index, -1 none; runs ascend and do not touch, and no index is in two
static void owners(const cri_islands* x, cr_runs (*part)(const cri_islands*, int), int* owner,
                   int n) {
  for (int i = 0; i < n; i++) {
    owner[i] = -1;
  }
  for (int k = 0; k < x->n; k++) {
    cr_runs runs = part(x, k);
    for (int r = 1; r < runs.n; r++) {
      assert_true(runs.run[r].begin > runs.run[r - 1].end);
    }
    CR_EACH(i, runs) {
      assert_int_equal(owner[i], -1);
      owner[i] = k;
    }
  }
}

TEST(islands_are_the_closure) {
  int most = 0, loose = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    bool with[MOST][MOST], touched[MOST] = {false};
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    int *of_row = calloc((size_t)s.d->nefc + 1, sizeof *of_row), of_dof[MOST];
    closure(&s, with);
    size_t mark = cri_mark(s.d);
    cri_islands x = find(&s);
    owners(&x, cri_island_dofs, of_dof, s.m.nv);
    owners(&x, cri_island_rows, of_row, s.d->nefc);
    for (int row = 0; row < s.d->nefc; row++) {
      assert_true(of_row[row] >= 0);
      for (int k = 0; k < s.d->efc_J_rownnz[row]; k++) {
        int dof = s.d->efc_J_colind[s.d->efc_J_rowadr[row] + k];
        touched[dof] = true;
        assert_int_equal(of_dof[dof], of_row[row]);
      }
    }
    for (int i = 0; i < s.m.nv; i++) {
      bool any = false;
      for (int j = 0; j < s.m.nv; j++) {
        any = any || (with[i][j] && touched[j]);
        assert_true(of_dof[i] < 0 || with[i][j] == (of_dof[i] == of_dof[j]));
      }
      assert_int_equal(any, of_dof[i] >= 0);
      assert_int_equal(of_dof[i], s.d->tree_island[s.m.dof_treeid[i]]);
      loose += !any;
    }
    most = x.n > most ? x.n : most;
    cri_pop(s.d, mark);
    free(of_row);
    scene_close(&s);
  }
  assert_true(most > 1 && loose > 0);
}

TEST(dofs_are_in_islands_or_not) {
  contact_scene s;
  cr_run room[2][MOST];
  scene_open(&s, 3);
  scene_run(&s, "acceleration");
  cr_run all = {0, s.m.nv};
  int count = 0;
  for (int in = 0; in < 2; in++) {
    CR_EACH(i, cri_dofs_in_islands(&s.m, s.d, (cr_runs){1, &all}, in, room[in])) {
      assert_int_equal(s.d->tree_island[s.m.dof_treeid[i]] >= 0, in);
      count++;
    }
  }
  assert_int_equal(count, s.m.nv);
  scene_close(&s);
}

// what is done to one island, rows made stiffer, leaves every other one as it was, bit for bit
TEST(islands_do_not_see_each_other) {
  int pairs = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    cr_real before[MOST];
    int owner[MOST];
    scene_open(&s, seed);
    scene_run(&s, "acceleration");
    cr_copy(before, s.d->qacc, s.m.nv);
    size_t mark = cri_mark(s.d);
    cri_islands x = find(&s);
    owners(&x, cri_island_dofs, owner, s.m.nv);
    CR_EACH(i, cri_island_rows(&x, 0)) { s.d->efc_aref[i] += 1; }
    cri_pop(s.d, mark);
    assert_int_equal(cr_acceleration(&s.m, s.d), CR_OK);
    bool moved = false;
    for (int i = 0; i < s.m.nv; i++) {
      moved = moved || s.d->qacc[i] != before[i];
      assert_true(owner[i] == 0 || s.d->qacc[i] == before[i]);
      pairs += owner[i] > 0;
    }
    assert_true(moved);
    scene_close(&s);
  }
  assert_true(pairs > 0);
}
