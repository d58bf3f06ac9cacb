// SPDX-License-Identifier: Apache-2.0
// Centres of mass, com-based inertias and motion axes. com_subtree stores what the derivatives need
// from the forward pass: four numbers a body, centre of mass and mass of its subtree.
#include "kinematics/com.h"

#include "math/vec3.h"

// ---- [com.m1] centres of mass

static const cr_real* com_of_tree(const cr_model* m, const cr_data* d, int body) {
  return d->com_subtree + 4 * m->body_rootid[body];
}

static bool massless(const cr_real* subtree) { return subtree[3] < CR_MINVAL; }

static void subtree_com(const cr_model* m, cr_data* d) {
  // [com.m1] sums of mass and moment, from the leaves
  for (int i = 0; i < m->nbody; i++) {
    cr_real* s = d->com_subtree + 4 * i;
    s[3] = m->body_mass[i];
    cr_scl3(s, d->xipos + 3 * i, s[3]);
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    cr_real *s = d->com_subtree + 4 * i, *parent = d->com_subtree + 4 * m->body_parentid[i];
    cr_acc3(parent, s);
    parent[3] += s[3];
  }
  for (int i = 0; i < m->nbody; i++) {
    cr_real* s = d->com_subtree + 4 * i;
    if (massless(s)) {
      cr_copy3(s, d->xipos + 3 * i);
    } else {
      cr_scl3(s, s, 1 / s[3]);
    }
    cr_copy3(d->subtree_com + 3 * i, s);
  }
}

static void subtree_com_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  cr_real *moment = tan->subtree_com, *mass = cri_push(tan, (size_t)m->nbody);
  // [com.m1]
  for (int i = 0; i < m->nbody; i++) {
    cr_real mass_tan = cri_par_tan(tan->par.body_mass, i, 1)[0];
    cr_scl3(moment + 3 * i, tan->xipos + 3 * i, m->body_mass[i]);
    cr_accscl3(moment + 3 * i, d->xipos + 3 * i, mass_tan);
    mass[i] = mass_tan;
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    int parent = m->body_parentid[i];
    cr_acc3(moment + 3 * parent, moment + 3 * i);
    mass[parent] += mass[i];
  }
  // com_tan = (moment_tan - com mass_tan) / mass
  for (int i = 0; i < m->nbody; i++) {
    const cr_real* s = d->com_subtree + 4 * i;
    if (massless(s)) {
      cr_copy3(moment + 3 * i, tan->xipos + 3 * i);
    } else {
      cr_accscl3(moment + 3 * i, s, -mass[i]);
      cr_scl3(moment + 3 * i, moment + 3 * i, 1 / s[3]);
    }
  }
  cri_pop(tan, mark);
}

// com_bar, 3 numbers a body, is used up: it becomes the cotangent of the moments
static void subtree_com_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cr_real* com_bar) {
  size_t mark = cri_mark(bar);
  cr_real* mass_bar = cri_push(bar, (size_t)m->nbody);
  // [com.m1]' every body gets the cotangents of its ancestors' sums
  for (int i = 0; i < m->nbody; i++) {
    const cr_real* s = d->com_subtree + 4 * i;
    cr_real* moment_bar = com_bar + 3 * i;
    mass_bar[i] = 0;
    if (massless(s)) {
      cr_acc3(bar->xipos + 3 * i, moment_bar);
      cr_zero3(moment_bar);
    } else {
      cr_scl3(moment_bar, moment_bar, 1 / s[3]);
      mass_bar[i] = -cr_dot3(moment_bar, s);
    }
    if (i > 0) {
      cr_acc3(moment_bar, com_bar + 3 * m->body_parentid[i]);
      mass_bar[i] += mass_bar[m->body_parentid[i]];
    }
    cr_accscl3(bar->xipos + 3 * i, moment_bar, m->body_mass[i]);
    if (bar->par.body_mass != NULL) {
      bar->par.body_mass[i] += mass_bar[i] + cr_dot3(moment_bar, d->xipos + 3 * i);
    }
  }
  cri_pop(bar, mark);
}

// ---- [com.m2] inertias; symmetric matrices are (xx yy zz xy xz yz)

// S += s a a'
static void acc_square(cr_real S[6], const cr_real a[3], cr_real s) {
  cr_real x = s * a[0], y = s * a[1], z = s * a[2];
  S[0] += x * a[0];
  S[1] += y * a[1];
  S[2] += z * a[2];
  S[3] += x * a[1];
  S[4] += x * a[2];
  S[5] += y * a[2];
}

// S += s (a b' + b a')
static void acc_product(cr_real S[6], const cr_real a[3], const cr_real b[3], cr_real s) {
  S[0] += 2 * s * a[0] * b[0];
  S[1] += 2 * s * a[1] * b[1];
  S[2] += 2 * s * a[2] * b[2];
  S[3] += s * (a[0] * b[1] + a[1] * b[0]);
  S[4] += s * (a[0] * b[2] + a[2] * b[0]);
  S[5] += s * (a[1] * b[2] + a[2] * b[1]);
}

