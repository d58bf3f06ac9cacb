// SPDX-License-Identifier: Apache-2.0
// Constraints against each other, see conflict.h.
#include "solver/conflict.h"

#include <stdio.h>

#include "constraint/row_name.h"
#include "constraint/rows.h"

// force of row i on a dof
static cr_real push_of(const cr_data* d, int i, const cr_real* f, int dof) {
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    if (d->efc_J_colind[k] == dof) {
      return d->efc_J[k] * f[i];
    }
  }
  return 0;
}

static bool same_constraint(const cr_data* d, int i, int k) {
  return d->efc_type[i] == d->efc_type[k] && d->efc_id[i] == d->efc_id[k];
}

cri_conflict cri_conflict_at(const cr_data* d, cr_runs rows, const cr_real* f, int dof) {
  cri_conflict c = {.dof = dof};
  int first = -1;  // row of the current constraint
  cr_real sum = 0;
  CR_EACH(i, rows) {
    if (first < 0 || !same_constraint(d, i, first)) {
      first = i;
      sum = 0;
    }
    sum += push_of(d, i, f, dof);
    int way = sum < 0;
    if (cr_abs(sum) > cr_abs(c.push[way])) {
      c.push[way] = sum;
      c.row[way] = first;
    }
  }
  return c;
}

cri_conflict cri_conflict_worst(const cr_model* m, const cr_data* d) {
  cri_conflict worst = {.dof = -1};
  cr_run all = {0, d->nefc};
  cr_real most = 0;
  for (int dof = 0; dof < m->nv; dof++) {
    cri_conflict c = cri_conflict_at(d, (cr_runs){1, &all}, d->efc_force, dof);
    cr_real both = cr_min(c.push[0], -c.push[1]);
    cr_real left = cr_abs(d->qfrc_constraint[dof]) + cr_abs(d->qfrc_smooth[dof]);
    if (both > 0 && !(both <= most * left)) {
      most = both / left;
      worst = c;
    }
  }
  return worst;
}

cri_conflict_text cri_conflict_say(const cr_model* m, const cr_data* d, const cri_conflict* c) {
  cri_conflict_text t = {""};
  if (c->dof < 0 || !(c->push[0] > 0 && c->push[1] < 0)) {
    return t;
  }
  int joint = m->dof_jntid[c->dof];
  cr_row_name one = cri_row_name(m, d, c->row[0]), other = cri_row_name(m, d, c->row[1]);
  bool same = strcmp(one.text, other.text) == 0;
  (void)snprintf(t.text, sizeof t.text,
                 "%s%s%s%s push joint %d \"%.60s\" (dof %d) against each other with %g and %g",
                 same ? "rows of " : "", one.text, same ? "" : " and ", same ? "" : other.text,
                 joint, cri_name(m, m->name_jntadr, joint), c->dof, (double)c->push[0],
                 (double)c->push[1]);
  return t;
}
