// SPDX-License-Identifier: Apache-2.0
// Lengths, and moments as a sparse matrix with one row an output. The moment of a joint is a copy
// of the gear, so all its derivatives end there. The moment of a tendon is a multiple of the tendon's row.
#include "transmission/transmission.h"

#include "math/quat.h"
#include "model/build.h"
#include "transmission/transmission_body.h"
#include "transmission/transmission_site.h"
#include "transmission/transmission_slidercrank.h"
#include "transmission/transmission_so3.h"

// ---- tendons

// target of actuator i: tendon, output, scale, first numbers of the two rows
typedef struct {
  int tendon, out, n;
  cr_real gear;
  int row, moment;
} pull;

static pull pull_of(const cr_model* m, const cr_data* d, int i) {
  int tendon = m->actuator_trnid[2 * i], out = m->actuator_outadr[i];
  return (pull){.tendon = tendon,
                .out = out,
                .n = m->ten_J_rownnz[tendon],
                .gear = m->actuator_gear[6 * out],
                .row = m->ten_J_rowadr[tendon],
                .moment = d->moment_rowadr[out]};
}

static void tendon(const cr_model* m, cr_data* d, int i) {
  pull p = pull_of(m, d, i);
  // [transmission.t4] length = gear ten_length, moment = gear ten_J
  d->actuator_length[p.out] = p.gear * d->ten_length[p.tendon];
  d->moment_rownnz[p.out] = p.n;
  for (int k = 0; k < p.n; k++) {
    d->actuator_moment[p.moment + k] = p.gear * d->ten_J[p.row + k];
    d->moment_colind[p.moment + k] = m->ten_J_colind[p.row + k];
  }
}

static void tendon_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  pull p = pull_of(m, d, i);
  cr_real gear_tan = cri_par_tan(tan->par.actuator_gear, p.out, 6)[0];
  // [transmission.t4]
  tan->actuator_length[p.out] =
      gear_tan * d->ten_length[p.tendon] + p.gear * tan->ten_length[p.tendon];
  for (int k = 0; k < p.n; k++) {
    tan->actuator_moment[p.moment + k] =
        gear_tan * d->ten_J[p.row + k] + p.gear * tan->ten_J[p.row + k];
  }
}

// [transmission.t4]' length_bar and row_bar of the tendon; `first` is the pair of ten_J for the first of the
// moment's
static void tendon_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i, int first) {
  pull p = pull_of(m, d, i);
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  cr_real length_bar = bar->actuator_length[p.out];
  cr_real gear_bar = length_bar * d->ten_length[p.tendon];
  bar->ten_length[p.tendon] += p.gear * length_bar;
  for (int k = 0; k < pairs->n; k++) {
    cr_real left = cri_pair_left(pairs, k)[p.out];
    const cr_real* right = cri_pair_right(pairs, k);
    cri_pair_left(&bar->ten_J_pairs, first + k)[p.tendon] += p.gear * left;
    for (int a = 0; a < p.n; a++) {
      gear_bar += left * d->ten_J[p.row + a] * right[m->ten_J_colind[p.row + a]];
    }
  }
  if (bar->par.actuator_gear != NULL) {
    bar->par.actuator_gear[6 * p.out] += gear_bar;
  }
}

// ---- joints

// joint, gear, first number of the moment row and first dof of actuator i
typedef struct {
  int type, ndof;
  int q, v;          // first coordinate and dof of the joint
  int out;           // output, row of the moment
  int gear, moment;  // first number in actuator_gear and actuator_moment
  int turned;        // first of the three numbers of the gear that are in the parent's frame, or -1
} route;

static route route_of(const cr_model* m, const cr_data* d, int i) {
  int j = m->actuator_trnid[2 * i], out = m->actuator_outadr[i], type = m->jnt_type[j];
  int axis = type == CR_JNT_BALL ? 0 : (type == CR_JNT_FREE ? 3 : -1);
  return (route){.type = type,
                 .ndof = cri_jnt_nv(type),
                 .q = m->jnt_qposadr[j],
                 .v = m->jnt_dofadr[j],
                 .out = out,
                 .gear = 6 * out,
                 .moment = d->moment_rowadr[out],
                 .turned = m->actuator_trntype[i] == CR_TRN_JOINTINPARENT ? axis : -1};
}

// rotation of a ball or free joint, child to parent
static void rotation(const cr_data* d, const route* t, cr_real R[9]) {
  cr_real unit[4];
  cr_copy(unit, d->qpos + t->q + t->turned, 4);
  cr_quat_normalize(unit);
  cr_quat_to_mat(R, unit);
}

