// SPDX-License-Identifier: Apache-2.0
// A slider-crank: one length as a function of a vector and an axis, and the row made by its two
// gradients.
#include "transmission/transmission_slidercrank.h"

#include "kinematics/relative_chain.h"
#include "math/spatial.h"

typedef struct {
  int out, site[2], body[2];  // pin of the crank, slider
  cr_real gear, v[3], a[3];
  cr_real p, s, k;  // s = 0 if the rod does not reach, then k = 1
} crank;

// [transmission.c1], [transmission.c2]
static crank crank_of(const cr_model* m, const cr_data* d, int i) {
  crank c = {.out = m->actuator_outadr[i],
             .site = {m->actuator_trnid[2 * i], m->actuator_trnid[2 * i + 1]},
             .s = 0,
             .k = 1};
  c.body[0] = m->site_bodyid[c.site[0]];
  c.body[1] = m->site_bodyid[c.site[1]];
  c.gear = m->actuator_gear[6 * c.out];
  cr_sub3(c.v, d->site_xpos + 3 * c.site[0], d->site_xpos + 3 * c.site[1]);
  cr_col3(c.a, d->site_xmat + 9 * c.site[1], 2);
  c.p = cr_dot3(c.v, c.a);
  cr_real r = m->actuator_cranklength[i], square = c.p * c.p + r * r - cr_dot3(c.v, c.v);
  if (square > 0) {
    c.s = cr_sqrt(square);
    c.k = 1 - c.p / c.s;
  }
  return c;
}

// [transmission.c3]
static void force_and_torque(const crank* c, cr_real f[3], cr_real t[3]) {
  cr_scl3(f, c->a, c->k);
  if (c->s > 0) {
    cr_accscl3(f, c->v, 1 / c->s);
  }
  cr_cross3(t, c->a, c->v);
  cr_scl3(t, t, c->k);
}

// [transmission.c4] without the gear
static void forces(const cr_model* m, const cr_data* d, const crank* c, const cr_real f[3],
                   const cr_real t[3], cr_real F[2][6]) {
  const cr_real none[3] = {0};
  cr_real back[3];
  cr_scl3(back, f, -1);
  cri_relative_chain_force(m, d, c->body[0], d->site_xpos + 3 * c->site[0], none, f, F[0]);
  cri_relative_chain_force(m, d, c->body[1], d->site_xpos + 3 * c->site[1], t, back, F[1]);
}

static void scale(cr_real F[2][6], cr_real s) {
  for (int k = 0; k < 6; k++) {
    F[0][k] *= s;
    F[1][k] *= s;
  }
}

void cri_transmission_slidercrank(const cr_model* m, cr_data* d, int i) {
  crank c = crank_of(m, d, i);
  cr_real f[3], t[3], F[2][6];
  force_and_torque(&c, f, t);
  forces(m, d, &c, f, t, F);
  scale(F, c.gear);
  cri_relative_chain_row(m, d, c.out, c.body, F);
  d->actuator_length[c.out] = c.gear * (c.p - c.s);
}

// tangents of force, torque and p - s
static cr_real crank_tan(const cr_model* m, const crank* c, const cr_data* tan, int i,
                         cr_real f_tan[3], cr_real t_tan[3]) {
  cr_real v_tan[3], a_tan[3], s_tan = 0, k_tan = 0, turned[3];
  cr_sub3(v_tan, tan->site_xpos + 3 * c->site[0], tan->site_xpos + 3 * c->site[1]);
  cr_col3(a_tan, tan->site_xmat + 9 * c->site[1], 2);
  cr_real p_tan = cr_dot3(v_tan, c->a) + cr_dot3(c->v, a_tan);
  if (c->s > 0) {
    // [transmission.c2] s' = (p p' + r r' - v . v') / s, k' = (p s' / s - p') / s
    cr_real r_tan = cri_par_tan(tan->par.actuator_cranklength, i, 1)[0];
    s_tan = c->p * p_tan + m->actuator_cranklength[i] * r_tan - cr_dot3(c->v, v_tan);
    s_tan /= c->s;
    k_tan = (c->p * s_tan / c->s - p_tan) / c->s;
  }
  // [transmission.c3]
  cr_scl3(f_tan, a_tan, c->k);
  cr_accscl3(f_tan, c->a, k_tan);
  if (c->s > 0) {
    cr_accscl3(f_tan, v_tan, 1 / c->s);
    cr_accscl3(f_tan, c->v, -s_tan / (c->s * c->s));
  }
  cr_cross3(t_tan, a_tan, c->v);
  cr_acccross3(t_tan, c->a, v_tan);
  cr_scl3(t_tan, t_tan, c->k);
  cr_cross3(turned, c->a, c->v);
  cr_accscl3(t_tan, turned, k_tan);
  return p_tan - s_tan;
}

