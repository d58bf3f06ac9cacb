// SPDX-License-Identifier: Apache-2.0
// Connects, welds and couplings, see equality.h.
#include "constraint/equality.h"

#include "math/quat.h"
#include "math/spatial.h"

// ---- the place of a connect or weld

static bool of_sites(const cr_model* m, int i) { return m->eq_objtype[i] == CR_OBJ_SITE; }

// number of side k's body or site
static int object(const cr_model* m, int i, int k) {
  return k == 0 ? m->eq_obj1id[i] : m->eq_obj2id[i];
}

// offset in eq_data of the anchor of connect or weld i in body k
static int anchor(const cr_model* m, int i, int k) {
  return CR_NEQDATA * i + 3 * (m->eq_type[i] == CR_EQ_WELD ? 1 - k : k);
}

static int relative(int i) { return CR_NEQDATA * i + 6; }

static const cr_real* orientation(const cr_model* m, const cr_data* d, int i, int k) {
  int id = object(m, i, k);
  return of_sites(m, i) ? d->site_xmat + 9 * id : d->xmat + 9 * id;
}

// c = q2^-1 q1, from the orientations; the kinematic quaternions only give its sign
static void turn_between(const cr_model* m, const cr_data* d, int i, cr_real c[4]) {
  const cr_real *R1 = orientation(m, d, i, 0), *R2 = orientation(m, d, i, 1);
  const cr_real* quat = of_sites(m, i) ? d->site_xquat : d->xquat;
  const cr_real *q1 = quat + 4 * object(m, i, 0), *q2 = quat + 4 * object(m, i, 1);
  cr_real R2t[9], R[9], inverse[4] = {q2[0], -q2[1], -q2[2], -q2[3]}, known[4], sum = 0;
  for (int k = 0; k < 3; k++) {
    cr_col3(R2t + 3 * k, R2, k);
  }
  cr_matmul3(R, R2t, R1);
  cr_quat_of_mat(c, R);
  cr_quat_mul(known, inverse, q1);
  for (int k = 0; k < 4; k++) {
    sum += c[k] * known[k];
  }
  for (int k = 0; k < 4; k++) {
    c[k] = sum < 0 ? -c[k] : c[k];
  }
}

// rel of connect or weld i; sites have their own orientation
static void relative_quat(const cr_model* m, int i, cr_real rel[4]) {
  const cr_real identity[4] = {1, 0, 0, 0};
  cr_copy(rel, of_sites(m, i) ? identity : m->eq_data + relative(i), 4);
}

cri_connect_weld cri_connect_weld_of(const cr_model* m, const cr_data* d, int i) {
  cri_connect_weld b = {.nrow = cri_equality_rows(m->eq_type[i])};
  cr_real p[2][3];
  for (int k = 0; k < 2; k++) {
    // [equality.q1] p = x + R a, or the site
    int id = object(m, i, k);
    b.body[k] = of_sites(m, i) ? m->site_bodyid[id] : id;
    cr_copy3(p[k], of_sites(m, i) ? d->site_xpos + 3 * id : d->xpos + 3 * id);
    if (!of_sites(m, i)) {
      cr_accmat3(p[k], d->xmat + 9 * id, m->eq_data + anchor(m, i, k));
    }
    cr_sub3(b.x[k], p[k], d->subtree_com + 3 * m->body_rootid[b.body[k]]);
  }
  cr_sub3(b.gap, p[0], p[1]);
  if (m->eq_type[i] == CR_EQ_WELD) {
    // [equality.q1] (s, u) = q2^-1 q1 rel
    cr_real c[4], rel[4], q[4];
    turn_between(m, d, i, c);
    relative_quat(m, i, rel);
    cr_quat_mul(q, c, rel);
    b.s = q[0];
    cr_copy3(b.u, q + 1);
    cr_copy(b.R2, orientation(m, d, i, 1), 9);
    b.scale = m->eq_data[CR_NEQDATA * i + 10];
  }
  return b;
}

