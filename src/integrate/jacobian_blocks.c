// SPDX-License-Identifier: Apache-2.0
#include "integrate/jacobian_blocks.h"

#include "constraint/rows.h"
#include "pressure/pressure.h"
#include "solver/tree_sets.h"

static cr_owned_runs push_owned(cr_data* work, int n) {
  return cr_owned_runs_in(cri_push_int(work, 3 * (size_t)n), (size_t)n);
}

// the groups that hold these columns
static void add_columns(cr_owned_runs* x, int begin, int end, int32_t owner) {
  int last = (end + CR_COLUMN_GROUP - 1) / CR_COLUMN_GROUP;
  cr_owned_runs_add(x, begin / CR_COLUMN_GROUP * CR_COLUMN_GROUP, last * CR_COLUMN_GROUP, owner);
}

// the columns of each block, in the scratch of `work`
static const cr_run* sorted(const cr_owned_runs* x, int n, const int32_t** adr, cr_data* work) {
  int32_t* from = cri_push_int(work, (size_t)n + 1);
  cr_run* to = (cr_run*)(void*)cri_push_int(work, 2 * (size_t)x->n);
  size_t mark = cri_mark(work);
  cr_runs_by_owner(x, n, from, to, cri_push_int(work, (size_t)n));
  cri_pop(work, mark);
  *adr = from;
  return to;
}

static void join_all(const cr_model* m, const cr_data* d, int32_t* set) {
  cri_tree_sets_begin(m, set);
  for (int i = 0; i < d->nefc; i += cri_rows_block(m, d, i)) {
    cri_tree_sets_join(m, set, d->efc_J_colind + d->efc_J_rowadr[i], d->efc_J_rownnz[i]);
  }
  for (int t = 0; t < m->ntendon; t++) {
    cri_tree_sets_join(m, set, m->ten_J_colind + m->ten_J_rowadr[t], m->ten_J_rownnz[t]);
  }
  for (int o = 0; o < m->nout; o++) {
    cri_tree_sets_join(m, set, d->moment_colind + d->moment_rowadr[o], d->moment_rownnz[o]);
  }
}

// the block of each tree; returns their number
static int number_blocks(const cr_model* m, const cr_data* d, bool whole, int32_t* set,
                         int32_t* block) {
  int n = 0;
  join_all(m, d, set);
  whole = whole || cri_pressure_acts(m);  // any two bodies may press each other
  for (int t = 0; t < m->ntree; t++) {
    int32_t first = whole ? 0 : cri_tree_sets_lowest(set, t);
    block[t] = first == t ? n++ : block[first];
  }
  return n;
}

// the block in which an output of an actuator pulls
static int32_t block_of_output(const cr_model* m, const cr_data* d, const int32_t* of_dof, int o) {
  if (m->nv == 0) {
    return -1;
  }
  return d->moment_rownnz[o] > 0 ? of_dof[d->moment_colind[d->moment_rowadr[o]]] : 0;
}

// the columns of a section
static void add_section(const cr_model* m, const cr_data* d, cri_section s,
                        const cr_owned_runs* dofs, const int32_t* of_dof, cr_owned_runs* columns) {
  for (int t = 0; t < m->ntree && !s.of_outputs; t++) {
    add_columns(columns, s.first + dofs->run[t].begin, s.first + dofs->run[t].end, dofs->owner[t]);
  }
  for (int o = 0; o < m->nout && s.of_outputs; o++) {
    add_columns(columns, s.first + o, s.first + o + 1, block_of_output(m, d, of_dof, o));
  }
}

cri_blocks cri_blocks_find(const cr_model* m, const cr_data* d, const cri_sections* s, bool whole,
                           cr_data* work) {
  int32_t* set = cri_push_int(work, (size_t)m->ntree);
  int32_t* block = cri_push_int(work, (size_t)m->ntree);
  int32_t* of_dof = cri_push_int(work, (size_t)m->nv);
  cri_blocks b = {.n = number_blocks(m, d, whole, set, block), .of_dof = of_dof};
  cr_owned_runs dofs = push_owned(work, m->ntree), actuators = push_owned(work, m->nactuator);
  int ncolumns = 0;
  for (int k = 0; k < s->n; k++) {
    ncolumns += s->at[k].of_outputs ? m->nout : m->ntree;
  }
  cr_owned_runs columns = push_owned(work, ncolumns);
  for (int i = 0; i < m->nv; i++) {
    of_dof[i] = block[m->dof_treeid[i]];
  }
  for (int t = 0; t < m->ntree; t++) {
    cr_owned_runs_add(&dofs, m->tree_dofadr[t], m->tree_dofadr[t] + m->tree_dofnum[t], block[t]);
  }
  for (int k = 0; k < m->nactuator; k++) {
    cr_owned_runs_add(&actuators, k, k + 1, block_of_output(m, d, of_dof, m->actuator_outadr[k]));
  }
  for (int k = 0; k < s->n; k++) {
    add_section(m, d, s->at[k], &dofs, of_dof, &columns);
  }
  b.dof = sorted(&dofs, b.n, &b.dof_adr, work);
  b.actuator = sorted(&actuators, b.n, &b.actuator_adr, work);
  b.column = sorted(&columns, b.n, &b.column_adr, work);
  return b;
}
