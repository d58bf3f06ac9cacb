// SPDX-License-Identifier: Apache-2.0
// Lengths, and moments as a sparse matrix with one row an output. The moment of a joint is a copy
// of the gear, so all its derivatives end there; that of a tendon is a multiple of the tendon's row.
#include "dynamics/transmission.h"

#include "dynamics/site.h"
#include "math/quat.h"
#include "model/build.h"

// joint, gear, first number of the moment row and first dof of actuator i
typedef struct {
  int type, ndof;
  int q, v;          // first coordinate and dof of the joint
  int out;           // output, row of the moment
  int gear, moment;  // first number in actuator_gear and actuator_moment
} route;

static route route_of(const cr_model* m, const cr_data* d, int i) {
  int j = m->actuator_trnid[2 * i], out = m->actuator_outadr[i];
  return (route){.type = m->jnt_type[j],
                 .ndof = cri_jnt_nv(m->jnt_type[j]),
                 .q = m->jnt_qposadr[j],
                 .v = m->jnt_dofadr[j],
                 .out = out,
                 .gear = 6 * out,
                 .moment = d->moment_rowadr[out]};
}

// rotation vector of a ball joint
static void rotation_vector(cr_real e[3], const cr_real q[4]) {
  cr_real unit[4];
  cr_copy(unit, q, 4);
  cr_quat_normalize(unit);
  cr_quat_log(e, unit);
}

// ---- tendons

// what actuator i pulls on: tendon, output, scale, first numbers of the two rows
typedef struct {
  int tendon, out, n;
  cr_real gear;
  int row, moment;
} pull;

static bool pulls(const cr_model* m, int i) { return m->actuator_trntype[i] == CR_TRN_TENDON; }

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
  // [t4] length = gear ten_length, moment = gear ten_J
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
  // [t4]
  tan->actuator_length[p.out] =
      gear_tan * d->ten_length[p.tendon] + p.gear * tan->ten_length[p.tendon];
  for (int k = 0; k < p.n; k++) {
    tan->actuator_moment[p.moment + k] =
        gear_tan * d->ten_J[p.row + k] + p.gear * tan->ten_J[p.row + k];
  }
}

// [t4]' length_bar and row_bar of the tendon; `first` is the pair of ten_J for the first of the
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

// a pair of ten_J for every pair of the moment, with the same right vector; the first of them
static int tendon_pairs(const cr_model* m, cr_data* bar) {
  const cr_pairs* pairs = &bar->actuator_moment_pairs;
  int first = bar->ten_J_pairs.n;
  for (int k = 0; k < pairs->n; k++) {
    int pair = cri_pairs_add(&bar->ten_J_pairs);
    cr_copy(cri_pair_right(&bar->ten_J_pairs, pair), cri_pair_right(pairs, k), m->nv);
  }
  return first;
}

static bool any_pulls(const cr_model* m) {
  for (int i = 0; i < m->nactuator; i++) {
    if (pulls(m, i)) {
      return true;
    }
  }
  return false;
}

// ---- the stage

cr_status cr_transmission(const cr_model* m, cr_data* d) {
  int filled = 0;
  for (int i = 0; i < m->nactuator; i++) {
    d->moment_rowadr[m->actuator_outadr[i]] = filled;
    if (pulls(m, i)) {
      tendon(m, d, i);
      filled += d->moment_rownnz[m->actuator_outadr[i]];
      continue;
    }
    if (m->actuator_trntype[i] == CR_TRN_SITE) {
      cri_site(m, d, i);
      filled += d->moment_rownnz[m->actuator_outadr[i]];
      continue;
    }
    route t = route_of(m, d, i);
    const cr_real* gear = m->actuator_gear + t.gear;
    // [t1], [t2], [t3] moment = gear
    d->moment_rownnz[t.out] = t.ndof;
    filled += t.ndof;
    for (int k = 0; k < t.ndof; k++) {
      d->actuator_moment[t.moment + k] = gear[k];
      d->moment_colind[t.moment + k] = t.v + k;
    }
    cr_real length = 0;
    if (t.ndof == 1) {
      // [t1] length = gear q
      length = gear[0] * d->qpos[t.q];
    } else if (t.type == CR_JNT_BALL) {
      // [t2] length = gear . log(q)
      cr_real e[3];
      rotation_vector(e, d->qpos + t.q);
      length = cr_dot3(gear, e);
    }
    d->actuator_length[t.out] = length;
  }
  return CR_OK;
}