// rotation vector of a ball joint
static void rotation_vector(cr_real e[3], const cr_real q[4]) {
  cr_real unit[4];
  cr_copy(unit, q, 4);
  cr_quat_normalize(unit);
  cr_quat_log(e, unit);
}

static void joint(const cr_model* m, cr_data* d, int i) {
  route t = route_of(m, d, i);
  const cr_real* gear = m->actuator_gear + t.gear;
  cr_real* row = d->actuator_moment + t.moment;
  // [transmission.t1], [transmission.t2], [transmission.t3] moment = gear
  d->moment_rownnz[t.out] = t.ndof;
  cr_copy(row, gear, t.ndof);
  for (int k = 0; k < t.ndof; k++) {
    d->moment_colind[t.moment + k] = t.v + k;
  }
  if (t.turned >= 0) {
    // [transmission.t5] R' gear
    cr_real R[9];
    rotation(d, &t, R);
    cr_multmat3(row + t.turned, R, gear + t.turned);
  }
  cr_real length = 0;
  if (t.ndof == 1) {
    // [transmission.t1] length = gear q
    length = gear[0] * d->qpos[t.q];
  } else if (t.type == CR_JNT_BALL) {
    // [transmission.t2] length = gear . e; R' does not change e
    cr_real e[3];
    rotation_vector(e, d->qpos + t.q);
    length = cr_dot3(gear, e);
  }
  d->actuator_length[t.out] = length;
}

static void joint_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i) {
  route t = route_of(m, d, i);
  const cr_real* gear = m->actuator_gear + t.gear;
  const cr_real* gear_tan = cri_par_tan(tan->par.actuator_gear, t.out, 6);
  cr_real* row_tan = tan->actuator_moment + t.moment;
  // [transmission.t1], [transmission.t2], [transmission.t3]
  cr_copy(row_tan, gear_tan, t.ndof);
  if (t.turned >= 0) {
    // [transmission.t5] R' gear' + (R' gear) x q'
    cr_real R[9], g[3];
    rotation(d, &t, R);
    cr_multmat3(row_tan + t.turned, R, gear_tan + t.turned);
    cr_multmat3(g, R, gear + t.turned);
    cr_acccross3(row_tan + t.turned, g, tan->qpos + t.v + t.turned);
  }
  cr_real length_tan = 0;
  if (t.ndof == 1) {
    // [transmission.t1] gear' q + gear q'
    length_tan = gear_tan[0] * d->qpos[t.q] + gear[0] * tan->qpos[t.v];
  } else if (t.type == CR_JNT_BALL) {
    // [transmission.t2] gear' . e + gear . Jr^-1(e) q'
    cr_real e[3], e_tan[3], J[9];
    rotation_vector(e, d->qpos + t.q);
    cr_so3_jr_inv(J, e);
    cr_mulmat3(e_tan, J, tan->qpos + t.v);
    length_tan = cr_dot3(gear_tan, e) + cr_dot3(gear, e_tan);
  }
  tan->actuator_length[t.out] = length_tan;
}

// [transmission.t1]', [transmission.t2]', [transmission.t3]', [transmission.t5]' from the row of the moment's cotangent, sum of left (x) right
static void joint_moment_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const route* t) {
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  cr_real row_bar[6] = {0};
  for (int p = 0; p < pairs->n; p++) {
    cr_real left = cri_pair_left(pairs, p)[t->out];
    const cr_real* right = cri_pair_right(pairs, p) + t->v;
    for (int k = 0; k < t->ndof; k++) {
      row_bar[k] += left * right[k];
    }
  }
  if (t->turned >= 0) {
    // [transmission.t5]' q_bar += row_bar x R' gear, gear_bar += R row_bar
    cr_real R[9], g[3], turned[3];
    rotation(d, t, R);
    cr_multmat3(g, R, m->actuator_gear + t->gear + t->turned);
    cr_acccross3(bar->qpos + t->v + t->turned, row_bar + t->turned, g);
    cr_mulmat3(turned, R, row_bar + t->turned);
    cr_copy3(row_bar + t->turned, turned);
  }
  for (int k = 0; bar->par.actuator_gear != NULL && k < t->ndof; k++) {
    bar->par.actuator_gear[t->gear + k] += row_bar[k];
  }
}

