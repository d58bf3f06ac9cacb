// SPDX-License-Identifier: Apache-2.0
// Ten numbers a body and row, in place of the sweeps that also carry cotangents of what moves.
#include "inertia/inertial_bar.h"

#include "force/reflected.h"
#include "kinematics/tree.h"
#include "math/vec3.h"

// ---- cotangents of the spatial inertias

// l' M r
static void add_pair(const cr_model* m, const cr_data* d, const cr_real* l, const cr_real* r,
                     cr_real* L, cr_real* R, cr_real* I_bar) {
  cri_tree_motions(m, d->cdof, l, L);
  cri_tree_motions(m, d->cdof, r, R);
  for (int b = 1; b < m->nbody; b++) {
    if (cri_tree_moves(m, b)) {
      cr_inertia_bar(I_bar + 10 * b, L + 6 * b, R + 6 * b, 1);
    }
  }
}

// w' (I A + V x* I V), w the motion of the cotangent of qfrc_bias
static void add_bias(const cr_model* m, const cr_data* d, const cr_real* c_bar, cr_real* W,
                     cr_real* I_bar) {
  cri_tree_motions(m, d->cdof, c_bar, W);
  for (int b = 1; b < m->nbody; b++) {
    if (cri_tree_moves(m, b)) {
      cr_real across[6];
      cr_cross_motion(across, W + 6 * b, d->cvel + 6 * b);
      cr_inertia_bar(I_bar + 10 * b, W + 6 * b, d->bias_acc + 6 * b, 1);
      cr_inertia_bar(I_bar + 10 * b, across, d->cvel + 6 * b, 1);
    }
  }
}

// ---- of the numbers of a body

// r = S_bar x, the matrix of a cotangent: its off-diagonal numbers stand for two entries each
static void bar_mul(cr_real r[3], const cr_real S_bar[6], const cr_real x[3]) {
  r[0] = S_bar[0] * x[0] + (S_bar[3] * x[1] + S_bar[4] * x[2]) / 2;
  r[1] = S_bar[1] * x[1] + (S_bar[3] * x[0] + S_bar[5] * x[2]) / 2;
  r[2] = S_bar[2] * x[2] + (S_bar[4] * x[0] + S_bar[5] * x[1]) / 2;
}

static void add_body(const cr_model* m, const cr_data* d, cr_model* par, int b,
                     const cr_real I_bar[10]) {
  const cr_real* R = d->ximat + 9 * b;
  cr_real mass = m->body_mass[b], trace = I_bar[0] + I_bar[1] + I_bar[2];
  cr_real o[3], column[3], product[3], o_bar[3], turn[3] = {0};
  // [com.m2]' moments and axes
  for (int k = 0; k < 3; k++) {
    cr_col3(column, R, k);
    bar_mul(product, I_bar, column);
    if (par->body_inertia != NULL) {
      par->body_inertia[3 * b + k] += cr_dot3(column, product);
    }
    cr_scl3(product, product, 2 * m->body_inertia[3 * b + k]);
    cr_acccross3(turn, column, product);
  }
  if (par->body_iquat != NULL) {
    cr_acctmat3(par->body_iquat + 3 * b, R, turn);
  }
  // mass and its place
  cr_sub3(o, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
  bar_mul(product, I_bar, o);
  for (int i = 0; i < 3; i++) {
    o_bar[i] = mass * (2 * (trace * o[i] - product[i]) + I_bar[6 + i]);
  }
  if (par->body_ipos != NULL) {
    cr_acctmat3(par->body_ipos + 3 * b, d->xmat + 9 * b, o_bar);
  }
  if (par->body_mass != NULL) {
    par->body_mass[b] +=
        trace * cr_dot3(o, o) - cr_dot3(o, product) + cr_dot3(o, I_bar + 6) + I_bar[9];
  }
}

// ---- all of it

static bool any_wanted(const cr_model* par) {
  return par->body_mass != NULL || par->body_inertia != NULL || par->body_ipos != NULL ||
         par->body_iquat != NULL;
}

void cri_inertial_bar(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar), n = 6 * (size_t)m->nbody;
  cr_real *L = cri_push(bar, n), *R = cri_push(bar, n);
  cr_real* armature_bar = cri_push(bar, (size_t)m->nv);
  bool bodies = any_wanted(&bar->par);
  cr_zero(armature_bar, m->nv);
  cr_zero6(L);
  cr_zero6(R);
  for (int k = 0; k < bar->M_pairs.n; k++) {
    const cr_real *l = cri_pair_left(&bar->M_pairs, k), *r = cri_pair_right(&bar->M_pairs, k);
    if (bodies) {
      add_pair(m, d, l, r, L, R, bar->cinert);
    }
    for (int j = 0; j < m->nv; j++) {
      armature_bar[j] += l[j] * r[j];
    }
  }
  cri_reflected_armature_vjp(m, bar, armature_bar);
  if (bodies) {
    add_bias(m, d, bar->qfrc_bias, L, bar->cinert);
  }
  for (int b = 1; b < m->nbody && bodies; b++) {
    if (cri_tree_moves(m, b)) {
      add_body(m, d, &bar->par, b, bar->cinert + 10 * b);
    }
  }
  bar->M_pairs.n = 0;
  cr_zero(bar->qfrc_bias, m->nv);
  cr_zero(bar->cinert, 10 * m->nbody);
  cri_pop(bar, mark);
}