// r = S_bar x, the matrix of a cotangent: its off-diagonal numbers stand for two entries each
static void bar_mul(cr_real r[3], const cr_real S_bar[6], const cr_real x[3]) {
  r[0] = S_bar[0] * x[0] + (S_bar[3] * x[1] + S_bar[4] * x[2]) / 2;
  r[1] = S_bar[1] * x[1] + (S_bar[3] * x[0] + S_bar[5] * x[2]) / 2;
  r[2] = S_bar[2] * x[2] + (S_bar[4] * x[0] + S_bar[5] * x[1]) / 2;
}

static void inertia(cr_real I[10], const cr_real R[9], const cr_real moments[3], const cr_real o[3],
                    cr_real mass) {
  // [com.m2]
  cr_real column[3];
  I[0] = I[1] = I[2] = mass * cr_dot3(o, o);
  I[3] = I[4] = I[5] = 0;
  acc_square(I, o, -mass);
  for (int k = 0; k < 3; k++) {
    cr_col3(column, R, k);
    acc_square(I, column, moments[k]);
  }
  cr_scl3(I + 6, o, mass);
  I[9] = mass;
}

static void inertia_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int body) {
  const cr_real *R = d->ximat + 9 * body, *R_tan = tan->ximat + 9 * body;
  const cr_real* moments_tan = cri_par_tan(tan->par.body_inertia, body, 3);
  cr_real mass_tan = cri_par_tan(tan->par.body_mass, body, 1)[0], mass = m->body_mass[body];
  cr_real *I_tan = tan->cinert + 10 * body, o[3], o_tan[3], column[3], column_tan[3];
  cr_sub3(o, d->xipos + 3 * body, com_of_tree(m, d, body));
  cr_sub3(o_tan, tan->xipos + 3 * body, tan->subtree_com + 3 * m->body_rootid[body]);
  // [com.m2] the part of the mass, with its tangent and that of its place
  inertia(I_tan, R, moments_tan, o, mass_tan);
  for (int i = 0; i < 3; i++) {
    I_tan[i] += 2 * mass * cr_dot3(o, o_tan);
  }
  acc_product(I_tan, o, o_tan, -mass);
  cr_accscl3(I_tan + 6, o_tan, mass);
  // the part of the body's own inertia as it turns
  for (int k = 0; k < 3; k++) {
    cr_col3(column, R, k);
    cr_col3(column_tan, R_tan, k);
    acc_product(I_tan, column, column_tan, m->body_inertia[3 * body + k]);
  }
}

static void inertia_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int body,
                        cr_real* com_bar) {
  const cr_real *R = d->ximat + 9 * body, *I_bar = bar->cinert + 10 * body;
  cr_real mass = m->body_mass[body], trace = I_bar[0] + I_bar[1] + I_bar[2];
  cr_real o[3], column[3], product[3], o_bar[3];
  // [com.m2]' the body's own inertia
  for (int k = 0; k < 3; k++) {
    cr_col3(column, R, k);
    bar_mul(product, I_bar, column);
    if (bar->par.body_inertia != NULL) {
      bar->par.body_inertia[3 * body + k] += cr_dot3(column, product);
    }
    cr_scl3(product, product, 2 * m->body_inertia[3 * body + k]);
    cr_acccol3(bar->ximat + 9 * body, product, k);
  }
  // mass and its place
  cr_sub3(o, d->xipos + 3 * body, com_of_tree(m, d, body));
  bar_mul(product, I_bar, o);
  for (int i = 0; i < 3; i++) {
    o_bar[i] = mass * (2 * (trace * o[i] - product[i]) + I_bar[6 + i]);
  }
  cr_acc3(bar->xipos + 3 * body, o_bar);
  cr_accscl3(com_bar + 3 * m->body_rootid[body], o_bar, -1);
  if (bar->par.body_mass != NULL) {
    bar->par.body_mass[body] +=
        trace * cr_dot3(o, o) - cr_dot3(o, product) + cr_dot3(o, I_bar + 6) + I_bar[9];
  }
}

// ---- [com.m3] motion axes

// r = (a, a x arm)
static void rotation(cr_real r[6], const cr_real a[3], const cr_real arm[3]) {
  cr_copy3(r, a);
  cr_cross3(r + 3, a, arm);
}

static void rotation_jvp(cr_real r_tan[6], const cr_real a[3], const cr_real a_tan[3],
                         const cr_real arm[3], const cr_real arm_tan[3]) {
  rotation(r_tan, a_tan, arm);
  cr_acccross3(r_tan + 3, a, arm_tan);
}

// a_bar = r_bar + arm x linear part, arm_bar += linear part x a
static void rotation_vjp(cr_real a_bar[3], cr_real arm_bar[3], const cr_real r_bar[6],
                         const cr_real a[3], const cr_real arm[3]) {
  cr_copy3(a_bar, r_bar);
  cr_acccross3(a_bar, arm, r_bar + 3);
  cr_acccross3(arm_bar, r_bar + 3, a);
}

// translations of a free joint come first and are constant
static int rotations_at(const cr_model* m, int j) {
  return m->jnt_dofadr[j] + (m->jnt_type[j] == CR_JNT_FREE ? 3 : 0);
}