cri_connect_weld cri_connect_weld_tan(const cr_model* m, const cr_data* d, const cr_data* tan,
                                      int i) {
  cri_connect_weld b = cri_connect_weld_of(m, d, i), b_tan = {.nrow = b.nrow};
  const cr_real* data_tan = cri_par_tan(tan->par.eq_data, i, CR_NEQDATA);
  cr_real p_tan[2][3], turn[2][3];
  for (int k = 0; k < 2; k++) {
    // [equality.q1]
    int id = object(m, i, k);
    const cr_real* R = orientation(m, d, i, k);
    const cr_real* R_tan = of_sites(m, i) ? tan->site_xmat + 9 * id : tan->xmat + 9 * id;
    cr_copy3(p_tan[k], of_sites(m, i) ? tan->site_xpos + 3 * id : tan->xpos + 3 * id);
    if (!of_sites(m, i)) {
      cr_accmat3(p_tan[k], R_tan, m->eq_data + anchor(m, i, k));
      cr_accmat3(p_tan[k], R, data_tan + anchor(m, i, k) - CR_NEQDATA * i);
    }
    cr_sub3(b_tan.x[k], p_tan[k], tan->subtree_com + 3 * m->body_rootid[b.body[k]]);
    cr_rot_vec(turn[k], R, R_tan);
    cr_copy(b_tan.R2, R_tan, 9);
  }
  cr_sub3(b_tan.gap, p_tan[0], p_tan[1]);
  if (m->eq_type[i] == CR_EQ_WELD) {
    // [equality.q1] half of (0, t) (s, u), t = R2' (turn1 - turn2); and c rel_tan
    cr_real t[3], difference[3], c[4], q_tan[4];
    cr_sub3(difference, turn[0], turn[1]);
    cr_multmat3(t, b.R2, difference);
    turn_between(m, d, i, c);
    cr_quat_mul(q_tan, c, data_tan + 6);
    bool own = !of_sites(m, i);
    b_tan.s = -cr_dot3(t, b.u) / 2 + (own ? q_tan[0] : 0);
    cr_cross3(b_tan.u, t, b.u);
    cr_accscl3(b_tan.u, t, b.s);
    cr_scl3(b_tan.u, b_tan.u, CR_R(0.5));
    cr_accscl3(b_tan.u, q_tan + 1, own ? 1 : 0);
    b_tan.scale = data_tan[10];
  }
  return b_tan;
}

// [equality.q1]' of a weld's orientation
static void weld_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                     const cri_connect_weld* b, const cri_connect_weld* b_bar) {
  bool sites = of_sites(m, i);
  cr_real t_bar[3], w[3], *R_bar = sites ? bar->site_xmat : bar->xmat;
  cr_cross3(t_bar, b->u, b_bar->u);
  cr_accscl3(t_bar, b_bar->u, b->s);
  cr_accscl3(t_bar, b->u, -b_bar->s);
  cr_mulmat3(w, b->R2, t_bar);
  for (int k = 0; k < 2; k++) {
    cr_real* to = R_bar + 9 * object(m, i, k);
    cr_accrot(to, w, k == 0 ? CR_R(0.5) : -CR_R(0.5), orientation(m, d, i, k));
    for (int n = 0; n < 9 && k == 1; n++) {
      to[n] += b_bar->R2[n];
    }
  }
  if (bar->par.eq_data != NULL) {
    cr_real c[4], q_bar[4] = {b_bar->s, b_bar->u[0], b_bar->u[1], b_bar->u[2]}, rel_bar[4];
    turn_between(m, d, i, c);
    cr_real inverse[4] = {c[0], -c[1], -c[2], -c[3]};
    cr_quat_mul(rel_bar, inverse, q_bar);
    for (int k = 0; k < 4 && !sites; k++) {
      bar->par.eq_data[relative(i) + k] += rel_bar[k];
    }
    bar->par.eq_data[CR_NEQDATA * i + 10] += b_bar->scale;
  }
}