static void joint_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i) {
  route t = route_of(m, d, i);
  const cr_real* gear = m->actuator_gear + t.gear;
  cr_real* gear_bar = bar->par.actuator_gear == NULL ? NULL : bar->par.actuator_gear + t.gear;
  cr_real length_bar = bar->actuator_length[t.out];
  if (t.ndof == 1) {
    // [transmission.t1]' q_bar += gear length_bar, gear_bar += q length_bar
    bar->qpos[t.v] += gear[0] * length_bar;
    if (gear_bar != NULL) {
      gear_bar[0] += d->qpos[t.q] * length_bar;
    }
  } else if (t.type == CR_JNT_BALL) {
    // [transmission.t2]' q_bar += Jr^-T(e) gear length_bar, gear_bar += e length_bar
    cr_real e[3], q_bar[3], J[9];
    rotation_vector(e, d->qpos + t.q);
    cr_so3_jr_inv(J, e);
    cr_multmat3(q_bar, J, gear);
    cr_accscl3(bar->qpos + t.v, q_bar, length_bar);
    if (gear_bar != NULL) {
      cr_accscl3(gear_bar, e, length_bar);
    }
  }
  if (gear_bar != NULL || t.turned >= 0) {
    joint_moment_vjp(m, d, bar, &t);
  }
}

// ---- the stage

static bool any_of(const cr_model* m, int trntype) {
  for (int i = 0; i < m->nactuator; i++) {
    if (m->actuator_trntype[i] == trntype) {
      return true;
    }
  }
  return false;
}

cr_status cr_transmission(const cr_model* m, cr_data* d) {
  int filled = 0;
  for (int i = 0; i < m->nactuator; i++) {
    int out = m->actuator_outadr[i];
    d->moment_rowadr[out] = filled;
    switch (m->actuator_trntype[i]) {
      case CR_TRN_TENDON:
        tendon(m, d, i);
        break;
      case CR_TRN_SITE:
        cri_transmission_site(m, d, i);
        break;
      case CR_TRN_SLIDERCRANK:
        cri_transmission_slidercrank(m, d, i);
        break;
      case CR_TRN_BODY:
        cri_transmission_body(m, d, i);
        break;
      case CR_TRN_SO3:
        cri_transmission_so3(m, d, i);
        break;
      default:
        joint(m, d, i);
        break;
    }
    for (int k = 0; k < m->actuator_outnum[i]; k++) {
      filled += d->moment_rownnz[out + k];
    }
  }
  // bodies touch less than there is room for
  cr_zero(d->actuator_moment + filled, d->nmoment - filled);
  for (int k = filled; k < d->nmoment; k++) {
    d->moment_colind[k] = 0;
  }
  return CR_OK;
}

cr_status cr_transmission_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  int filled = 0;
  for (int i = 0; i < m->nactuator; i++) {
    for (int k = 0; k < m->actuator_outnum[i]; k++) {
      filled += d->moment_rownnz[m->actuator_outadr[i] + k];
    }
    switch (m->actuator_trntype[i]) {
      case CR_TRN_TENDON:
        tendon_jvp(m, d, tan, i);
        break;
      case CR_TRN_SITE:
        cri_transmission_site_jvp(m, d, tan, i);
        break;
      case CR_TRN_SLIDERCRANK:
        cri_transmission_slidercrank_jvp(m, d, tan, i);
        break;
      case CR_TRN_BODY:
        cri_transmission_body_jvp(m, d, tan, i);
        break;
      case CR_TRN_SO3:
        cri_transmission_so3_jvp(m, d, tan, i);
        break;
      default:
        joint_jvp(m, d, tan, i);
        break;
    }
  }
  cr_zero(tan->actuator_moment + filled, d->nmoment - filled);
  return CR_OK;
}

// a pair of ten_J or efc_J for every pair of the moment, with the same right vector; the first
static int pairs_of(const cr_model* m, const cr_data* bar, cr_pairs* to) {
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  int first = to->n;
  for (int k = 0; k < pairs->n; k++) {
    int pair = cri_pairs_add(to);
    cr_copy(cri_pair_right(to, pair), cri_pair_right(pairs, k), m->nv);
  }
  return first;
}

cr_status cr_transmission_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int tendons = any_of(m, CR_TRN_TENDON) ? pairs_of(m, bar, &bar->ten_J_pairs) : 0;
  int rows = any_of(m, CR_TRN_BODY) && d->nefc > 0 ? pairs_of(m, bar, &bar->efc_J_pairs) : 0;
  for (int i = 0; i < m->nactuator; i++) {
    switch (m->actuator_trntype[i]) {
      case CR_TRN_TENDON:
        tendon_vjp(m, d, bar, i, tendons);
        break;
      case CR_TRN_SITE:
        cri_transmission_site_vjp(m, d, bar, i);
        break;
      case CR_TRN_SLIDERCRANK:
        cri_transmission_slidercrank_vjp(m, d, bar, i);
        break;
      case CR_TRN_BODY:
        cri_transmission_body_vjp(m, d, bar, i, rows);
        break;
      case CR_TRN_SO3:
        cri_transmission_so3_vjp(m, d, bar, i);
        break;
      default:
        joint_vjp(m, d, bar, i);
        break;
    }
  }
  return CR_OK;
}