cr_status cr_transmission_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  for (int i = 0; i < m->nactuator; i++) {
    if (pulls(m, i)) {
      tendon_jvp(m, d, tan, i);
      continue;
    }
    if (m->actuator_trntype[i] == CR_TRN_SITE) {
      cri_site_jvp(m, d, tan, i);
      continue;
    }
    route t = route_of(m, d, i);
    const cr_real* gear = m->actuator_gear + t.gear;
    const cr_real* gear_tan = cri_par_tan(tan->par.actuator_gear, t.out, 6);
    // [t1], [t2], [t3]
    cr_copy(tan->actuator_moment + t.moment, gear_tan, t.ndof);
    cr_real length_tan = 0;
    if (t.ndof == 1) {
      // [t1] gear' q + gear q'
      length_tan = gear_tan[0] * d->qpos[t.q] + gear[0] * tan->qpos[t.v];
    } else if (t.type == CR_JNT_BALL) {
      // [t2] gear' . e + gear . Jr^-1(e) q'
      cr_real e[3], e_tan[3], J[9];
      rotation_vector(e, d->qpos + t.q);
      cr_so3_jr_inv(J, e);
      cr_mulmat3(e_tan, J, tan->qpos + t.v);
      length_tan = cr_dot3(gear_tan, e) + cr_dot3(gear, e_tan);
    }
    tan->actuator_length[t.out] = length_tan;
  }
  return CR_OK;
}

// [t1]', [t2]', [t3]' gear_bar += row of the moment's cotangent, sum of left (x) right
static void moment_vjp(const cr_pairs* pairs, const route* t, cr_real* gear_bar) {
  for (int p = 0; p < pairs->n; p++) {
    cr_real left = cri_pair_left(pairs, p)[t->out];
    const cr_real* right = cri_pair_right(pairs, p) + t->v;
    for (int k = 0; k < t->ndof; k++) {
      gear_bar[k] += left * right[k];
    }
  }
}

cr_status cr_transmission_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  int first = any_pulls(m) ? tendon_pairs(m, bar) : 0;
  for (int i = 0; i < m->nactuator; i++) {
    if (pulls(m, i)) {
      tendon_vjp(m, d, bar, i, first);
      continue;
    }
    if (m->actuator_trntype[i] == CR_TRN_SITE) {
      cri_site_vjp(m, d, bar, i);
      continue;
    }
    route t = route_of(m, d, i);
    const cr_real* gear = m->actuator_gear + t.gear;
    cr_real* gear_bar = bar->par.actuator_gear == NULL ? NULL : bar->par.actuator_gear + t.gear;
    cr_real length_bar = bar->actuator_length[t.out];
    if (t.ndof == 1) {
      // [t1]' q_bar += gear length_bar, gear_bar += q length_bar
      bar->qpos[t.v] += gear[0] * length_bar;
      if (gear_bar != NULL) {
        gear_bar[0] += d->qpos[t.q] * length_bar;
      }
    } else if (t.type == CR_JNT_BALL) {
      // [t2]' q_bar += Jr^-T(e) gear length_bar, gear_bar += e length_bar
      cr_real e[3], q_bar[3], J[9];
      rotation_vector(e, d->qpos + t.q);
      cr_so3_jr_inv(J, e);
      cr_multmat3(q_bar, J, gear);
      cr_accscl3(bar->qpos + t.v, q_bar, length_bar);
      if (gear_bar != NULL) {
        cr_accscl3(gear_bar, e, length_bar);
      }
    }
    if (gear_bar != NULL) {
      moment_vjp(&bar->actuator_moment_pairs, &t, gear_bar);
    }
  }
  return CR_OK;
}
