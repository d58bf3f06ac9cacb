// SPDX-License-Identifier: Apache-2.0
// Unit quaternions and the exponential map of SO(3).
#include "math/quat.h"

cr_real cr_quat_normalize(cr_real q[4]) {
  cr_real n = cr_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (n < CR_MINVAL) {
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    return 0;
  }
  for (int i = 0; i < 4; i++) {
    q[i] /= n;
  }
  return n;
}

void cr_quat_axis_angle(cr_real q[4], const cr_real axis[3], cr_real angle) {
  cr_real s = cr_sin(angle / 2);
  q[0] = cr_cos(angle / 2);
  cr_scl3(q + 1, axis, s);
}

void cr_quat_integrate(cr_real q[4], const cr_real w[3], cr_real h) {
  cr_real axis[3], turn[4], result[4];
  cr_copy3(axis, w);
  cr_real angle = h * cr_normalize3(axis);
  cr_quat_axis_angle(turn, axis, angle);
  cr_quat_normalize(q);
  cr_quat_mul(result, q, turn);
  cr_copy(q, result, 4);
}

void cr_quat_log(cr_real v[3], const cr_real q[4]) {
  cr_real axis[3] = {q[1], q[2], q[3]};
  cr_real s = cr_normalize3(axis);
  cr_real angle = 2 * cr_atan2(s, q[0]);
  if (angle > CR_PI) {
    angle -= 2 * CR_PI;
  }
  cr_scl3(v, axis, angle);
}

void cr_quat_sub(cr_real v[3], const cr_real a[4], const cr_real b[4]) {
  cr_real inverse[4] = {b[0], -b[1], -b[2], -b[3]}, relative[4];
  cr_quat_mul(relative, inverse, a);
  cr_quat_log(v, relative);
}

// J = I + c1 [p]x + c2 (p p' - t^2 I), the last bracket being [p]x^2
static void from_axis(cr_real J[9], const cr_real p[3], cr_real c1, cr_real c2) {
  cr_real tt = cr_dot3(p, p);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      J[3 * i + j] = c2 * p[i] * p[j] + (i == j ? 1 - c2 * tt : 0);
    }
  }
  J[1] -= c1 * p[2];
  J[2] += c1 * p[1];
  J[3] += c1 * p[2];
  J[5] -= c1 * p[0];
  J[6] -= c1 * p[1];
  J[7] += c1 * p[0];
}

// below this angle the power series are exact to the last bit and the closed forms are not
#define SMALL_ANGLE CR_R(0.02)

void cr_so3_jr(cr_real J[9], const cr_real p[3]) {
  cr_real tt = cr_dot3(p, p), t = cr_sqrt(tt), b, c;
  if (t < SMALL_ANGLE) {
    b = CR_R(0.5) - tt / 24 * (1 - tt / 30 * (1 - tt / 56 * (1 - tt / 90)));
    c = CR_R(1.0) / 6 - tt / 120 * (1 - tt / 42 * (1 - tt / 72 * (1 - tt / 110)));
  } else {
    cr_real half = cr_sin(t / 2);
    b = 2 * half * half / tt;
    c = (t - cr_sin(t)) / (tt * t);
  }
  from_axis(J, p, -b, c);
}

void cr_so3_jr_inv(cr_real J[9], const cr_real p[3]) {
  cr_real tt = cr_dot3(p, p), t = cr_sqrt(tt), c;
  if (t < SMALL_ANGLE) {
    c = CR_R(1.0) / 12 + tt / 720 * (1 + tt / 42 * (1 + tt / 40 * (1 + tt * CR_R(5.0) / 198)));
  } else {
    c = 1 / tt - cr_cos(t / 2) / (2 * t * cr_sin(t / 2));
  }
  from_axis(J, p, CR_R(0.5), c);
}

// from its largest number, which is never small
void cr_quat_of_mat(cr_real q[4], const cr_real R[9]) {
  cr_real size[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8],
                     R[8] - R[0] - R[4]};
  int k = 0;
  for (int i = 1; i < 4; i++) {
    k = size[i] > size[k] ? i : k;
  }
  // 4 q_k q_i for all i, so that only signs relative to q_k are left to choose
  const cr_real wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1];
  const cr_real xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
  const cr_real rows[4][4] = {{1 + size[0], wx, wy, wz},
                              {wx, 1 + size[1], xy, xz},
                              {wy, xy, 1 + size[2], yz},
                              {wz, xz, yz, 1 + size[3]}};
  cr_copy(q, rows[k], 4);
  cr_quat_normalize(q);
}
