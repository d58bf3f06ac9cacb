// SPDX-License-Identifier: Apache-2.0
// Steps on the configuration manifold and their derivatives: loops over joints.
#include "kinematics/configuration.h"

#include "kinematics/joint.h"
#include "math/quat.h"

// ---- moves

void cri_configuration_move(const cr_model* m, const cr_real* qpos, const cr_real* v, cr_real h,
                            cr_real* next) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    // [runge_kutta.i1] q+ = q + h v
    for (int k = 0; k < p.nflat; k++) {
      next[p.q + k] = qpos[p.q + k] + h * v[p.v + k];
    }
    // [runge_kutta.i1] q+ = q exp(h w / 2)
    if (p.rotates) {
      cr_real* q = next + p.q + p.nflat;
      cr_real turned[4];
      cr_copy(turned, qpos + p.q + p.nflat, 4);
      cr_quat_integrate(turned, v + p.v + p.nflat, h);
      cr_copy(q, turned, 4);
    }
  }
}

// E = exp([h w]x) and Jr at h w
static void move_jacobians(const cr_real w[3], cr_real h, cr_real E[9], cr_real Jr[9]) {
  cr_real r[3], turn[4] = {1, 0, 0, 0};
  cr_scl3(r, w, h);
  cr_quat_integrate(turn, w, h);
  cr_quat_to_mat(E, turn);
  cr_so3_jr(Jr, r);
}

void cri_configuration_move_jvp(const cr_model* m, const cr_real* v, cr_real h,
                                const cr_real* qpos_tan, const cr_real* v_tan, cr_real* next_tan) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    // [runge_kutta.i1]
    for (int i = p.v; i < p.v + p.nflat; i++) {
      next_tan[i] = qpos_tan[i] + h * v_tan[i];
    }
    if (p.rotates) {
      int i = p.v + p.nflat;
      cr_real E[9], Jr[9], moved[3], turned[3];
      move_jacobians(v + i, h, E, Jr);
      cr_multmat3(moved, E, qpos_tan + i);
      cr_mulmat3(turned, Jr, v_tan + i);
      cr_copy3(next_tan + i, moved);
      cr_accscl3(next_tan + i, turned, h);
    }
  }
}

void cri_configuration_move_vjp(const cr_model* m, const cr_real* v, cr_real h,
                                const cr_real* next_bar, cr_real* qpos_bar, cr_real* v_bar) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    // [runge_kutta.i1]'
    for (int i = p.v; i < p.v + p.nflat; i++) {
      qpos_bar[i] += next_bar[i];
      v_bar[i] += h * next_bar[i];
    }
    if (p.rotates) {
      int i = p.v + p.nflat;
      cr_real E[9], Jr[9], turned[3];
      move_jacobians(v + i, h, E, Jr);
      cr_accmat3(qpos_bar + i, E, next_bar + i);
      cr_multmat3(turned, Jr, next_bar + i);
      cr_accscl3(v_bar + i, turned, h);
    }
  }
}

// ---- rates

// c of [runge_kutta.i2] and c'(t) / t. Below the bound the series (|B_2k| / (2k)! are its coefficients) are
// exact to the last bit and the closed form of c'/t, a difference of 2 / t^4, is not.
static void rate_coefficients(cr_real tt, cr_real* c, cr_real* dc) {
  static const cr_real series[] = {CR_R(1.0) / 12,
                                   CR_R(1.0) / 720,
                                   CR_R(1.0) / 30240,
                                   CR_R(1.0) / 1209600,
                                   CR_R(1.0) / 47900160,
                                   CR_R(691.0) / CR_R(1307674368000.0),
                                   CR_R(1.0) / CR_R(74724249600.0),
                                   CR_R(3617.0) / CR_R(10670622842880000.0)};
  enum { N = sizeof series / sizeof *series };
  if (tt < CR_R(0.09)) {
    *c = *dc = 0;
    for (int k = N - 1; k >= 0; k--) {
      *c = *c * tt + series[k];
      *dc = k == 0 ? *dc : *dc * tt + 2 * (cr_real)k * series[k];
    }
    return;
  }
  cr_real t = cr_sqrt(tt), s = cr_sin(t / 2), cot = cr_cos(t / 2) / s;
  *c = 1 / tt - cot / (2 * t);
  *dc = -2 / (tt * tt) + cot / (2 * t * tt) + 1 / (4 * tt * s * s);
}

// all quantities of one rotation: r within half a turn, r x w, r x (r x w), the coefficients
typedef struct {
  cr_real r[3], rw[3], rrw[3], c, dc;
  cr_real axis[3], angle, spare;  // of r as given; the angle of whole turns taken off it
} turn;

// [runge_kutta.i3] r -> r - 2 pi k r / |r|, the same rotation by at most half a turn
static void reduce(turn* s, const cr_real r[3]) {
  cr_copy3(s->r, r);
  cr_copy3(s->axis, r);
  s->angle = cr_normalize3(s->axis);
  s->spare = s->angle > CR_PI ? 2 * CR_PI * CR_FN(floor)(s->angle / (2 * CR_PI) + CR_R(0.5)) : 0;
  cr_accscl3(s->r, s->axis, -s->spare);
}

