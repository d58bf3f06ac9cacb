// SPDX-License-Identifier: Apache-2.0
#include "inertia/simple_body.h"

static int pass_of(const cr_model* m, cri_simple_kind kind, int dof) {
  bool alone = kind == CR_SIMPLE_ALL ? cri_is_simple(m, dof) : cri_is_diagonal(m, dof);
  return alone ? dof - m->body_dofadr[m->dof_bodyid[dof]] + 1 : 0;
}

bool cri_simple_keep(const cr_model* m, cri_simple_kind kind, int pass, const cr_real* x,
                     cr_real* kept) {
  bool any = false;
  for (int i = 0; i < m->nv; i++) {
    kept[i] = pass_of(m, kind, i) == pass ? x[i] : 0;
    any = any || kept[i] != 0;
  }
  return any;
}

int cri_simple_passes(const cr_model* m, cri_simple_kind kind) {
  int n = 1;
  for (int i = 0; i < m->nv; i++) {
    int pass = pass_of(m, kind, i);
    n = pass >= n ? pass + 1 : n;
  }
  return n;
}
