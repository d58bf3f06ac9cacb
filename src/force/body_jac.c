// SPDX-License-Identifier: Apache-2.0
// The bodies behind a dof need two motions of its displacement, nu and pi, which are the same
// for all of them. So only sums over subtrees remain to be made.
#include "force/body_jac.h"

#include "force/fluid.h"
#include "force/newton_euler.h"
#include "force/passive.h"
#include "kinematics/tree.h"

// Quantities that add up over subtrees.
typedef struct {
  cr_real* F;  // force, 6 a body
  cr_real* I;  // inertia, 10
  cr_real* Q;  // [step_jacobian.y2], 36; NULL at rest
  cr_real*
      T;  // [step_jacobian.y5], 18: moment and force per turn; NULL if no force acts from outside
} subtrees;

// [step_jacobian.y1] 6 a dof; NULL if there are none
typedef struct {
  cr_real *nu, *pi, *rate;
} motions;

// ---- [step_jacobian.y1]

static motions motions_of(const cr_model* m, const cr_data* d, const cri_rigid_transport* c,
                          const cr_real* A, cr_data* work) {
  size_t n = 6 * (size_t)m->nv;
  motions x = {cri_push(work, n), cri_push(work, n), cri_push(work, n)};
  for (int i = 0; i < m->nv; i++) {
    const cr_real *S = d->cdof + 6 * i, *V = c->V + 6 * i;
    cr_real dragged[6];
    cr_cross_motion(x.nu + 6 * i, V, S);
    cr_cross_motion(x.pi + 6 * i, A + 6 * i, S);
    cr_cross_motion(dragged, V, x.nu + 6 * i);
    cr_acc6(x.pi + 6 * i, dragged);
    cri_rigid_transport_rate(m, d, c, i, x.rate + 6 * i);
  }
  return x;
}

// A of bodies, and in front of dofs: B with the parts of velocities and gravity
static void accelerations(const cr_model* m, const cr_data* d, const cri_rigid_transport* c,
                          cr_real* A, cr_real* body_A) {
  cr_real world[6] = {0};
  if ((m->disableflags & CR_DSBL_GRAVITY) == 0) {
    cr_scl3(world + 3, m->gravity, -1);
  }
  cri_rigid_transport_sums(m, d->cdof_dot, d->qvel, world, A, body_A);
  for (int k = 0; k < 6 * m->nv; k++) {
    A[k] += c->B[k];
  }
  for (int k = 0; k < 6 * m->nbody; k++) {
    body_A[k] += c->body_B[k];
  }
}

// ---- [step_jacobian.y5] outer forces

// force and torque on body b at its centre of mass
static bool outer_force(const cr_model* m, const cr_data* d, bool compensates, int b,
                        cr_real x[6]) {
  cr_copy6(x, d->xfrc_applied + 6 * b);
  if (compensates) {
    cr_accscl3(x, m->gravity, -m->body_mass[b] * m->body_gravcomp[b]);
  }
  return !cr_is_zero(x, 6);
}

