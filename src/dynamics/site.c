// SPDX-License-Identifier: Apache-2.0
// A row is made of at most two spatial forces, one a body; all that depends on poses is in those.
#include "dynamics/site.h"

#include "math/quat.h"
#include "math/spatial.h"

// an actuator at hand: site, reference (-1 none), the site whose frame counts
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

static const cr_real* com_of(const cr_model* m, const cr_data* d, int body) {
  return d->subtree_com + 3 * m->body_rootid[body];
}

// ---- the dofs of a row, from the leaves

typedef struct {
  int last[2];
} chain;

static chain chain_of(const cr_model* m, const grip* g) {
  chain c;
  for (int k = 0; k < 2; k++) {
    int b = m->body_weldid[g->body[k]];
    c.last[k] = m->body_dofadr[b] < 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
  }
  return c;
}

static int next_dof(const cr_model* m, chain* c, int* side) {
  if (c->last[0] == c->last[1]) {
    return -1;
  }
  *side = c->last[0] > c->last[1] ? 0 : 1;
  int dof = c->last[*side];
  c->last[*side] = m->dof_parentid[dof];
  return dof;
}

// ---- forces

// [s1] f = R g_012, t = R g_345
static void force_and_torque(const grip* g, const cr_real* R, cr_real f[3], cr_real t[3]) {
  cr_mulmat3(f, R, g->gear);
  cr_mulmat3(t, R, g->gear + 3);
}

// [s2] F = sign (t + arm x f, f)
static void spatial(cr_real F[6], cr_real sign, const cr_real t[3], const cr_real arm[3],
                    const cr_real f[3]) {
  cr_copy3(F, t);
  cr_acccross3(F, arm, f);
  cr_copy3(F + 3, f);
  cr_scl3(F, F, sign);
  cr_scl3(F + 3, F + 3, sign);
}

static void arm_of(const cr_model* m, const cr_data* d, const grip* g, int k, cr_real arm[3]) {
  cr_sub3(arm, d->site_xpos + 3 * g->site[k], com_of(m, d, g->body[k]));
}

static void forces(const cr_model* m, const cr_data* d, const grip* g, cr_real F[2][6]) {
  cr_real f[3], t[3], arm[3];
  force_and_torque(g, d->site_xmat + 9 * g->frame, f, t);
  for (int k = 0; k < g->n; k++) {
    arm_of(m, d, g, k, arm);
    spatial(F[k], k == 0 ? 1 : -1, t, arm, f);
  }
}

// e = log(R_1' R_0)
static void turn_between(const cr_real* R1, const cr_real* R0, cr_real e[3]) {
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

// ---- forward, jvp, vjp

void cri_site(const cr_model* m, cr_data* d, int i) {
  grip g = grip_of(m, i);
  cr_real F[2][6];
  forces(m, d, &g, F);
  // [s3]
  int at = d->moment_rowadr[g.out], n = 0, side = 0;
  chain c = chain_of(m, &g);
  for (int j = next_dof(m, &c, &side); j >= 0; j = next_dof(m, &c, &side), n++) {
    d->moment_colind[at + n] = j;
    d->actuator_moment[at + n] = cr_dot6(d->cdof + 6 * j, F[side]);
  }
  d->moment_rownnz[g.out] = n;
  d->actuator_length[g.out] = 0;
  if (g.n == 2) {
    // [s4] f . (x_0 - x_1) + g . log(R_1' R_0)
    cr_real gap[3], e[3];
    cr_sub3(gap, d->site_xpos + 3 * g.site[0], d->site_xpos + 3 * g.site[1]);
    turn_between(d->site_xmat + 9 * g.site[1], d->site_xmat + 9 * g.site[0], e);
    d->actuator_length[g.out] = cr_dot3(F[0] + 3, gap) + cr_dot3(g.gear + 3, e);
  }
}

void cri_site_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  grip g = grip_of(m, i), moved = g;
  const cr_real *R = d->site_xmat + 9 * g.frame, *R_tan = tan->site_xmat + 9 * g.frame;
  cr_real f[3], t[3], f_tan[3], t_tan[3], turn_f[3], turn_t[3], F[2][6], F_tan[2][6];
  moved.gear = cri_par_tan(tan->par.actuator_gear, g.out, 6);
  // [s1] R' g + R g'
  force_and_torque(&g, R, f, t);
  force_and_torque(&moved, R, f_tan, t_tan);
  force_and_torque(&g, R_tan, turn_f, turn_t);
  cr_acc3(f_tan, turn_f);
  cr_acc3(t_tan, turn_t);
  // [s2]
  for (int k = 0; k < g.n; k++) {
    cr_real arm[3], arm_tan[3], sign = k == 0 ? 1 : -1, moment[3];
    arm_of(m, d, &g, k, arm);
    arm_of(m, tan, &g, k, arm_tan);
    spatial(F[k], sign, t, arm, f);
    spatial(F_tan[k], sign, t_tan, arm, f_tan);
    cr_cross3(moment, arm_tan, f);
    cr_accscl3(F_tan[k], moment, sign);
  }
  // [s3]
  int at = d->moment_rowadr[g.out], side = 0;
  chain c = chain_of(m, &g);
  for (int j = next_dof(m, &c, &side); j >= 0; j = next_dof(m, &c, &side), at++) {
    tan->actuator_moment[at] =
        cr_dot6(tan->cdof + 6 * j, F[side]) + cr_dot6(d->cdof + 6 * j, F_tan[side]);
  }
  tan->actuator_length[g.out] = 0;
  if (g.n == 2) {
    // [s4] e' = Jr^-1(e) R_0' (w_0 - w_1)
    const cr_real *R0 = d->site_xmat + 9 * g.site[0], *R1 = d->site_xmat + 9 * g.site[1];
    cr_real gap[3], gap_tan[3], e[3], e_tan[3], w0[3], w1[3], turn[3], J[9];
    cr_sub3(gap, d->site_xpos + 3 * g.site[0], d->site_xpos + 3 * g.site[1]);
    cr_sub3(gap_tan, tan->site_xpos + 3 * g.site[0], tan->site_xpos + 3 * g.site[1]);
    turn_between(R1, R0, e);
    cr_rot_vec(w0, R0, tan->site_xmat + 9 * g.site[0]);
    cr_rot_vec(w1, R1, tan->site_xmat + 9 * g.site[1]);
    cr_sub3(w0, w0, w1);
    cr_multmat3(turn, R0, w0);
    cr_so3_jr_inv(J, e);
    cr_mulmat3(e_tan, J, turn);
    tan->actuator_length[g.out] = cr_dot3(f_tan, gap) + cr_dot3(f, gap_tan) +
                                  cr_dot3(moved.gear + 3, e) + cr_dot3(g.gear + 3, e_tan);
  }
}

