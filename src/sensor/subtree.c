// SPDX-License-Identifier: Apache-2.0
// One sweep from the leaves gathers momentum and mass; backwards the same tree is swept from the root.
#include "sensor/subtree.h"

#include "math/spatial.h"

// momentum about the point of the tree, and mass: 7 numbers a body
enum { WIDTH = 7 };

static const cr_real* point_of(const cr_model* m, const cr_data* d, int b) {
  return d->subtree_com + 3 * m->body_rootid[b];
}

// the vector from the reference point of a body's momentum to its subtree's centre of mass
static void arm_of(cr_real r[3], const cr_model* m, const cr_data* d, int b) {
  cr_zero3(r);
  if (b > 0) {
    cr_sub3(r, d->subtree_com + 3 * b, point_of(m, d, b));
  }
}

// from the reference point of the world, its centre of mass, to that of a tree
static void offset_of(cr_real s[3], const cr_model* m, const cr_data* d, int b) {
  cr_sub3(s, point_of(m, d, b), d->subtree_com);
}

// [subtree.u1] of one body
static void own_momentum(cr_real h[WIDTH], const cr_real I[10], const cr_real v[6]) {
  cr_inertia_mul(h, I, v);
  h[6] = I[9];
}

static void gather(const cr_model* m, const cr_data* d, cr_real* H) {
  for (int b = m->nbody - 1; b > 0; b--) {
    cr_real *h = H + WIDTH * b, *parent = H + WIDTH * m->body_parentid[b];
    for (int k = 0; k < WIDTH; k++) {
      parent[k] += h[k];
    }
    if (m->body_parentid[b] == 0) {
      cr_real s[3];
      offset_of(s, m, d, b);
      cr_acccross3(parent, s, h + 3);
    }
  }
}

static cr_real* momenta(const cr_model* m, const cr_data* d, cr_data* owner) {
  cr_real* H = cri_push(owner, WIDTH * (size_t)m->nbody);
  for (int b = 0; b < m->nbody; b++) {
    own_momentum(H + WIDTH * b, d->cinert + 10 * b, d->cvel + 6 * b);
  }
  gather(m, d, H);
  return H;
}

cr_status cr_subtree(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  const cr_real* H = momenta(m, d, d);
  for (int b = 0; b < m->nbody; b++) {
    const cr_real* h = H + WIDTH * b;
    cr_real r[3], turn[3];
    // [subtree.u2], [subtree.u3]
    cr_scl3(d->subtree_linvel + 3 * b, h + 3, 1 / cr_max(h[6], CR_MINVAL));
    arm_of(r, m, d, b);
    cr_cross3(turn, r, h + 3);
    cr_sub3(d->subtree_angmom + 3 * b, h, turn);
  }
  cri_pop(d, mark);
  return CR_OK;
}

// H' from the tangents of inertias, velocities and centres of mass
static void momenta_tan(const cr_model* m, const cr_data* d, const cr_data* tan, const cr_real* H,
                        cr_real* H_tan) {
  for (int b = 0; b < m->nbody; b++) {
    cr_real t[WIDTH];
    own_momentum(H_tan + WIDTH * b, tan->cinert + 10 * b, d->cvel + 6 * b);
    cr_inertia_mul(t, d->cinert + 10 * b, tan->cvel + 6 * b);
    cr_acc6(H_tan + WIDTH * b, t);
  }
  gather(m, d, H_tan);
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_parentid[b] == 0) {
      cr_real s_tan[3];
      offset_of(s_tan, m, tan, b);
      cr_acccross3(H_tan, s_tan, H + WIDTH * b + 3);
    }
  }
}

