// SPDX-License-Identifier: Apache-2.0
// The two sweeps of a kinematic tree. All stages that are linear in the number of bodies use them.
// Spatial quantities of one tree share axes and point, so both are plain sums. They are transposes
// of each other: the motions of x against forces F give the same number as x against S' gather(F).
// A body without a tree (body_treeid -1) is static: it carries motions, and takes no forces.
#ifndef CR_KINEMATICS_TREE_H
#define CR_KINEMATICS_TREE_H

#include "math/spatial.h"
#include "model/model.h"

/// True if body b moves, now or after a sweep over its dofs; false for the world and all bodies fixed to it.
static inline bool cri_tree_moves(const cr_model* m, int b) { return m->body_treeid[b] >= 0; }

/// r = a + sum over the dofs of body b of S_j x_j.
static inline void cri_tree_motion(cr_real r[6], const cr_model* m, int b, const cr_real a[6],
                                   const cr_real* S, const cr_real* x) {
  cr_real v[6];
  cr_copy6(v, a);
  int end = m->body_dofadr[b] + m->body_dofnum[b];
  for (int j = m->body_dofadr[b]; j < end; j++) {
    cr_accscl6(v, S + 6 * j, x[j]);
  }
  cr_copy6(r, v);
}

/// Root to leaf: V_b = V_parent + sum over the dofs of b of S_j x_j. V of the world is given.
static inline void cri_tree_motions(const cr_model* m, const cr_real* S, const cr_real* x,
                                    cr_real* V) {
  for (int b = 1; b < m->nbody; b++) {
    cri_tree_motion(V + 6 * b, m, b, V + 6 * m->body_parentid[b], S, x);
  }
}

/// Leaf to root: F_parent += F_b, n numbers a body; afterwards F_b is the sum over its subtree.
/// The numbers of static bodies are neither read nor changed.
static inline void cri_tree_gather(const cr_model* m, cr_real* F, int n) {
  for (int b = m->nbody - 1; b > 0; b--) {
    int p = m->body_parentid[b];
    if (cri_tree_moves(m, p)) {
      for (int k = 0; k < n; k++) {
        F[n * p + k] += F[n * b + k];
      }
    }
  }
}

#endif