void cri_transmission_slidercrank_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  crank c = crank_of(m, d, i);
  cr_real f[3], t[3], f_tan[3], t_tan[3], F[2][6], F_tan[2][6];
  cr_real gear_tan = cri_par_tan(tan->par.actuator_gear, c.out, 6)[0];
  force_and_torque(&c, f, t);
  cr_real stroke_tan = crank_tan(m, &c, tan, i, f_tan, t_tan);
  // [transmission.c4]
  forces(m, d, &c, f, t, F);
  forces(m, d, &c, f_tan, t_tan, F_tan);
  for (int k = 0; k < 2; k++) {
    cr_real arm_tan[3], moment[3];
    cr_sub3(arm_tan, tan->site_xpos + 3 * c.site[k], cri_relative_chain_com(m, tan, c.body[k]));
    cr_cross3(moment, arm_tan, f);
    cr_accscl3(F_tan[k], moment, k == 0 ? 1 : -1);
  }
  scale(F_tan, c.gear);
  for (int k = 0; k < 6; k++) {
    F_tan[0][k] += gear_tan * F[0][k];
    F_tan[1][k] += gear_tan * F[1][k];
  }
  scale(F, c.gear);
  cri_relative_chain_row_jvp(m, d, tan, c.out, c.body, F, F_tan);
  tan->actuator_length[c.out] = gear_tan * (c.p - c.s) + c.gear * stroke_tan;
}

// [transmission.c3]' to [transmission.c1]' from the cotangents of force, torque and p - s
static void crank_bar(const cr_model* m, const crank* c, cr_data* bar, int i,
                      const cr_real f_bar[3], const cr_real t_bar[3], cr_real stroke_bar) {
  cr_real v_bar[3], a_bar[3], axb[3], p_bar = stroke_bar;
  // [transmission.c3]'
  cr_cross3(axb, c->a, c->v);
  cr_real k_bar = cr_dot3(f_bar, c->a) + cr_dot3(t_bar, axb);
  cr_scl3(a_bar, f_bar, c->k);
  cr_cross3(axb, c->v, t_bar);
  cr_accscl3(a_bar, axb, c->k);
  cr_cross3(v_bar, t_bar, c->a);
  cr_scl3(v_bar, v_bar, c->k);
  if (c->s > 0) {
    cr_accscl3(v_bar, f_bar, 1 / c->s);
    // [transmission.c2]'
    cr_real s_bar = -stroke_bar + (k_bar * c->p - cr_dot3(f_bar, c->v)) / (c->s * c->s);
    p_bar += (s_bar * c->p - k_bar) / c->s;
    cr_accscl3(v_bar, c->v, -s_bar / c->s);
    if (bar->par.actuator_cranklength != NULL) {
      bar->par.actuator_cranklength[i] += s_bar * m->actuator_cranklength[i] / c->s;
    }
  }
  // [transmission.c1]'
  cr_accscl3(v_bar, c->a, p_bar);
  cr_accscl3(a_bar, c->v, p_bar);
  cr_acc3(bar->site_xpos + 3 * c->site[0], v_bar);
  cr_accscl3(bar->site_xpos + 3 * c->site[1], v_bar, -1);
  cr_acccol3(bar->site_xmat + 9 * c->site[1], a_bar, 2);
}

void cri_transmission_slidercrank_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i) {
  crank c = crank_of(m, d, i);
  cr_real f[3], t[3], F[2][6], F_bar[2][6] = {{0}}, length_bar = bar->actuator_length[c.out];
  force_and_torque(&c, f, t);
  forces(m, d, &c, f, t, F);
  // [transmission.c4]' cdof's part with the gear
  cr_real unit[2][6];
  memcpy(unit, F, sizeof unit);
  scale(F, c.gear);
  cri_relative_chain_row_vjp(m, d, bar, c.out, c.body, F, F_bar);
  if (bar->par.actuator_gear != NULL) {
    bar->par.actuator_gear[6 * c.out] +=
        cr_dot6(unit[0], F_bar[0]) + cr_dot6(unit[1], F_bar[1]) + length_bar * (c.p - c.s);
  }
  scale(F_bar, c.gear);
  cr_real f_bar[3] = {0}, back_bar[3] = {0}, t_bar[3] = {0}, unused[3] = {0}, back[3];
  cr_scl3(back, f, -1);
  cri_relative_chain_force_vjp(m, d, bar, c.body[0], d->site_xpos + 3 * c.site[0], f, F_bar[0],
                               unused, f_bar, bar->site_xpos + 3 * c.site[0]);
  cri_relative_chain_force_vjp(m, d, bar, c.body[1], d->site_xpos + 3 * c.site[1], back, F_bar[1],
                               t_bar, back_bar, bar->site_xpos + 3 * c.site[1]);
  cr_sub3(f_bar, f_bar, back_bar);
  crank_bar(m, &c, bar, i, f_bar, t_bar, c.gear * length_bar);
}
