// SPDX-License-Identifier: Apache-2.0
// Forward runs down the tree for accelerations and up for forces. The derivative runs the other
// way with a motion in place of a force: W, the body motion of the cotangent of qfrc_bias.
// The scalar to differentiate is the work of the forces on W,
//   sum over bodies of W_b . (I_b A_b + V_b x* (I_b V_b)),
// and every term below is one of its partial derivatives.
#include "force/bias.h"

#include "force/newton_euler.h"
#include "force/rank_one.h"
#include "force/reflected.h"
#include "force/tendon_inertia.h"
#include "kinematics/tree.h"

static bool has_gravity(const cr_model* m) { return (m->disableflags & CR_DSBL_GRAVITY) == 0; }

// ---- [bias.b5] tendons with armature: qfrc_bias += a ten_bias J'

static void tendons(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real* a = cri_push(d, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  for (int t = 0; t < m->ntendon; t++) {
    cri_tendon_add(m, d->ten_J, t, a[t] * d->ten_bias[t], d->qfrc_bias);
  }
  cri_pop(d, mark);
}

static void tendons_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real* a = cri_push(tan, (size_t)m->ntendon);
  cr_real* a_tan = cri_push(tan, (size_t)m->ntendon);
  cri_tendon_armature(m, a);
  cri_tendon_armature_jvp(m, tan, a_tan);
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_inertial[t] != 0) {
      cri_tendon_add(m, d->ten_J, t, a_tan[t] * d->ten_bias[t] + a[t] * tan->ten_bias[t],
                     tan->qfrc_bias);
      cri_tendon_add(m, tan->ten_J, t, a[t] * d->ten_bias[t], tan->qfrc_bias);
    }
  }
  cri_pop(tan, mark);
}

static void tendons_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_real* a = cri_push(bar, (size_t)m->ntendon);
  cr_real* a_bar = cri_push(bar, (size_t)m->ntendon);
  int pair = cri_pairs_add(&bar->ten_J_pairs);
  cr_real* left = cri_pair_left(&bar->ten_J_pairs, pair);
  cr_copy(cri_pair_right(&bar->ten_J_pairs, pair), bar->qfrc_bias, m->nv);
  cri_tendon_armature(m, a);
  cr_zero(a_bar, m->ntendon);
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_inertial[t] != 0) {
      cr_real pull = cri_tendon_dot(m, d->ten_J, t, bar->qfrc_bias);
      left[t] = a[t] * d->ten_bias[t];
      bar->ten_bias[t] += a[t] * pull;
      a_bar[t] = d->ten_bias[t] * pull;
    }
  }
  cri_tendon_armature_vjp(m, bar, a_bar);
  cri_pop(bar, mark);
}

// ---- the stage

cr_status cr_bias(const cr_model* m, cr_data* d) {
  cr_real *A = d->bias_acc, *F = d->bias_frc;
  // [bias.b1] A_world = (0, -g)
  cr_zero6(A);
  if (has_gravity(m)) {
    cr_scl3(A + 3, m->gravity, -1);
  }
  // [bias.b2] A_b = A_parent + cdof_dot qvel
  cri_tree_motions(m, d->cdof_dot, d->qvel, A);
  // [bias.b3] F_b = I A + V x* I V, and children's
  for (int b = 1; b < m->nbody; b++) {
    if (cri_tree_moves(m, b)) {
      cri_newton(F + 6 * b, d->cinert + 10 * b, A + 6 * b, d->cvel + 6 * b);
    }
  }
  cri_tree_gather(m, F, 6);
  // [bias.b4] qfrc_bias_i = s_i . F
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_bias[i] = cr_dot6(d->cdof + 6 * i, F + 6 * m->dof_bodyid[i]);
  }
  if (cri_tendon_inertia_acts(m)) {
    tendons(m, d);
  }
  return CR_OK;
}

cr_status cr_bias_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  const cr_real* A = d->bias_acc;
  cr_real* A_tan = cri_push(tan, 6 * (size_t)m->nbody);
  cr_real* F_tan = cri_push(tan, 6 * (size_t)m->nbody);
  // [bias.b1]
  cr_zero6(A_tan);
  if (has_gravity(m)) {
    cr_scl3(A_tan + 3, cri_par_tan(tan->par.gravity, 0, 3), -1);
  }
  for (int b = 1; b < m->nbody; b++) {
    // [bias.b2]
    cr_real* a_tan = A_tan + 6 * b;
    cri_tree_motion(a_tan, m, b, A_tan + 6 * m->body_parentid[b], tan->cdof_dot, d->qvel);
    cri_tree_motion(a_tan, m, b, a_tan, d->cdof_dot, tan->qvel);
    // [bias.b3]
    if (cri_tree_moves(m, b)) {
      cri_newton_tan(F_tan + 6 * b, d->cinert + 10 * b, A + 6 * b, d->cvel + 6 * b,
                     tan->cinert + 10 * b, a_tan, tan->cvel + 6 * b);
    }
  }
  cri_tree_gather(m, F_tan, 6);
  // [bias.b4]
  for (int i = 0; i < m->nv; i++) {
    int b = m->dof_bodyid[i];
    tan->qfrc_bias[i] =
        cr_dot6(tan->cdof + 6 * i, d->bias_frc + 6 * b) + cr_dot6(d->cdof + 6 * i, F_tan + 6 * b);
  }
  if (cri_tendon_inertia_acts(m)) {
    tendons_jvp(m, d, tan);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

cr_status cr_bias_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_real* W = cri_push(bar, 6 * (size_t)m->nbody);
  cr_real* A_bar = cri_push(bar, 6 * (size_t)m->nbody);
  const cr_real* c_bar = bar->qfrc_bias;
  if (cri_tendon_inertia_acts(m)) {
    tendons_vjp(m, d, bar);
  }
  // [bias.b4]' s_bar += c_bar F; the cotangent of a body's own force is W = sum of s c_bar down to it
  for (int i = 0; i < m->nv; i++) {
    cr_accscl6(bar->cdof + 6 * i, d->bias_frc + 6 * m->dof_bodyid[i], c_bar[i]);
  }
  cr_zero6(W);
  cri_tree_motions(m, d->cdof, c_bar, W);
  // [bias.b3]'
  for (int b = 1; b < m->nbody; b++) {
    if (cri_tree_moves(m, b)) {
      cri_newton_bar(W + 6 * b, d->cinert + 10 * b, d->bias_acc + 6 * b, d->cvel + 6 * b,
                     bar->cinert + 10 * b, bar->cvel + 6 * b, A_bar + 6 * b);
    }
  }
  // [bias.b2]'
  cri_tree_gather(m, A_bar, 6);
  for (int i = 0; i < m->nv; i++) {
    const cr_real* a_bar = A_bar + 6 * m->dof_bodyid[i];
    bar->qvel[i] += cr_dot6(d->cdof_dot + 6 * i, a_bar);
    cr_accscl6(bar->cdof_dot + 6 * i, a_bar, d->qvel[i]);
  }
  // [bias.b1]' trees hang on static bodies, whose acceleration is the world's
  if (bar->par.gravity != NULL && has_gravity(m)) {
    for (int b = 1; b < m->nbody; b++) {
      if (cri_tree_moves(m, b) && !cri_tree_moves(m, m->body_parentid[b])) {
        cr_accscl3(bar->par.gravity, A_bar + 6 * b + 3, -1);
      }
    }
  }
  cri_pop(bar, mark);
  return CR_OK;
}