static void axes(const cr_model* m, cr_data* d, int j) {
  int body = m->jnt_bodyid[j];
  cr_real *r = d->cdof + 6 * rotations_at(m, j), *r0 = d->cdof + 6 * m->jnt_dofadr[j];
  cr_real arm[3], a[3];
  cr_sub3(arm, com_of_tree(m, d, body), d->xanchor + 3 * j);
  // [com.m3]
  switch (m->jnt_type[j]) {
    case CR_JNT_SLIDE:
      cr_zero3(r);
      cr_copy3(r + 3, d->xaxis + 3 * j);
      break;
    case CR_JNT_HINGE:
      rotation(r, d->xaxis + 3 * j, arm);
      break;
    case CR_JNT_FREE:
      cr_zero(r0, 18);
      r0[3] = r0[10] = r0[17] = 1;
      // fall through
    default:
      for (int k = 0; k < 3; k++) {
        cr_col3(a, d->xmat + 9 * body, k);
        rotation(r + 6 * k, a, arm);
      }
  }
}

static void axes_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int j) {
  int body = m->jnt_bodyid[j];
  cr_real* r_tan = tan->cdof + 6 * rotations_at(m, j);
  cr_real arm[3], arm_tan[3], a[3], a_tan[3];
  cr_sub3(arm, com_of_tree(m, d, body), d->xanchor + 3 * j);
  cr_sub3(arm_tan, tan->subtree_com + 3 * m->body_rootid[body], tan->xanchor + 3 * j);
  // [com.m3]
  switch (m->jnt_type[j]) {
    case CR_JNT_SLIDE:
      cr_zero3(r_tan);
      cr_copy3(r_tan + 3, tan->xaxis + 3 * j);
      break;
    case CR_JNT_HINGE:
      rotation_jvp(r_tan, d->xaxis + 3 * j, tan->xaxis + 3 * j, arm, arm_tan);
      break;
    case CR_JNT_FREE:
      cr_zero(tan->cdof + 6 * m->jnt_dofadr[j], 18);
      // fall through
    default:
      for (int k = 0; k < 3; k++) {
        cr_col3(a, d->xmat + 9 * body, k);
        cr_col3(a_tan, tan->xmat + 9 * body, k);
        rotation_jvp(r_tan + 6 * k, a, a_tan, arm, arm_tan);
      }
  }
}

static void axes_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int j, cr_real* com_bar) {
  int body = m->jnt_bodyid[j];
  const cr_real* r_bar = bar->cdof + 6 * rotations_at(m, j);
  cr_real arm[3], arm_bar[3] = {0}, a[3], a_bar[3];
  cr_sub3(arm, com_of_tree(m, d, body), d->xanchor + 3 * j);
  // [com.m3]'
  switch (m->jnt_type[j]) {
    case CR_JNT_SLIDE:
      cr_acc3(bar->xaxis + 3 * j, r_bar + 3);
      break;
    case CR_JNT_HINGE:
      rotation_vjp(a_bar, arm_bar, r_bar, d->xaxis + 3 * j, arm);
      cr_acc3(bar->xaxis + 3 * j, a_bar);
      break;
    default:
      for (int k = 0; k < 3; k++) {
        cr_col3(a, d->xmat + 9 * body, k);
        rotation_vjp(a_bar, arm_bar, r_bar + 6 * k, a, arm);
        cr_acccol3(bar->xmat + 9 * body, a_bar, k);
      }
  }
  cr_acc3(com_bar + 3 * m->body_rootid[body], arm_bar);
  cr_accscl3(bar->xanchor + 3 * j, arm_bar, -1);
}

// ---- the stage

cr_status cr_com(const cr_model* m, cr_data* d) {
  cr_real o[3];
  subtree_com(m, d);
  cr_zero(d->cinert, 10);
  for (int i = 1; i < m->nbody; i++) {
    cr_sub3(o, d->xipos + 3 * i, com_of_tree(m, d, i));
    inertia(d->cinert + 10 * i, d->ximat + 9 * i, m->body_inertia + 3 * i, o, m->body_mass[i]);
  }
  for (int j = 0; j < m->njnt; j++) {
    axes(m, d, j);
  }
  return CR_OK;
}

cr_status cr_com_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  subtree_com_jvp(m, d, tan);
  cr_zero(tan->cinert, 10);
  for (int i = 1; i < m->nbody; i++) {
    inertia_jvp(m, d, tan, i);
  }
  for (int j = 0; j < m->njnt; j++) {
    axes_jvp(m, d, tan, j);
  }
  return CR_OK;
}

cr_status cr_com_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar);
  cr_real* com_bar = cri_push(bar, 3 * (size_t)m->nbody);
  cr_copy(com_bar, bar->subtree_com, 3 * m->nbody);
  for (int j = m->njnt - 1; j >= 0; j--) {
    axes_vjp(m, d, bar, j, com_bar);
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    inertia_vjp(m, d, bar, i, com_bar);
  }
  subtree_com_vjp(m, d, bar, com_bar);
  cri_pop(bar, mark);
  return CR_OK;
}
