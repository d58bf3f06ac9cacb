// SPDX-License-Identifier: Apache-2.0
// A row is made of at most two spatial forces, one a body; only these depend on poses.
#include "transmission/transmission_site.h"

#include "kinematics/relative_chain.h"
#include "math/quat.h"
#include "math/spatial.h"

// the current actuator: site, reference (-1 none), the site whose frame counts
typedef struct {
  int out, n;  // n: bodies
  int site[2], frame;
  int body[2];
  const cr_real* gear;
} grip;

static grip grip_of(const cr_model* m, int i) {
  int out = m->actuator_outadr[i], site = m->actuator_trnid[2 * i];
  int reference = m->actuator_trnid[2 * i + 1];
  grip g = {.out = out,
            .n = reference < 0 ? 1 : 2,
            .site = {site, reference},
            .frame = reference < 0 ? site : reference,
            .gear = m->actuator_gear + 6 * out};
  g.body[0] = m->site_bodyid[site];
  g.body[1] = reference < 0 ? 0 : m->site_bodyid[reference];
  return g;
}

// ---- forces

// [transmission.s1] f = R g_012, t = R g_345
static void force_and_torque(const grip* g, const cr_real* R, cr_real f[3], cr_real t[3]) {
  cr_mulmat3(f, R, g->gear);
  cr_mulmat3(t, R, g->gear + 3);
}

// [transmission.s2] F_0 on the site's body, F_1 in reverse on the reference's
static void forces(const cr_model* m, const cr_data* d, const grip* g, const cr_real f[3],
                   const cr_real t[3], cr_real F[2][6]) {
  for (int k = 0; k < g->n; k++) {
    cr_real away[3], back[3], sign = k == 0 ? 1 : -1;
    cr_scl3(away, f, sign);
    cr_scl3(back, t, sign);
    cri_relative_chain_force(m, d, g->body[k], d->site_xpos + 3 * g->site[k], back, away, F[k]);
  }
}

// e = log(R_1' R_0)
void cri_turn_between(const cr_real R1[9], const cr_real R0[9], cr_real e[3]) {
  cr_real w[3] = {0}, trace = 0, a[3], b[3];
  for (int k = 0; k < 3; k++) {
    cr_col3(a, R1, k);
    cr_col3(b, R0, k);
    cr_acccross3(w, a, b);
    trace += cr_dot3(a, b);
  }
  // w = 2 sin(angle) axis in the world; the axis is the same in both frames
  cr_real s = cr_norm3(w) / 2, angle = cr_atan2(s, (trace - 1) / 2);
  cr_multmat3(e, R1, w);
  cr_scl3(e, e, s > 0 ? angle / (2 * s) : CR_R(0.5));
}

// e' = Jr^-1(e) R_0' (w_0 - w_1)
void cri_turn_between_tan(const cr_data* d, const cr_data* tan, const int site[2], cr_real e[3],
                          cr_real e_tan[3]) {
  const cr_real *R0 = d->site_xmat + 9 * site[0], *R1 = d->site_xmat + 9 * site[1];
  cr_real w0[3], w1[3], turn[3], J[9];
  cri_turn_between(R1, R0, e);
  cr_rot_vec(w0, R0, tan->site_xmat + 9 * site[0]);
  cr_rot_vec(w1, R1, tan->site_xmat + 9 * site[1]);
  cr_sub3(w0, w0, w1);
  cr_multmat3(turn, R0, w0);
  cr_so3_jr_inv(J, e);
  cr_mulmat3(e_tan, J, turn);
}

void cri_turn_between_vjp(const cr_data* d, cr_data* bar, const int site[2],
                          const cr_real e_bar[3]) {
  const cr_real *R0 = d->site_xmat + 9 * site[0], *R1 = d->site_xmat + 9 * site[1];
  cr_real e[3], J[9], turn[3], w[3], R_bar[9];
  cri_turn_between(R1, R0, e);
  // a cotangent w of the turn of R is [w]x R / 2
  cr_so3_jr_inv(J, e);
  cr_multmat3(turn, J, e_bar);
  cr_mulmat3(w, R0, turn);
  cr_scl3(w, w, CR_R(0.5));
  cr_rot_tan(R_bar, w, R0);
  for (int k = 0; k < 9; k++) {
    bar->site_xmat[9 * site[0] + k] += R_bar[k];
  }
  cr_rot_tan(R_bar, w, R1);
  for (int k = 0; k < 9; k++) {
    bar->site_xmat[9 * site[1] + k] -= R_bar[k];
  }
}

// ---- forward, jvp, vjp

void cri_transmission_site(const cr_model* m, cr_data* d, int i) {
  grip g = grip_of(m, i);
  cr_real f[3], t[3], F[2][6] = {{0}};
  force_and_torque(&g, d->site_xmat + 9 * g.frame, f, t);
  forces(m, d, &g, f, t, F);
  // [transmission.s3]
  cri_relative_chain_row(m, d, g.out, g.body, F);
  d->actuator_length[g.out] = 0;
  if (g.n == 2) {
    // [transmission.s4] f . (x_0 - x_1) + g . log(R_1' R_0)
    cr_real gap[3], e[3];
    cr_sub3(gap, d->site_xpos + 3 * g.site[0], d->site_xpos + 3 * g.site[1]);
    cri_turn_between(d->site_xmat + 9 * g.site[1], d->site_xmat + 9 * g.site[0], e);
    d->actuator_length[g.out] = cr_dot3(f, gap) + cr_dot3(g.gear + 3, e);
  }
}