// tangent of [runge_kutta.i3], r' - 2 pi k (axis)'; a symmetric map, so its own transpose
static void reduce_tan(const turn* s, const cr_real r_tan[3], cr_real reduced[3]) {
  cr_copy3(reduced, r_tan);
  if (s->spare > 0) {
    cr_real axis_tan[3];
    cr_normalize3_tan(axis_tan, s->axis, s->angle, r_tan);
    cr_accscl3(reduced, axis_tan, -s->spare);
  }
}

static turn turn_of(const cr_real r[3], const cr_real w[3]) {
  turn s;
  reduce(&s, r);
  cr_cross3(s.rw, s.r, w);
  cr_cross3(s.rrw, s.r, s.rw);
  rate_coefficients(cr_dot3(s.r, s.r), &s.c, &s.dc);
  return s;
}

// [runge_kutta.i2] Jr^-1(r) w, and its transpose Jr^-1(-r) w
static void turn_rate(cr_real rate[3], const turn* s, const cr_real w[3]) {
  cr_copy3(rate, w);
  cr_accscl3(rate, s->rw, CR_R(0.5));
  cr_accscl3(rate, s->rrw, s->c);
}

// r' x w / 2 + c (r' x (r x w) + r x (r' x w)) + c' (r . r') / t r x (r x w), then Jr^-1 w'
static void turn_rate_jvp(cr_real rate_tan[3], const cr_real r[3], const cr_real w[3],
                          const cr_real r_tan[3], const cr_real w_tan[3]) {
  turn s = turn_of(r, w), along = turn_of(r, w_tan);
  cr_real dr[3], dw[3], twice[3];
  turn_rate(rate_tan, &along, w_tan);
  reduce_tan(&s, r_tan, dr);
  cr_cross3(dw, dr, w);
  cr_cross3(twice, dr, s.rw);
  cr_acccross3(twice, s.r, dw);
  cr_accscl3(rate_tan, dw, CR_R(0.5));
  cr_accscl3(rate_tan, twice, s.c);
  cr_accscl3(rate_tan, s.rrw, s.dc * cr_dot3(s.r, dr));
}

static void turn_rate_vjp(const cr_real r[3], const cr_real w[3], const cr_real rate_bar[3],
                          cr_real r_bar[3], cr_real w_bar[3]) {
  cr_real back[3], w_add[3], wb[3], twice[3], br[3], dr[3];
  turn s = turn_of(r, w);
  cr_scl3(back, r, -1);
  turn transposed = turn_of(back, rate_bar);
  turn_rate(w_add, &transposed, rate_bar);
  cr_acc3(w_bar, w_add);
  // w x b / 2 + c ((r x w) x b + w x (b x r)) + c' / t (r x (r x w) . b) r
  cr_cross3(wb, w, rate_bar);
  cr_cross3(br, rate_bar, s.r);
  cr_cross3(twice, s.rw, rate_bar);
  cr_acccross3(twice, w, br);
  cr_scl3(dr, wb, CR_R(0.5));
  cr_accscl3(dr, twice, s.c);
  cr_accscl3(dr, s.r, s.dc * cr_dot3(s.rrw, rate_bar));
  cr_real reduced[3];
  reduce_tan(&s, dr, reduced);
  cr_acc3(r_bar, reduced);
}

void cri_configuration_rate(const cr_model* m, const cr_real* r, const cr_real* v, cr_real* rate) {
  cr_copy(rate, v, m->nv);
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    // [runge_kutta.i2] rate = Jr^-1(r) w
    if (p.rotates) {
      int i = p.v + p.nflat;
      turn s = turn_of(r + i, v + i);
      turn_rate(rate + i, &s, v + i);
    }
  }
}

void cri_configuration_rate_jvp(const cr_model* m, const cr_real* r, const cr_real* v,
                                const cr_real* r_tan, const cr_real* v_tan, cr_real* rate_tan) {
  cr_copy(rate_tan, v_tan, m->nv);
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    // [runge_kutta.i2]
    if (p.rotates) {
      int i = p.v + p.nflat;
      turn_rate_jvp(rate_tan + i, r + i, v + i, r_tan + i, v_tan + i);
    }
  }
}

void cri_configuration_rate_vjp(const cr_model* m, const cr_real* r, const cr_real* v,
                                const cr_real* rate_bar, cr_real* r_bar, cr_real* v_bar) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    for (int i = p.v; i < p.v + p.nflat; i++) {
      v_bar[i] += rate_bar[i];
    }
    // [runge_kutta.i2]'
    if (p.rotates) {
      int i = p.v + p.nflat;
      turn_rate_vjp(r + i, v + i, rate_bar + i, r_bar + i, v_bar + i);
    }
  }
}