// [s4]': adds to f_bar and to the cotangents of gear, positions and rotations
static void length_vjp(const cr_data* d, cr_data* bar, const grip* g, const cr_real f[3],
                       cr_real length_bar, cr_real f_bar[3], cr_real* gear_bar) {
  const cr_real *R0 = d->site_xmat + 9 * g->site[0], *R1 = d->site_xmat + 9 * g->site[1];
  cr_real gap[3], e[3], J[9], turn[3], w[3], R_bar[9];
  cr_sub3(gap, d->site_xpos + 3 * g->site[0], d->site_xpos + 3 * g->site[1]);
  cr_accscl3(f_bar, gap, length_bar);
  cr_accscl3(bar->site_xpos + 3 * g->site[0], f, length_bar);
  cr_accscl3(bar->site_xpos + 3 * g->site[1], f, -length_bar);
  turn_between(R1, R0, e);
  if (gear_bar != NULL) {
    cr_accscl3(gear_bar + 3, e, length_bar);
  }
  // a cotangent w of the turn of R is [w]x R / 2
  cr_so3_jr_inv(J, e);
  cr_multmat3(turn, J, g->gear + 3);
  cr_mulmat3(w, R0, turn);
  cr_scl3(w, w, length_bar / 2);
  cr_rot_tan(R_bar, w, R0);
  for (int k = 0; k < 9; k++) {
    bar->site_xmat[9 * g->site[0] + k] += R_bar[k];
  }
  cr_rot_tan(R_bar, w, R1);
  for (int k = 0; k < 9; k++) {
    bar->site_xmat[9 * g->site[1] + k] -= R_bar[k];
  }
}

void cri_site_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i) {
  grip g = grip_of(m, i);
  const cr_real* R = d->site_xmat + 9 * g.frame;
  cr_real* gear_bar = bar->par.actuator_gear == NULL ? NULL : bar->par.actuator_gear + 6 * g.out;
  cr_real f[3], t[3], F[2][6], V[2][6] = {{0}}, f_bar[3] = {0}, t_bar[3] = {0};
  force_and_torque(&g, R, f, t);
  forces(m, d, &g, F);
  // [s3]' F_bar = left sum of s_j right_j, s_bar_j += left right_j F, over the pairs
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  for (int p = 0; p < pairs->n; p++) {
    cr_real left = cri_pair_left(pairs, p)[g.out];
    const cr_real* right = cri_pair_right(pairs, p);
    int side = 0;
    chain c = chain_of(m, &g);
    for (int j = next_dof(m, &c, &side); j >= 0 && left != 0; j = next_dof(m, &c, &side)) {
      cr_accscl6(V[side], d->cdof + 6 * j, left * right[j]);
      cr_accscl6(bar->cdof + 6 * j, F[side], left * right[j]);
    }
  }
  // [s2]'
  for (int k = 0; k < g.n; k++) {
    cr_real arm[3], arm_bar[3], sign = k == 0 ? 1 : -1;
    arm_of(m, d, &g, k, arm);
    cr_accscl3(t_bar, V[k], sign);
    cr_scl3(V[k], V[k], sign);
    cr_accscl3(f_bar, V[k] + 3, sign);
    cr_acccross3(f_bar, V[k], arm);
    cr_cross3(arm_bar, f, V[k]);
    cr_acc3(bar->site_xpos + 3 * g.site[k], arm_bar);
    cr_accscl3(bar->subtree_com + 3 * m->body_rootid[g.body[k]], arm_bar, -1);
  }
  if (g.n == 2) {
    length_vjp(d, bar, &g, f, bar->actuator_length[g.out], f_bar, gear_bar);
  }
  // [s1]'
  cr_accouter3(bar->site_xmat + 9 * g.frame, f_bar, g.gear);
  cr_accouter3(bar->site_xmat + 9 * g.frame, t_bar, g.gear + 3);
  if (gear_bar != NULL) {
    cr_acctmat3(gear_bar, R, f_bar);
    cr_acctmat3(gear_bar + 3, R, t_bar);
  }
}