void cri_connect_weld_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                          const cri_connect_weld* b_bar) {
  cri_connect_weld b = cri_connect_weld_of(m, d, i);
  for (int k = 0; k < 2; k++) {
    // [equality.q1]'
    int id = object(m, i, k);
    cr_real p_bar[3];
    cr_scl3(p_bar, b_bar->gap, k == 0 ? 1 : -1);
    cr_acc3(p_bar, b_bar->x[k]);
    cr_accscl3(bar->subtree_com + 3 * m->body_rootid[b.body[k]], b_bar->x[k], -1);
    if (of_sites(m, i)) {
      cr_acc3(bar->site_xpos + 3 * id, p_bar);
      continue;
    }
    cr_acc3(bar->xpos + 3 * id, p_bar);
    cr_accouter3(bar->xmat + 9 * id, p_bar, m->eq_data + anchor(m, i, k));
    if (bar->par.eq_data != NULL) {
      cr_acctmat3(bar->par.eq_data + anchor(m, i, k), d->xmat + 9 * id, p_bar);
    }
  }
  if (m->eq_type[i] == CR_EQ_WELD) {
    weld_bar(m, d, bar, i, &b, b_bar);
  }
}

// ---- residual

void cri_connect_weld_residual(const cri_connect_weld* b, cr_real r[CR_MAX_CONNECT_WELD]) {
  // [equality.q2]
  cr_copy3(r, b->gap);
  cr_scl3(r + 3, b->u, b->scale);
}

void cri_connect_weld_residual_tan(const cri_connect_weld* b, const cri_connect_weld* b_tan,
                                   cr_real r_tan[CR_MAX_CONNECT_WELD]) {
  cr_copy3(r_tan, b_tan->gap);
  cr_scl3(r_tan + 3, b_tan->u, b->scale);
  cr_accscl3(r_tan + 3, b->u, b_tan->scale);
}

void cri_connect_weld_residual_bar(const cri_connect_weld* b,
                                   const cr_real r_bar[CR_MAX_CONNECT_WELD],
                                   cri_connect_weld* b_bar) {
  // [equality.q2]'
  cr_acc3(b_bar->gap, r_bar);
  cr_accscl3(b_bar->u, r_bar + 3, b->scale);
  b_bar->scale += cr_dot3(b->u, r_bar + 3);
}

// ---- a point of a moving body, and the turn of a connect or weld

// v = V_lin + V_ang x p
static void point(cr_real v[3], const cr_real V[6], const cr_real x[3]) {
  cr_copy3(v, V + 3);
  cr_acccross3(v, V, x);
}

static void point_tan(cr_real v_tan[3], const cr_real V[6], const cr_real x[3],
                      const cr_real V_tan[6], const cr_real x_tan[3]) {
  point(v_tan, V_tan, x);
  cr_acccross3(v_tan, V, x_tan);
}

static void point_bar(const cr_real v_bar[3], const cr_real V[6], const cr_real x[3],
                      cr_real V_bar[6], cr_real x_bar[3]) {
  cr_acc3(V_bar + 3, v_bar);
  cr_acccross3(V_bar, x, v_bar);
  cr_acccross3(x_bar, v_bar, V);
}

// turn(y) = scale/2 (s z + z x u), z = R2' y: the rate of scale u if frame 1 turns faster by y
// than frame 2
static void turn(cr_real r[3], const cri_connect_weld* b, const cr_real y[3]) {
  cr_real z[3];
  cr_multmat3(z, b->R2, y);
  cr_cross3(r, z, b->u);
  cr_accscl3(r, z, b->s);
  cr_scl3(r, r, b->scale / 2);
}

static void turn_tan(cr_real r_tan[3], const cri_connect_weld* b, const cri_connect_weld* b_tan,
                     const cr_real y[3], const cr_real y_tan[3]) {
  cr_real z[3], z_tan[3], r[3];
  cr_multmat3(z, b->R2, y);
  cr_multmat3(z_tan, b->R2, y_tan);
  cr_acctmat3(z_tan, b_tan->R2, y);
  cr_cross3(r_tan, z_tan, b->u);
  cr_acccross3(r_tan, z, b_tan->u);
  cr_accscl3(r_tan, z_tan, b->s);
  cr_accscl3(r_tan, z, b_tan->s);
  cr_scl3(r_tan, r_tan, b->scale / 2);
  cr_cross3(r, z, b->u);
  cr_accscl3(r, z, b->s);
  cr_accscl3(r_tan, r, b_tan->scale / 2);
}

