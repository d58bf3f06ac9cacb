// SPDX-License-Identifier: Apache-2.0
// Featherstone's articulated bodies, one dof at a time: a joint of several dofs is a chain of
// one-dof joints between massless links, so every pivot is a number. All spatial quantities of a
// tree share axes and point, so inertias add to the parent directly.
#include "inertia/articulated.h"

#include "kinematics/tree.h"

// a symmetric 6 x 6 matrix as its lower triangle, row after row
enum { SYM6 = 21 };

// the 6 x 6 matrix [Io, [mc]x; -[mc]x, m] of an inertia
static void sym6_set(cr_real A[SYM6], const cr_real I[10]) {
  cr_real x = I[6], y = I[7], z = I[8], mass = I[9];
  // clang-format off
  const cr_real rows[SYM6] = {
      I[0],
      I[3], I[1],
      I[4], I[5], I[2],
      0,    z,    -y,   mass,
      -z,   0,    x,    0,    mass,
      y,    -x,   0,    0,    0,    mass};
  // clang-format on
  cr_copy(A, rows, SYM6);
}

// u = A s; sums in pairs, which shortens the chain of dependent additions
static inline void sym6_mul(cr_real u[6], const cr_real A[SYM6], const cr_real s[6]) {
  u[0] =
      ((A[0] * s[0] + A[1] * s[1]) + (A[3] * s[2] + A[6] * s[3])) + (A[10] * s[4] + A[15] * s[5]);
  u[1] =
      ((A[1] * s[0] + A[2] * s[1]) + (A[4] * s[2] + A[7] * s[3])) + (A[11] * s[4] + A[16] * s[5]);
  u[2] =
      ((A[3] * s[0] + A[4] * s[1]) + (A[5] * s[2] + A[8] * s[3])) + (A[12] * s[4] + A[17] * s[5]);
  u[3] =
      ((A[6] * s[0] + A[7] * s[1]) + (A[8] * s[2] + A[9] * s[3])) + (A[13] * s[4] + A[18] * s[5]);
  u[4] = ((A[10] * s[0] + A[11] * s[1]) + (A[12] * s[2] + A[13] * s[3])) +
         (A[14] * s[4] + A[19] * s[5]);
  u[5] = ((A[15] * s[0] + A[16] * s[1]) + (A[17] * s[2] + A[18] * s[3])) +
         (A[19] * s[4] + A[20] * s[5]);
}

// A -= t u'; t and u are parallel
static inline void sym6_downdate(cr_real A[SYM6], const cr_real t[6], const cr_real u[6]) {
  A[0] -= t[0] * u[0];
  A[1] -= t[1] * u[0];
  A[2] -= t[1] * u[1];
  A[3] -= t[2] * u[0];
  A[4] -= t[2] * u[1];
  A[5] -= t[2] * u[2];
  A[6] -= t[3] * u[0];
  A[7] -= t[3] * u[1];
  A[8] -= t[3] * u[2];
  A[9] -= t[3] * u[3];
  A[10] -= t[4] * u[0];
  A[11] -= t[4] * u[1];
  A[12] -= t[4] * u[2];
  A[13] -= t[4] * u[3];
  A[14] -= t[4] * u[4];
  A[15] -= t[5] * u[0];
  A[16] -= t[5] * u[1];
  A[17] -= t[5] * u[2];
  A[18] -= t[5] * u[3];
  A[19] -= t[5] * u[4];
  A[20] -= t[5] * u[5];
}

