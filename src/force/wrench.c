// SPDX-License-Identifier: Apache-2.0
// Body forces into joint space: sums from the leaves to the root, then one product a dof.
// Backwards the same tree is swept from the root to the leaves: the cotangent of a force is the
// velocity of its point if the joints moved with q_bar.
#include "force/wrench.h"

#include "kinematics/tree.h"

// centre of mass of body b relative to the centre of mass of its tree
static void arm(cr_real r[3], const cr_model* m, const cr_data* d, int b) {
  cr_sub3(r, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
}

// [smooth.w1] F = (n + r x f, f)
static void spatial_force(cr_real F[6], const cr_real x[6], const cr_real r[3]) {
  cr_copy3(F, x + 3);
  cr_acccross3(F, r, x);
  cr_copy3(F + 3, x);
}

static void composite_forces(const cr_model* m, const cr_data* d, const cr_real* x, cr_real* F) {
  for (int b = 0; b < m->nbody; b++) {
    cr_real r[3];
    arm(r, m, d, b);
    spatial_force(F + 6 * b, x + 6 * b, r);
  }
  cri_tree_gather(m, F, 6);
}

void cri_wrench(const cr_model* m, const cr_data* d, const cr_real* x, cr_real* q, cr_data* owner) {
  size_t mark = cri_mark(owner);
  cr_real* F = cri_push(owner, 6 * (size_t)m->nbody);
  composite_forces(m, d, x, F);
  // [smooth.w2] q_i += s_i . F
  for (int i = 0; i < m->nv; i++) {
    q[i] += cr_dot6(d->cdof + 6 * i, F + 6 * m->dof_bodyid[i]);
  }
  cri_pop(owner, mark);
}

void cri_wrench_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const cr_real* x,
                    const cr_real* x_tan, cr_real* q_tan) {
  size_t mark = cri_mark(tan);
  cr_real* F = cri_push(tan, 6 * (size_t)m->nbody);
  cr_real* F_tan = cri_push(tan, 6 * (size_t)m->nbody);
  composite_forces(m, d, x, F);
  // [smooth.w1] n' + r' x f + r x f', f'
  for (int b = 0; b < m->nbody; b++) {
    cr_real r[3], r_tan[3];
    arm(r, m, d, b);
    arm(r_tan, m, tan, b);
    spatial_force(F_tan + 6 * b, x_tan + 6 * b, r);
    cr_acccross3(F_tan + 6 * b, r_tan, x + 6 * b);
  }
  cri_tree_gather(m, F_tan, 6);
  // [smooth.w2]
  for (int i = 0; i < m->nv; i++) {
    int b = m->dof_bodyid[i];
    q_tan[i] += cr_dot6(d->cdof + 6 * i, F_tan + 6 * b) + cr_dot6(tan->cdof + 6 * i, F + 6 * b);
  }
  cri_pop(tan, mark);
}

void cri_wrench_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* x,
                    const cr_real* q_bar, cr_real* x_bar) {
  size_t mark = cri_mark(bar);
  // [smooth.w2]' F_bar_b = sum of s_i q_bar_i over the chain of b; s_bar_i += q_bar_i F
  cr_real* W = cri_push(bar, 6 * (size_t)m->nbody);
  cr_zero6(W);
  cri_tree_motions(m, d->cdof, q_bar, W);
  if (x != NULL) {
    cr_real* F = cri_push(bar, 6 * (size_t)m->nbody);
    composite_forces(m, d, x, F);
    for (int i = 0; i < m->nv; i++) {
      cr_accscl6(bar->cdof + 6 * i, F + 6 * m->dof_bodyid[i], q_bar[i]);
    }
  }
  // [smooth.w1]' f_bar += W_v + W_w x r, n_bar += W_w, r_bar = f x W_w
  for (int b = 1; b < m->nbody; b++) {
    const cr_real* w = W + 6 * b;
    cr_real r[3];
    arm(r, m, d, b);
    cr_acc3(x_bar + 6 * b, w + 3);
    cr_acccross3(x_bar + 6 * b, w, r);
    cr_acc3(x_bar + 6 * b + 3, w);
    if (x != NULL) {
      cr_real r_bar[3];
      cr_cross3(r_bar, x + 6 * b, w);
      cr_acc3(bar->xipos + 3 * b, r_bar);
      cr_accscl3(bar->subtree_com + 3 * m->body_rootid[b], r_bar, -1);
    }
  }
  cri_pop(bar, mark);
}