static void turn_bar(const cr_real r_bar[3], const cri_connect_weld* b, const cr_real y[3],
                     cri_connect_weld* b_bar, cr_real y_bar[3]) {
  cr_real z[3], z_bar[3], u_bar[3], half = b->scale / 2;
  cr_multmat3(z, b->R2, y);
  cr_cross3(z_bar, b->u, r_bar);
  cr_accscl3(z_bar, r_bar, b->s);
  b_bar->scale += cr_dot3(z, z_bar) / 2;
  cr_scl3(z_bar, z_bar, half);
  b_bar->s += half * cr_dot3(r_bar, z);
  cr_cross3(u_bar, r_bar, z);
  cr_accscl3(b_bar->u, u_bar, half);
  cr_accmat3(y_bar, b->R2, z_bar);
  cr_accouter3(b_bar->R2, y, z_bar);
}

// ---- rate

void cri_connect_weld_rate(const cri_connect_weld* b, const cr_real V1[6], const cr_real V2[6],
                           cr_real rate[CR_MAX_CONNECT_WELD]) {
  // [equality.q3] v1(p1) - v2(p2), turn(w1 - w2)
  cr_real v[3], y[3];
  point(rate, V1, b->x[0]);
  point(v, V2, b->x[1]);
  cr_accscl3(rate, v, -1);
  if (b->nrow > 3) {
    cr_sub3(y, V1, V2);
    turn(rate + 3, b, y);
  }
}

void cri_connect_weld_rate_tan(const cri_connect_weld* b, const cri_connect_weld* b_tan,
                               const cr_real V1[6], const cr_real V2[6], const cr_real V1_tan[6],
                               const cr_real V2_tan[6], cr_real rate_tan[CR_MAX_CONNECT_WELD]) {
  cr_real v_tan[3], y[3], y_tan[3];
  point_tan(rate_tan, V1, b->x[0], V1_tan, b_tan->x[0]);
  point_tan(v_tan, V2, b->x[1], V2_tan, b_tan->x[1]);
  cr_accscl3(rate_tan, v_tan, -1);
  if (b->nrow > 3) {
    cr_sub3(y, V1, V2);
    cr_sub3(y_tan, V1_tan, V2_tan);
    turn_tan(rate_tan + 3, b, b_tan, y, y_tan);
  }
}

void cri_connect_weld_rate_bar(const cri_connect_weld* b, const cr_real V1[6], const cr_real V2[6],
                               const cr_real rate_bar[CR_MAX_CONNECT_WELD], cri_connect_weld* b_bar,
                               cr_real V1_bar[6], cr_real V2_bar[6]) {
  // [equality.q3]'
  cr_real minus[3], y[3], y_bar[3] = {0};
  cr_scl3(minus, rate_bar, -1);
  point_bar(rate_bar, V1, b->x[0], V1_bar, b_bar->x[0]);
  point_bar(minus, V2, b->x[1], V2_bar, b_bar->x[1]);
  if (b->nrow > 3) {
    cr_sub3(y, V1, V2);
    turn_bar(rate_bar + 3, b, y, b_bar, y_bar);
    cr_acc3(V1_bar, y_bar);
    cr_accscl3(V2_bar, y_bar, -1);
  }
}

// ---- bias acceleration

// a = A_lin + A_ang x x + w x v, v the velocity of the point
static void point_bias(cr_real a[3], const cr_real V[6], const cr_real A[6], const cr_real x[3]) {
  cr_real v[3];
  point(v, V, x);
  point(a, A, x);
  cr_acccross3(a, V, v);
}

static void point_bias_tan(cr_real a_tan[3], const cr_real V[6], const cr_real A[6],
                           const cr_real x[3], const cr_real V_tan[6], const cr_real A_tan[6],
                           const cr_real x_tan[3]) {
  cr_real v[3], v_tan[3];
  point(v, V, x);
  point_tan(v_tan, V, x, V_tan, x_tan);
  point_tan(a_tan, A, x, A_tan, x_tan);
  cr_acccross3(a_tan, V_tan, v);
  cr_acccross3(a_tan, V, v_tan);
}