void cri_transmission_site_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  grip g = grip_of(m, i), moved = g;
  const cr_real *R = d->site_xmat + 9 * g.frame, *R_tan = tan->site_xmat + 9 * g.frame;
  cr_real f[3], t[3], f_tan[3], t_tan[3], turn_f[3], turn_t[3], F[2][6] = {{0}},
                                                                F_tan[2][6] = {{0}};
  moved.gear = cri_par_tan(tan->par.actuator_gear, g.out, 6);
  // [transmission.s1] R' g + R g'
  force_and_torque(&g, R, f, t);
  force_and_torque(&moved, R, f_tan, t_tan);
  force_and_torque(&g, R_tan, turn_f, turn_t);
  cr_acc3(f_tan, turn_f);
  cr_acc3(t_tan, turn_t);
  // [transmission.s2]
  forces(m, d, &g, f, t, F);
  forces(m, d, &g, f_tan, t_tan, F_tan);
  for (int k = 0; k < g.n; k++) {
    cr_real arm_tan[3], moment[3];
    cr_sub3(arm_tan, tan->site_xpos + 3 * g.site[k], cri_relative_chain_com(m, tan, g.body[k]));
    cr_cross3(moment, arm_tan, f);
    cr_accscl3(F_tan[k], moment, k == 0 ? 1 : -1);
  }
  // [transmission.s3]
  cri_relative_chain_row_jvp(m, d, tan, g.out, g.body, F, F_tan);
  tan->actuator_length[g.out] = 0;
  if (g.n == 2) {
    // [transmission.s4]
    cr_real gap[3], gap_tan[3], e[3], e_tan[3];
    cr_sub3(gap, d->site_xpos + 3 * g.site[0], d->site_xpos + 3 * g.site[1]);
    cr_sub3(gap_tan, tan->site_xpos + 3 * g.site[0], tan->site_xpos + 3 * g.site[1]);
    cri_turn_between_tan(d, tan, g.site, e, e_tan);
    tan->actuator_length[g.out] = cr_dot3(f_tan, gap) + cr_dot3(f, gap_tan) +
                                  cr_dot3(moved.gear + 3, e) + cr_dot3(g.gear + 3, e_tan);
  }
}

// [transmission.s4]': adds to f_bar and to the cotangents of gear, positions and rotations
static void length_vjp(const cr_data* d, cr_data* bar, const grip* g, const cr_real f[3],
                       cr_real length_bar, cr_real f_bar[3], cr_real* gear_bar) {
  cr_real gap[3], e[3];
  cr_sub3(gap, d->site_xpos + 3 * g->site[0], d->site_xpos + 3 * g->site[1]);
  cr_accscl3(f_bar, gap, length_bar);
  cr_accscl3(bar->site_xpos + 3 * g->site[0], f, length_bar);
  cr_accscl3(bar->site_xpos + 3 * g->site[1], f, -length_bar);
  cri_turn_between(d->site_xmat + 9 * g->site[1], d->site_xmat + 9 * g->site[0], e);
  if (gear_bar != NULL) {
    cr_accscl3(gear_bar + 3, e, length_bar);
  }
  cr_real e_bar[3];
  cr_scl3(e_bar, g->gear + 3, length_bar);
  cri_turn_between_vjp(d, bar, g->site, e_bar);
}

void cri_transmission_site_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i) {
  grip g = grip_of(m, i);
  const cr_real* R = d->site_xmat + 9 * g.frame;
  cr_real* gear_bar = bar->par.actuator_gear == NULL ? NULL : bar->par.actuator_gear + 6 * g.out;
  cr_real f[3], t[3], F[2][6] = {{0}}, V[2][6] = {{0}}, f_bar[3] = {0}, t_bar[3] = {0};
  force_and_torque(&g, R, f, t);
  forces(m, d, &g, f, t, F);
  // [transmission.s3]'
  cri_relative_chain_row_vjp(m, d, bar, g.out, g.body, F, V);
  // [transmission.s2]'
  for (int k = 0; k < g.n; k++) {
    cr_scl3(V[k], V[k], k == 0 ? 1 : -1);
    cr_scl3(V[k] + 3, V[k] + 3, k == 0 ? 1 : -1);
    cri_relative_chain_force_vjp(m, d, bar, g.body[k], d->site_xpos + 3 * g.site[k], f, V[k], t_bar,
                                 f_bar, bar->site_xpos + 3 * g.site[k]);
  }
  if (g.n == 2) {
    length_vjp(d, bar, &g, f, bar->actuator_length[g.out], f_bar, gear_bar);
  }
  // [transmission.s1]'
  cr_accouter3(bar->site_xmat + 9 * g.frame, f_bar, g.gear);
  cr_accouter3(bar->site_xmat + 9 * g.frame, t_bar, g.gear + 3);
  if (gear_bar != NULL) {
    cr_acctmat3(gear_bar, R, f_bar);
    cr_acctmat3(gear_bar + 3, R, t_bar);
  }
}
