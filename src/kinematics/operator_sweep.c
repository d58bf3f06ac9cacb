// SPDX-License-Identifier: Apache-2.0
// Motions from the root, forces from the leaves, n pairs a body.
#include "kinematics/operator_sweep.h"

#include "kinematics/tree.h"

cri_operator_sweep cri_operator_sweep_begin(const cr_model* m, const cr_data* d, cr_data* bar,
                                            const cr_pairs* pairs) {
  cri_operator_sweep s = {.n = pairs->n};
  int width = 6 * s.n;
  s.V = cri_push(bar, (size_t)(width * m->nbody));
  s.F = cri_push(bar, (size_t)(width * m->nbody));
  cr_zero(s.V, width);
  cr_zero(s.F, width * m->nbody);
  for (int b = 1; b < m->nbody; b++) {
    for (int k = 0; k < s.n; k++) {
      cri_tree_motion(s.V + width * b + 6 * k, m, b, s.V + width * m->body_parentid[b] + 6 * k,
                      d->cdof, cri_pair_right(pairs, k));
    }
  }
  return s;
}

void cri_operator_sweep_end(const cr_model* m, cr_data* bar, const cr_pairs* pairs,
                            const cri_operator_sweep* s) {
  cri_tree_gather(m, s->F, 6 * s->n);
  for (int i = 0; i < m->nv; i++) {
    for (int k = 0; k < s->n; k++) {
      cr_accscl6(bar->cdof + 6 * i, s->F + 6 * (s->n * m->dof_bodyid[i] + k),
                 cri_pair_right(pairs, k)[i]);
    }
  }
}