static void point_bias_bar(const cr_real a_bar[3], const cr_real V[6], const cr_real A[6],
                           const cr_real x[3], cr_real V_bar[6], cr_real A_bar[6],
                           cr_real x_bar[3]) {
  cr_real v[3], v_bar[3];
  point(v, V, x);
  point_bar(a_bar, A, x, A_bar, x_bar);
  cr_acccross3(V_bar, v, a_bar);
  cr_cross3(v_bar, a_bar, V);
  point_bar(v_bar, V, x, V_bar, x_bar);
}

// y = alpha1 - alpha2 - w2 x w1: the rate of w1 - w2 seen from frame 2
static void relative_spin(cr_real y[3], const cri_connect_weld_motion* w) {
  cr_cross3(y, w->V[0], w->V[1]);
  cr_acc3(y, w->A[0]);
  cr_accscl3(y, w->A[1], -1);
}

void cri_connect_weld_bias(const cri_connect_weld* b, const cri_connect_weld_motion* w,
                           cr_real bias[CR_MAX_CONNECT_WELD]) {
  // [equality.q4] a1(p1) - a2(p2), turn(y) - scale/4 |w1 - w2|^2 u
  cr_real a[3], y[3], slip[3];
  point_bias(bias, w->V[0], w->A[0], b->x[0]);
  point_bias(a, w->V[1], w->A[1], b->x[1]);
  cr_accscl3(bias, a, -1);
  if (b->nrow > 3) {
    relative_spin(y, w);
    turn(bias + 3, b, y);
    cr_sub3(slip, w->V[0], w->V[1]);
    cr_accscl3(bias + 3, b->u, -b->scale / 4 * cr_dot3(slip, slip));
  }
}

void cri_connect_weld_bias_tan(const cri_connect_weld* b, const cri_connect_weld* b_tan,
                               const cri_connect_weld_motion* w,
                               const cri_connect_weld_motion* w_tan,
                               cr_real bias_tan[CR_MAX_CONNECT_WELD]) {
  cr_real a_tan[3], y[3], y_tan[3], slip[3], slip_tan[3];
  point_bias_tan(bias_tan, w->V[0], w->A[0], b->x[0], w_tan->V[0], w_tan->A[0], b_tan->x[0]);
  point_bias_tan(a_tan, w->V[1], w->A[1], b->x[1], w_tan->V[1], w_tan->A[1], b_tan->x[1]);
  cr_accscl3(bias_tan, a_tan, -1);
  if (b->nrow > 3) {
    relative_spin(y, w);
    cr_sub3(y_tan, w_tan->A[0], w_tan->A[1]);
    cr_acccross3(y_tan, w_tan->V[0], w->V[1]);
    cr_acccross3(y_tan, w->V[0], w_tan->V[1]);
    turn_tan(bias_tan + 3, b, b_tan, y, y_tan);
    cr_sub3(slip, w->V[0], w->V[1]);
    cr_sub3(slip_tan, w_tan->V[0], w_tan->V[1]);
    cr_real square = cr_dot3(slip, slip);
    cr_accscl3(bias_tan + 3, b_tan->u, -b->scale / 4 * square);
    cr_accscl3(bias_tan + 3, b->u,
               -b_tan->scale / 4 * square - b->scale / 2 * cr_dot3(slip, slip_tan));
  }
}

