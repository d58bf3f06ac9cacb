// SPDX-License-Identifier: Apache-2.0
// Root to leaf for accelerations, leaf to root for forces. The derivative of the sum over subtrees is
// a sum over ancestors, so the cotangent of a body's own force is again a motion.
#include "sensor/reaction.h"

#include "force/newton_euler.h"
#include "kinematics/tree.h"
#include "sensor/external_force.h"

static bool has_gravity(const cr_model* m) { return (m->disableflags & CR_DSBL_GRAVITY) == 0; }

// [reaction.k1]
static void accelerations(const cr_model* m, const cr_data* d, cr_real* A) {
  cr_zero6(A);
  if (has_gravity(m)) {
    cr_scl3(A + 3, m->gravity, -1);
  }
  for (int b = 1; b < m->nbody; b++) {
    cri_tree_motion(A + 6 * b, m, b, A + 6 * m->body_parentid[b], d->cdof_dot, d->qvel);
    cri_tree_motion(A + 6 * b, m, b, A + 6 * b, d->cdof, d->qacc);
  }
}

// F_parent += F_b, static bodies and the world too
static void gather_all(const cr_model* m, cr_real* F) {
  for (int b = m->nbody - 1; b > 0; b--) {
    cr_acc6(F + 6 * m->body_parentid[b], F + 6 * b);
  }
}

cr_status cr_reaction(const cr_model* m, cr_data* d) {
  accelerations(m, d, d->cacc);
  // [reaction.k2]
  cri_external(m, d, d->cfrc_ext, d);
  // [reaction.k3]
  cr_zero6(d->cfrc_int);
  for (int b = 1; b < m->nbody; b++) {
    cri_newton(d->cfrc_int + 6 * b, d->cinert + 10 * b, d->cacc + 6 * b, d->cvel + 6 * b);
    cr_accscl6(d->cfrc_int + 6 * b, d->cfrc_ext + 6 * b, -1);
  }
  gather_all(m, d->cfrc_int);
  return CR_OK;
}

cr_status cr_reaction_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real *A = cri_push(tan, 6 * (size_t)m->nbody), *A_tan = tan->cacc, *F_tan = tan->cfrc_int;
  accelerations(m, d, A);
  // [reaction.k1]
  cr_zero6(A_tan);
  if (has_gravity(m)) {
    cr_scl3(A_tan + 3, cri_par_tan(tan->par.gravity, 0, 3), -1);
  }
  for (int b = 1; b < m->nbody; b++) {
    cr_real* a_tan = A_tan + 6 * b;
    cri_tree_motion(a_tan, m, b, A_tan + 6 * m->body_parentid[b], tan->cdof_dot, d->qvel);
    cri_tree_motion(a_tan, m, b, a_tan, d->cdof_dot, tan->qvel);
    cri_tree_motion(a_tan, m, b, a_tan, tan->cdof, d->qacc);
    cri_tree_motion(a_tan, m, b, a_tan, d->cdof, tan->qacc);
  }
  // [reaction.k2]
  cri_external_jvp(m, d, tan, tan->cfrc_ext);
  // [reaction.k3]
  cr_zero6(F_tan);
  for (int b = 1; b < m->nbody; b++) {
    cri_newton_tan(F_tan + 6 * b, d->cinert + 10 * b, A + 6 * b, d->cvel + 6 * b,
                   tan->cinert + 10 * b, A_tan + 6 * b, tan->cvel + 6 * b);
    cr_accscl6(F_tan + 6 * b, tan->cfrc_ext + 6 * b, -1);
  }
  gather_all(m, F_tan);
  cri_pop(tan, mark);
  return CR_OK;
}

// [reaction.k1]' from the cotangents of all accelerations
static void accelerations_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real* A_bar) {
  gather_all(m, A_bar);
  for (int i = 0; i < m->nv; i++) {
    const cr_real* a_bar = A_bar + 6 * m->dof_bodyid[i];
    bar->qvel[i] += cr_dot6(d->cdof_dot + 6 * i, a_bar);
    bar->qacc[i] += cr_dot6(d->cdof + 6 * i, a_bar);
    cr_accscl6(bar->cdof_dot + 6 * i, a_bar, d->qvel[i]);
    cr_accscl6(bar->cdof + 6 * i, a_bar, d->qacc[i]);
  }
  if (bar->par.gravity != NULL && has_gravity(m)) {
    cr_accscl3(bar->par.gravity, A_bar + 3, -1);
  }
}

cr_status cr_reaction_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int n = 6 * m->nbody;
  if (cr_is_zero(bar->cacc, n) && cr_is_zero(bar->cfrc_ext, n) && cr_is_zero(bar->cfrc_int, n)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  cr_real *A = cri_push(bar, (size_t)n), *A_bar = cri_push(bar, (size_t)n);
  cr_real *W = cri_push(bar, (size_t)n), *u = cri_push(bar, (size_t)n);
  accelerations(m, d, A);
  cr_copy(A_bar, bar->cacc, n);
  cr_copy(W, bar->cfrc_int, n);
  cr_copy(u, bar->cfrc_ext, n);
  for (int b = 1; b < m->nbody; b++) {
    // [reaction.k3]'
    cr_real a_bar[6];
    cr_acc6(W + 6 * b, W + 6 * m->body_parentid[b]);
    cri_newton_bar(W + 6 * b, d->cinert + 10 * b, A + 6 * b, d->cvel + 6 * b, bar->cinert + 10 * b,
                   bar->cvel + 6 * b, a_bar);
    cr_acc6(A_bar + 6 * b, a_bar);
    cr_accscl6(u + 6 * b, W + 6 * b, -1);
  }
  // [reaction.k2]', [reaction.k1]'
  cri_external_vjp(m, d, bar, u);
  accelerations_vjp(m, d, bar, A_bar);
  cri_pop(bar, mark);
  return CR_OK;
}