cr_status cr_subtree_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan);
  const cr_real* H = momenta(m, d, tan);
  cr_real* H_tan = cri_push(tan, WIDTH * (size_t)m->nbody);
  momenta_tan(m, d, tan, H, H_tan);
  for (int b = 0; b < m->nbody; b++) {
    const cr_real *h = H + WIDTH * b, *h_tan = H_tan + WIDTH * b;
    cr_real *v_tan = tan->subtree_linvel + 3 * b, *l_tan = tan->subtree_angmom + 3 * b;
    cr_real mass = cr_max(h[6], CR_MINVAL), r[3], r_tan[3], turn[3];
    // [subtree.u2] (p' - v m') / m
    cr_scl3(v_tan, h_tan + 3, 1 / mass);
    if (h[6] > CR_MINVAL) {
      cr_accscl3(v_tan, h + 3, -h_tan[6] / (mass * mass));
    }
    // [subtree.u3] l' - r' x p - r x p'
    arm_of(r, m, d, b);
    arm_of(r_tan, m, tan, b);
    cr_cross3(turn, r, h_tan + 3);
    cr_acccross3(turn, r_tan, h + 3);
    cr_sub3(l_tan, h_tan, turn);
  }
  cri_pop(tan, mark);
  return CR_OK;
}

// [subtree.u2]', [subtree.u3]': adds to h_bar and the cotangents of the centres of mass
static void outputs_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int b, const cr_real* h,
                        cr_real* h_bar) {
  const cr_real *v_bar = bar->subtree_linvel + 3 * b, *l_bar = bar->subtree_angmom + 3 * b;
  cr_real mass = cr_max(h[6], CR_MINVAL), r[3], turn[3];
  cr_accscl3(h_bar + 3, v_bar, 1 / mass);
  if (h[6] > CR_MINVAL) {
    h_bar[6] -= cr_dot3(v_bar, h + 3) / (mass * mass);
  }
  // l_bar . (r x p) = p . (l_bar x r) = r . (p x l_bar)
  cr_acc3(h_bar, l_bar);
  arm_of(r, m, d, b);
  cr_cross3(turn, l_bar, r);
  cr_accscl3(h_bar + 3, turn, -1);
  if (b > 0) {
    cr_cross3(turn, h + 3, l_bar);
    cr_accscl3(bar->subtree_com + 3 * b, turn, -1);
    cr_acc3(bar->subtree_com + 3 * m->body_rootid[b], turn);
  }
}

// [subtree.u1]' of body b > 0: its parent's cotangent, with the part of the shift between trees
static void gather_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int b, const cr_real* h,
                       const cr_real* parent_bar, cr_real* h_bar) {
  for (int k = 0; k < WIDTH; k++) {
    h_bar[k] += parent_bar[k];
  }
  if (m->body_parentid[b] == 0) {
    // l_bar . (s x p)
    cr_real s[3], s_bar[3];
    offset_of(s, m, d, b);
    cr_acccross3(h_bar + 3, parent_bar, s);
    cr_cross3(s_bar, h + 3, parent_bar);
    cr_acc3(bar->subtree_com + 3 * m->body_rootid[b], s_bar);
    cr_accscl3(bar->subtree_com, s_bar, -1);
  }
}

cr_status cr_subtree_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  if (cr_is_zero(bar->subtree_linvel, 3 * m->nbody) &&
      cr_is_zero(bar->subtree_angmom, 3 * m->nbody)) {
    return CR_OK;
  }
  size_t mark = cri_mark(bar);
  const cr_real* H = momenta(m, d, bar);
  cr_real* H_bar = cri_push(bar, WIDTH * (size_t)m->nbody);
  cr_zero(H_bar, WIDTH * m->nbody);
  for (int b = 0; b < m->nbody; b++) {
    const cr_real *h = H + WIDTH * b, *v = d->cvel + 6 * b;
    cr_real *h_bar = H_bar + WIDTH * b, t[6];
    if (b > 0) {
      gather_vjp(m, d, bar, b, h, H_bar + WIDTH * m->body_parentid[b], h_bar);
    }
    outputs_vjp(m, d, bar, b, h, h_bar);
    // [subtree.u1]' of its own momentum
    cr_inertia_bar(bar->cinert + 10 * b, h_bar, v, 1);
    bar->cinert[10 * b + 9] += h_bar[6];
    cr_inertia_mul(t, d->cinert + 10 * b, h_bar);
    cr_acc6(bar->cvel + 6 * b, t);
  }
  cri_pop(bar, mark);
  return CR_OK;
}
