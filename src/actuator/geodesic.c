// SPDX-License-Identifier: Apache-2.0
// Orientation servos: a torque along the shortest turn to the requested orientation.
#include "actuator/drive.h"

#include "math/quat.h"

enum { QUAT = 2 };  // actuator_ctrlspec: the inputs are a quaternion

static void exponential(cr_real q[4], const cr_real w[3]) {
  cr_real angle = cr_norm3(w), axis[3] = {1, 0, 0};
  if (angle >= CR_MINVAL) {
    cr_scl3(axis, w, 1 / angle);
  }
  cr_quat_axis_angle(q, axis, angle);
}

// the requested orientation: inputs, or states that inputs move; number of numbers
static int asked(cri_drive* b, cri_dual x[4]) {
  int n = b->law->nu;
  for (int k = 0; k < n; k++) {
    x[k] = cri_dual_column(k, b->u[k]);
  }
  for (int k = 0; k < b->law->nact; k++) {
    b->law->row[CR_LAW_RATE + k] = x[k];
    x[k] = cri_drive_state(b, k);
  }
  return n;
}

// Q of x[n], and the turn of its body frame by each of them: turn[3][n]
static void target(const cri_drive* b, const cri_dual x[4], int n, cr_real q[4],
                   cr_real turn[3][4]) {
  cr_real at[4] = {0};
  for (int k = 0; k < n; k++) {
    at[k] = x[k].value;
  }
  memset(turn, 0, 3 * sizeof turn[0]);
  if (b->m->actuator_ctrlspec[b->i] != QUAT) {
    cr_real J[9];
    exponential(q, at);
    cr_so3_jr(J, at);
    for (int r = 0; r < 3; r++) {
      cr_copy3(turn[r], J + 3 * r);
    }
    return;
  }
  cr_copy(q, at, 4);
  cr_real length = cr_quat_normalize(q), back[4] = {q[0], -q[1], -q[2], -q[3]};
  for (int k = 0; k < 4 && length >= CR_MINVAL; k++) {
    cr_real unit[4] = {0}, w[4];
    unit[k] = 2 / length;
    cr_quat_mul(w, back, unit);
    for (int r = 0; r < 3; r++) {
      turn[r][k] = w[1 + r];
    }
  }
}

void cri_geodesic(cri_drive* b) {
  cri_dual x[4];
  cr_real q[4], at[4], e[3], J[9], Jl[9], turn[3][4];
  int n = asked(b, x);
  target(b, x, n, q, turn);
  exponential(at, b->l);
  cr_quat_sub(e, q, at);
  cr_so3_jr_inv(J, e);
  cr_so3_jr(Jl, b->l);
  for (int r = 0; r < 3; r++) {
    // [controller.c9] e' = Jr^-1(e) turn x' - Jl^-1(e) Jr(l) l'
    cri_dual error = cri_dual_constant(0), v = cri_dual_column(CR_LAW_V + r, b->v[r]);
    for (int k = 0; k < n; k++) {
      cri_dual_add(&error,
                   J[3 * r] * turn[0][k] + J[3 * r + 1] * turn[1][k] + J[3 * r + 2] * turn[2][k],
                   &x[k]);
    }
    for (int k = 0; k < 3; k++) {
      error.by[CR_LAW_L + k] = -(J[r] * Jl[k] + J[3 + r] * Jl[3 + k] + J[6 + r] * Jl[6 + k]);
    }
    error.value = e[r];
    cri_dual* f = &b->law->row[CR_LAW_FORCE + r];
    cri_dual_add_prm(f, CR_LAW_GAIN, b->gain[0], &error);
    f->value += b->bias[0];
    f->by_prm[CR_LAW_BIAS] = 1;
    cri_dual_add_prm(f, CR_LAW_BIAS + 2, b->bias[2], &v);
  }
  // [controller.c8] as of a separate servo about each axis
  b->law->row[CR_LAW_FORCE_SLOPE] = cri_dual_prm(CR_LAW_BIAS + 2, b->bias[2]);
  b->law->row[CR_LAW_FORCE_SLOPE + 1] = cri_dual_prm(CR_LAW_BIAS + 1, b->bias[1]);
}
