// SPDX-License-Identifier: Apache-2.0
#include "solver/islands.h"

#include "constraint/rows.h"
#include "solver/tree_sets.h"

// tree_island: 0, 1, ... in the order of their first trees; returns their number
static int number_islands(const cr_model* m, cr_data* d, int32_t* set) {
  int n = 0;
  for (int t = 0; t < m->ntree; t++) {
    d->tree_island[t] = -1;
  }
  for (int i = 0; i < d->nefc; i += cri_rows_block(m, d, i)) {
    if (d->efc_J_rownnz[i] > 0) {
      d->tree_island[cri_tree_sets_lowest(set,
                                          m->dof_treeid[d->efc_J_colind[d->efc_J_rowadr[i]]])] = 0;
    }
  }
  for (int t = 0; t < m->ntree; t++) {
    int32_t first = cri_tree_sets_lowest(set, t);
    if (first == t && d->tree_island[t] == 0) {
      d->tree_island[t] = n++;
    } else {
      d->tree_island[t] = d->tree_island[first];
    }
  }
  return n;
}

static cr_owned_runs push_owned(cr_data* d, size_t n) {
  return cr_owned_runs_in(cri_push_int(d, 3 * n), n);
}

static cr_run* push_runs(cr_data* d, size_t n) { return (cr_run*)(void*)cri_push_int(d, 2 * n); }

static void join_all(const cr_model* m, const cr_data* d, const cr_pattern* mass, int32_t* set) {
  cri_tree_sets_begin(m, set);
  for (int i = 0; i < m->nv && mass != NULL; i++) {
    cri_tree_sets_join(m, set, mass->col + mass->adr[i], mass->nnz[i]);
  }
  for (int i = 0; i < d->nefc; i += cri_rows_block(m, d, i)) {
    cri_tree_sets_join(m, set, d->efc_J_colind + d->efc_J_rowadr[i], d->efc_J_rownnz[i]);
  }
}

// most models are one tree, moved by all its rows
static bool is_one_island(const cr_model* m, const cr_data* d) {
  for (int i = 0; i < d->nefc; i++) {
    if (d->efc_J_rownnz[i] == 0) {
      return false;
    }
  }
  return m->ntree == 1 && d->nefc > 0;
}

// room for the islands, in the scratch of d
typedef struct {
  int32_t *dof_adr, *row_adr;
  cr_run *dof, *row;
} places;

// apart from cri_islands_find, so that one island is found quickly
static __attribute__((noinline)) int find_several(const cr_model* m, cr_data* d,
                                                  const cr_pattern* mass, const places* to) {
  size_t mark = cri_mark(d), trees = (size_t)m->ntree, rows = (size_t)d->nefc;
  int32_t* set = cri_push_int(d, trees + 1);
  join_all(m, d, mass, set);
  int n = number_islands(m, d, set), without = n;

  cr_owned_runs of_trees = push_owned(d, trees), of_rows = push_owned(d, rows);
  for (int t = 0; t < m->ntree; t++) {
    int first = m->tree_dofadr[t];
    cr_owned_runs_add(&of_trees, first, first + m->tree_dofnum[t], d->tree_island[t]);
  }
  for (int i = 0, block; i < d->nefc; i += block) {
    block = cri_rows_block(m, d, i);
    bool any = d->efc_J_rownnz[i] > 0;
    int dof0 = any ? d->efc_J_colind[d->efc_J_rowadr[i]] : 0;
    cr_owned_runs_add(&of_rows, i, i + block, any ? d->tree_island[m->dof_treeid[dof0]] : without);
    n = any ? n : without + 1;
  }
  cr_runs_by_owner(&of_trees, n, to->dof_adr, to->dof, set);
  cr_runs_by_owner(&of_rows, n, to->row_adr, to->row, set);
  cri_pop(d, mark);
  return n;
}

cri_islands cri_islands_find(const cr_model* m, cr_data* d, const cr_pattern* mass) {
  size_t trees = (size_t)m->ntree, rows = (size_t)d->nefc;
  int n = 1;
  places x = {.dof_adr = cri_push_int(d, trees + 2), .row_adr = cri_push_int(d, trees + 2)};
  x.dof = push_runs(d, trees);
  x.row = push_runs(d, rows);
  if (is_one_island(m, d)) {
    d->tree_island[0] = x.dof_adr[0] = x.row_adr[0] = 0;
    x.dof_adr[1] = x.row_adr[1] = 1;
    x.dof[0] = (cr_run){0, m->nv};
    x.row[0] = (cr_run){0, d->nefc};
  } else {
    n = find_several(m, d, mass, &x);
  }
  return (cri_islands){n, x.dof_adr, x.row_adr, x.dof, x.row};
}

cr_runs cri_dofs_in_islands(const cr_model* m, const cr_data* d, cr_runs dofs, bool in,
                            cr_run* room) {
  int n = 0;
  for (int r = 0; r < dofs.n; r++) {
    for (int begin = dofs.run[r].begin, end; begin < dofs.run[r].end; begin = end) {
      int t = m->dof_treeid[begin];
      end = begin + m->tree_dofnum[t];
      if ((d->tree_island[t] >= 0) != in) {
        continue;
      }
      if (n > 0 && room[n - 1].end == begin) {
        room[n - 1].end = end;
      } else {
        room[n++] = (cr_run){begin, end};
      }
    }
  }
  return (cr_runs){n, room};
}