static inline cr_real dot6_pairs(const cr_real a[6], const cr_real b[6]) {
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

// c - a . b
static inline cr_real less_dot6(cr_real c, const cr_real a[6], const cr_real b[6]) {
  return ((c - a[0] * b[0]) - (a[1] * b[1] + a[2] * b[2])) -
         ((a[3] * b[3] + a[4] * b[4]) + a[5] * b[5]);
}

// sets Ia of every body that moves to its own inertia
static void own_inertias(const cr_model* m, const cr_real* cinert, cr_real* Ia) {
  for (int b = 1; b < m->nbody; b++) {
    if (cri_tree_moves(m, b)) {
      sym6_set(Ia + SYM6 * b, cinert + 10 * b);
    }
  }
}

static cr_status bad_pivot(cr_error* error, const cr_model* m, int dof, cr_real D) {
  int joint = m->dof_jntid[dof];
  return cri_fail(error, D != D ? CR_ERR_NONFINITE : CR_ERR_SINGULAR,
                  "joint %d \"%s\", dof %d: inertia %g is not positive; give the bodies that it "
                  "moves mass and inertia, or the joint armature",
                  joint, cri_name(m, m->name_jntadr, joint), dof, (double)D);
}

cr_status cri_articulated_factor(const cr_model* m, const cr_data* d, const cr_real* diag,
                                 cr_real* U, cr_real* Dinv, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* inertia = cri_push(work, (size_t)SYM6 * (size_t)m->nbody);
  own_inertias(m, d->cinert, inertia);
  for (int b = m->nbody - 1; b > 0; b--) {
    if (!cri_tree_moves(m, b)) {
      continue;
    }
    cr_real* Ia = inertia + SYM6 * b;
    int parent = m->body_parentid[b], first = m->body_dofadr[b];
    bool root = !cri_tree_moves(m, parent);
    for (int i = first + m->body_dofnum[b] - 1; i >= first; i--) {
      // [articulated.a1] u = Ia s, D = s . u + diag, U = u / D
      cr_real u[6], t[6];
      sym6_mul(u, Ia, d->cdof + 6 * i);
      cr_real D = dot6_pairs(d->cdof + 6 * i, u) + diag[i];
      if (!(D >= CR_MINVAL)) {
        cri_pop(work, mark);
        return bad_pivot(&work->error, m, i, D);
      }
      Dinv[i] = 1 / D;
      for (int k = 0; k < 6; k++) {
        t[k] = Dinv[i] * u[k];
      }
      cr_copy6(U + 6 * i, t);
      // [articulated.a2] Ia -= u u' / D; nothing reads it after the first dof of a tree
      if (i > first || !root) {
        sym6_downdate(Ia, t, u);
      }
    }
    // [articulated.a3] Ia_parent += Ia
    for (int k = 0; k < SYM6 && !root; k++) {
      inertia[SYM6 * parent + k] += Ia[k];
    }
  }
  cri_pop(work, mark);
  return CR_OK;
}

// p: forces on the way up, motions on the way down
static void solve_run(const cr_model* m, const cr_real* cdof, const cr_real* U, const cr_real* Dinv,
                      cr_run dofs, cr_real* x, cr_real* p) {
  const int32_t* parentid = m->dof_parentid;
  cr_zero(p + 6 * dofs.begin, 6 * (dofs.end - dofs.begin));
  // [articulated.a4] y_i = tau_i - s_i . p_i, p_parent += p_i + U_i y_i
  for (int i = dofs.end - 1; i >= dofs.begin; i--) {
    const cr_real* pi = p + 6 * i;
    cr_real y = less_dot6(x[i], cdof + 6 * i, pi);
    x[i] = Dinv[i] * y;
    if (parentid[i] >= 0) {
      cr_real* to = p + 6 * parentid[i];
      for (int k = 0; k < 6; k++) {
        to[k] = (to[k] + pi[k]) + U[6 * i + k] * y;
      }
    }
  }
  // [articulated.a5] x_i = y_i / D_i - U_i . a_parent, a_i = a_parent + s_i x_i
  for (int i = dofs.begin; i < dofs.end; i++) {
    cr_real a[6] = {0};
    if (parentid[i] >= 0) {
      cr_copy6(a, p + 6 * parentid[i]);
      x[i] = less_dot6(x[i], U + 6 * i, a);
    }
    cr_accscl6(a, cdof + 6 * i, x[i]);
    cr_copy6(p + 6 * i, a);
  }
}

void cri_articulated_solve_part(const cr_model* m, const cr_real* cdof, const cr_real* U,
                                const cr_real* Dinv, cr_runs trees, cr_real* x, cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* p = cri_push(work, 6 * (size_t)m->nv);
  for (int r = 0; r < trees.n; r++) {
    solve_run(m, cdof, U, Dinv, trees.run[r], x, p);
  }
  cri_pop(work, mark);
}

void cri_articulated_solve(const cr_model* m, const cr_real* cdof, const cr_real* U,
                           const cr_real* Dinv, cr_real* x, cr_data* work) {
  cr_run all = {0, m->nv};
  cri_articulated_solve_part(m, cdof, U, Dinv, (cr_runs){1, &all}, x, work);
}