void cri_connect_weld_bias_bar(const cri_connect_weld* b, const cri_connect_weld_motion* w,
                               const cr_real bias_bar[CR_MAX_CONNECT_WELD], cri_connect_weld* b_bar,
                               cri_connect_weld_motion* w_bar) {
  // [equality.q4]'
  cr_real minus[3], y[3], y_bar[3] = {0}, slip[3];
  cr_scl3(minus, bias_bar, -1);
  point_bias_bar(bias_bar, w->V[0], w->A[0], b->x[0], w_bar->V[0], w_bar->A[0], b_bar->x[0]);
  point_bias_bar(minus, w->V[1], w->A[1], b->x[1], w_bar->V[1], w_bar->A[1], b_bar->x[1]);
  if (b->nrow > 3) {
    const cr_real* turn_bias_bar = bias_bar + 3;
    relative_spin(y, w);
    turn_bar(turn_bias_bar, b, y, b_bar, y_bar);
    cr_acc3(w_bar->A[0], y_bar);
    cr_accscl3(w_bar->A[1], y_bar, -1);
    cr_acccross3(w_bar->V[0], w->V[1], y_bar);
    cr_acccross3(w_bar->V[1], y_bar, w->V[0]);

    cr_sub3(slip, w->V[0], w->V[1]);
    cr_real square = cr_dot3(slip, slip), along = cr_dot3(b->u, turn_bias_bar);
    cr_accscl3(b_bar->u, turn_bias_bar, -b->scale / 4 * square);
    b_bar->scale -= square * along / 4;
    cr_accscl3(w_bar->V[0], slip, -b->scale / 2 * along);
    cr_accscl3(w_bar->V[1], slip, b->scale / 2 * along);
  }
}

// ---- the dofs of a connect or weld

static int last_dof(const cr_model* m, int body) {
  int b = m->body_weldid[body];
  return m->body_dofadr[b] < 0 ? -1 : m->body_dofadr[b] + m->body_dofnum[b] - 1;
}

int cri_connect_weld_chain(const cr_model* m, const cri_connect_weld* b, int32_t* dof,
                           int32_t* moves) {
  // from the leaves to the roots, then reversed
  int n = 0;
  for (int i = last_dof(m, b->body[0]), j = last_dof(m, b->body[1]); i >= 0 || j >= 0; n++) {
    int high = i > j ? i : j;
    dof[n] = high;
    moves[n] = (i == high ? 1 : 0) + (j == high ? 2 : 0);
    i = i == high ? m->dof_parentid[i] : i;
    j = j == high ? m->dof_parentid[j] : j;
  }
  for (int k = 0; k < n / 2; k++) {
    int32_t d = dof[k], s = moves[k];
    dof[k] = dof[n - 1 - k];
    moves[k] = moves[n - 1 - k];
    dof[n - 1 - k] = d;
    moves[n - 1 - k] = s;
  }
  return n;
}

// ---- couplings

cri_length_row cri_joint_row(const cr_model* m, int joint) {
  static const cr_real one = 1;
  return (cri_length_row){1, m->jnt_dofadr + joint, &one};
}

cri_length_row cri_tendon_row(const cr_model* m, const cr_real* ten_J, int t) {
  int adr = m->ten_J_rowadr[t];
  return (cri_length_row){m->ten_J_rownnz[t], m->ten_J_colind + adr, ten_J + adr};
}

// length of an object beyond its reference
static cr_real beyond(const cr_model* m, const cr_data* d, bool tendon, int id) {
  int q = tendon ? 0 : m->jnt_qposadr[id];
  return tendon ? d->ten_length[id] - m->tendon_length0[id] : d->qpos[q] - m->qpos0[q];
}

cri_coupling cri_coupling_of(const cr_model* m, const cr_data* d, int i) {
  const cr_real* data = m->eq_data + CR_NEQDATA * i;
  cri_coupling c = {.id = {m->eq_obj1id[i], m->eq_obj2id[i]},
                    .tendons = m->eq_type[i] == CR_EQ_TENDON,
                    .power = {1}};

  // [equality.q5] pos = y - sum data_k x^k
  c.pos = beyond(m, d, c.tendons, c.id[0]) - data[0];
  if (c.id[1] >= 0) {
    cr_real x = beyond(m, d, c.tendons, c.id[1]);
    for (int k = 1; k < 5; k++) {
      c.power[k] = c.power[k - 1] * x;
      c.pos -= data[k] * c.power[k];
      c.slope += (cr_real)k * data[k] * c.power[k - 1];
      c.curvature += k > 1 ? (cr_real)(k * (k - 1)) * data[k] * c.power[k - 2] : 0;
    }
  }
  return c;
}