// F -= (n + r x f, f); T: w -> (w x n + r x (w x f), w x f)
static void add_outer(const cr_model* m, const cr_data* d, int b, const cr_real x[6], cr_real F[6],
                      cr_real T[18]) {
  cr_real r[3], moment[3];
  cr_sub3(r, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
  cr_cross3(moment, r, x);
  for (int k = 0; k < 3; k++) {
    F[k] -= x[3 + k] + moment[k];
    F[3 + k] -= x[k];
  }
  for (int j = 0; j < 3; j++) {
    cr_real w[3] = {j == 0, j == 1, j == 2}, turn[6];
    cr_cross3(turn + 3, w, x);
    cr_cross3(turn, w, x + 3);
    cr_acccross3(turn, r, turn + 3);
    for (int i = 0; i < 6; i++) {
      T[3 * i + j] += turn[i];
    }
  }
}

static bool any_outer(const cr_model* m, const cr_data* d, bool compensates) {
  cr_real x[6];
  for (int b = 1; b < m->nbody; b++) {
    if (outer_force(m, d, compensates, b, x)) {
      return true;
    }
  }
  return false;
}

static void outer_forces(const cr_model* m, const cr_data* d, bool compensates, subtrees* s) {
  for (int b = 1; b < m->nbody; b++) {
    cr_real x[6];
    if (outer_force(m, d, compensates, b, x)) {
      add_outer(m, d, b, x, s->F + 6 * b, s->T + 18 * b);
    }
  }
}

// ---- [step_jacobian.y7] a medium: its forces are carried along with the body, except for the wind

static void medium(const cr_model* m, const cr_data* d, const subtrees* s, cr_data* work) {
  size_t mark = cri_mark(work), n = (size_t)m->nbody;
  cr_real *F = cri_push(work, 6 * n), *K = cri_push(work, 36 * n);
  bool* symmetric = (bool*)(void*)cri_push_int(work, n);
  memset(symmetric, 0, n * sizeof *symmetric);
  cri_fluid_forces(m, d, F);
  cri_fluid_qderiv(m, d, (cri_fluid_part){.symmetric = symmetric}, K);
  for (int b = 1; b < m->nbody; b++) {
    cr_accscl6(s->F + 6 * b, F + 6 * b, -1);
    for (int k = 0; k < 36; k++) {
      s->Q[36 * b + k] -= K[36 * b + k];
    }
    for (int j = 0; j < 3; j++) {
      cr_real w[3] = {j == 0, j == 1, j == 2}, felt[3];
      cr_cross3(felt, w, m->wind);
      for (int i = 0; i < 6; i++) {
        s->T[18 * b + 3 * i + j] -= cr_dot3(K + 36 * b + 6 * i + 3, felt);
      }
    }
  }
  cri_pop(work, mark);
}

// ---- [step_jacobian.y3], [step_jacobian.y4]

// (I x, Q' x, T' x) for the effect of ancestors on dof i; and the effect of dof i on those
static void write_chain(const cr_model* m, const cr_data* d, const subtrees* s, const motions* x,
                        cri_columns columns, cr_real sign, int i) {
  int b = m->dof_bodyid[i], first = cri_rigid_transport_first(m, i);
  const cr_real *S = d->cdof + 6 * i, *I = s->I + 10 * b;
  cr_real IS[6], SQ[6] = {0}, ST[3] = {0}, by_q[6], by_v[6] = {0}, carried[6];
  cr_inertia_mul(IS, I, S);
  cr_inertia_mul(by_q, I, x->pi + 6 * i);
  if (s->Q != NULL) {
    const cr_real* Q = s->Q + 36 * b;
    cr_inertia_mul(by_v, I, x->rate + 6 * i);
    for (int k = 0; k < 6; k++) {
      cr_accscl6(SQ, Q + 6 * k, S[k]);
      by_q[k] += cr_dot6(Q + 6 * k, x->nu + 6 * i);
      by_v[k] += cr_dot6(Q + 6 * k, S);
    }
  }
  if (s->T != NULL) {
    const cr_real* T = s->T + 18 * b;
    for (int k = 0; k < 6; k++) {
      cr_accscl3(ST, T + 3 * k, S[k]);
      by_q[k] += cr_dot3(T + 3 * k, S);
    }
  }
  cr_cross_force(carried, S, s->F + 6 * b);
  cr_acc6(carried, by_q);
  cr_real *q_row = columns.q + (ptrdiff_t)i * columns.ld, *v_row = columns.v;
  v_row += (ptrdiff_t)i * columns.ld;
  for (int j = i; j >= 0; j = m->dof_parentid[j]) {
    const cr_real* Sj = d->cdof + 6 * j;
    ptrdiff_t above = (ptrdiff_t)j * columns.ld + i;
    q_row[j] += sign * (cr_dot6(IS, x->pi + 6 * j) + cr_dot3(ST, Sj));
    if (s->Q != NULL) {
      q_row[j] += sign * cr_dot6(SQ, x->nu + 6 * j);
      v_row[j] += sign * (cr_dot6(IS, x->rate + 6 * j) + cr_dot6(SQ, Sj));
    }
    if (j < i) {
      columns.q[above] += sign * cr_dot6(Sj, j >= first ? by_q : carried);
      columns.v[above] += s->Q != NULL ? sign * cr_dot6(Sj, by_v) : 0;
    }
  }
}

void cri_body_jac(const cr_model* m, const cr_data* d, const cri_rigid_transport* carried,
                  cr_real scale, cri_columns columns, cr_data* work) {
  size_t mark = cri_mark(work), n = (size_t)m->nbody;
  bool compensates = cri_gravcomp_acts(m);
  cr_real *A = cri_push(work, 6 * (size_t)m->nv), *body_A = cri_push(work, 6 * n);
  accelerations(m, d, carried, A, body_A);
  motions x = motions_of(m, d, carried, A, work);
  subtrees s = {cri_push(work, 6 * n), cri_push(work, 10 * n), cri_push(work, 36 * n), NULL};
  cr_zero6(s.F);
  for (int b = 1; b < m->nbody; b++) {
    const cr_real* I = d->cinert + 10 * b;
    // [step_jacobian.y2]
    cri_newton(s.F + 6 * b, I, body_A + 6 * b, carried->body_V + 6 * b);
    cri_newton_slope(I, carried->body_V + 6 * b, s.Q + 36 * b);
  }
  cr_copy(s.I, d->cinert, 10 * m->nbody);
  if (any_outer(m, d, compensates) || cri_fluid_acts(m)) {
    s.T = cri_push(work, 18 * n);
    cr_zero(s.T, 18 * m->nbody);
    outer_forces(m, d, compensates, &s);
    if (cri_fluid_acts(m)) {
      medium(m, d, &s, work);
    }
    cri_tree_gather(m, s.T, 18);
  }
  cri_tree_gather(m, s.F, 6);
  cri_tree_gather(m, s.I, 10);
  cri_tree_gather(m, s.Q, 36);
  for (int i = 0; i < m->nv; i++) {
    write_chain(m, d, &s, &x, columns, -scale, i);
  }
  cri_pop(work, mark);
}

void cri_inertia_jac(const cr_model* m, const cr_data* d, const cr_real* y, cri_columns columns,
                     cr_data* work) {
  size_t mark = cri_mark(work), n = (size_t)m->nbody, v = 6 * (size_t)m->nv;
  const cr_real rest[6] = {0};
  cr_real *before = cri_push(work, v), *behind = cri_push(work, 6 * n);
  motions x = {NULL, cri_push(work, v), NULL};
  subtrees s = {cri_push(work, 6 * n), cri_push(work, 10 * n), NULL, NULL};
  cri_rigid_transport_sums(m, d->cdof, y, rest, before, behind);
  for (int i = 0; i < m->nv; i++) {
    cr_cross_motion(x.pi + 6 * i, before + 6 * i, d->cdof + 6 * i);
  }
  cr_copy(s.I, d->cinert, 10 * m->nbody);
  for (int b = 0; b < m->nbody; b++) {
    cr_inertia_mul(s.F + 6 * b, s.I + 10 * b, behind + 6 * b);
  }
  cri_tree_gather(m, s.F, 6);
  cri_tree_gather(m, s.I, 10);
  for (int i = 0; i < m->nv; i++) {
    write_chain(m, d, &s, &x, columns, 1, i);
  }
  cri_pop(work, mark);
}
