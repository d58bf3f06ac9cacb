// SPDX-License-Identifier: Apache-2.0
// Hermite polynomials about a uniform motion, on the configuration manifold.
#include "integrate/dense.h"

#include "carom/state.h"
#include "kinematics/configuration.h"
#include "kinematics/joint.h"
#include "math/vec3.h"

// y += u x w for every orientation
static void add_cross(const cr_model* m, const cr_real* u, const cr_real* w, cr_real* y) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    int i = p.v + p.nflat;
    if (p.rotates) {
      cr_acccross3(y + i, u + i, w + i);
    }
  }
}

// the conditions on p: p and its derivatives at the end, those at the start, where p = 0
typedef struct {
  cr_real *W, *v0, *a0, *p1, *v1, *a1;
} ends;

// [adjoint.d1] solved for p' and p'' at the start: p' = v - W, p'' = v' + p' x W
static void meet_start(const cr_model* m, const cri_node* a, ends* e) {
  for (int i = 0; i < m->nv; i++) {
    e->v0[i] = a->state.qvel.x[i] - e->W[i];
    e->a0[i] = a->rate.qvel.x[i];
  }
  add_cross(m, e->v0, e->W, e->a0);
}

// ... and at the end: p' = Jr^-1(p) u, u = v - exp(-p) W; p'' from u' = v' + u x exp(-p) W
static void meet_end(const cr_model* m, const cri_node* b, const cr_real* qpos, ends* e,
                     cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real* u = cri_push(d, (size_t)m->nv);
  cr_real* turned = cri_push(d, (size_t)m->nv);
  cr_real* du = cri_push(d, (size_t)m->nv);
  (void)cr_differentiate_pos(m, e->p1, 1, qpos, b->state.qpos.x, NULL);
  cr_zero(u, m->nv);
  cri_configuration_move_jvp(m, e->p1, 1, e->W, u, turned);
  for (int i = 0; i < m->nv; i++) {
    u[i] = b->state.qvel.x[i] - turned[i];
    du[i] = b->rate.qvel.x[i];
  }
  add_cross(m, u, turned, du);
  cri_configuration_rate(m, e->p1, u, e->v1);
  cri_configuration_rate_jvp(m, e->p1, u, e->v1, du, e->a1);
  cri_pop(d, mark);
}

// p and p' at s, a fraction of the step h
static void quintic(const ends* e, cr_real h, cr_real s, int n, cr_real* p, cr_real* rate) {
  cr_real s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s, half = CR_R(0.5);
  const cr_real at[] = {h * (s - 6 * s3 + 8 * s4 - 3 * s5),
                        h * h * half * (s2 - 3 * s3 + 3 * s4 - s5), 10 * s3 - 15 * s4 + 6 * s5,
                        h * (-4 * s3 + 7 * s4 - 3 * s5), h * h * half * (s3 - 2 * s4 + s5)};
  const cr_real slope[] = {1 - 18 * s2 + 32 * s3 - 15 * s4,
                           h * half * (2 * s - 9 * s2 + 12 * s3 - 5 * s4),
                           (30 * s2 - 60 * s3 + 30 * s4) / h, -12 * s2 + 28 * s3 - 15 * s4,
                           h * half * (3 * s2 - 8 * s3 + 5 * s4)};
  const cr_real* const given[] = {e->v0, e->a0, e->p1, e->v1, e->a1};
  cr_zero(p, n);
  cr_zero(rate, n);
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < n; i++) {
      p[i] += at[k] * given[k][i];
      rate[i] += slope[k] * given[k][i];
    }
  }
}

// [adjoint.d2]
static cr_real cubic(cr_real h, cr_real s, cr_real y0, cr_real rate0, cr_real y1, cr_real rate1) {
  cr_real s2 = s * s, s3 = s2 * s;
  return y0 + (y1 - y0) * (3 * s2 - 2 * s3) + h * (s - 2 * s2 + s3) * rate0 + h * (s3 - s2) * rate1;
}

void cri_dense_at(const cr_model* m, const cri_node* a, const cri_node* b, cr_real t, cr_data* d) {
  size_t mark = cri_mark(d), nv = (size_t)m->nv;
  cr_real h = b->time - a->time, s = (t - a->time) / h;
  cr_real* qpos = cri_push(d, (size_t)m->nq);
  cr_real* p = cri_push(d, nv);
  cr_real* rate = cri_push(d, nv);
  ends e = {.W = cri_push(d, nv),
            .v0 = cri_push(d, nv),
            .a0 = cri_push(d, nv),
            .p1 = cri_push(d, nv),
            .v1 = cri_push(d, nv),
            .a1 = cri_push(d, nv)};
  for (int i = 0; i < m->nv; i++) {
    e.W[i] = (a->state.qvel.x[i] + b->state.qvel.x[i]) / 2;
  }
  meet_start(m, a, &e);
  cri_configuration_move(m, a->state.qpos.x, e.W, h, qpos);
  meet_end(m, b, qpos, &e, d);
  quintic(&e, h, s, m->nv, p, rate);
  // [adjoint.d1]
  cri_configuration_move(m, a->state.qpos.x, e.W, t - a->time, qpos);
  cri_configuration_move(m, qpos, p, 1, d->qpos);
  cri_configuration_move_jvp(m, p, 1, e.W, rate, d->qvel);
  // [adjoint.d2]
  const cri_state to = cri_state_of(m, d);
  for (int k = CRI_STATE_qvel + 1; k < CRI_N_STATE; k++) {
    const cr_real *y0 = a->state.part[k].x, *y1 = b->state.part[k].x;
    const cr_real *rate0 = a->rate.part[k].x, *rate1 = b->rate.part[k].x;
    for (int i = 0; i < to.part[k].n; i++) {
      to.part[k].x[i] = cubic(h, s, y0[i], rate0[i], y1[i], rate1[i]);
    }
  }
  d->time = t;
  cri_pop(d, mark);
}
