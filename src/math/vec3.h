// SPDX-License-Identifier: Apache-2.0
// Vectors of three numbers and 3 x 3 matrices (row-major). Linear maps are their own derivative; the few
// functions that are not linear have the derivative beside them.
// No output may overlap an input unless the comment says so.
#ifndef CR_MATH_VEC3_H
#define CR_MATH_VEC3_H

#include "base/real.h"

static inline void cr_zero3(cr_real r[3]) { r[0] = r[1] = r[2] = 0; }
static inline void cr_copy3(cr_real r[3], const cr_real a[3]) {
  r[0] = a[0];
  r[1] = a[1];
  r[2] = a[2];
}
/// r = a + b; may overlap.
static inline void cr_add3(cr_real r[3], const cr_real a[3], const cr_real b[3]) {
  r[0] = a[0] + b[0];
  r[1] = a[1] + b[1];
  r[2] = a[2] + b[2];
}
/// r = a - b; may overlap.
static inline void cr_sub3(cr_real r[3], const cr_real a[3], const cr_real b[3]) {
  r[0] = a[0] - b[0];
  r[1] = a[1] - b[1];
  r[2] = a[2] - b[2];
}
/// r = s a; may overlap.
static inline void cr_scl3(cr_real r[3], const cr_real a[3], cr_real s) {
  r[0] = s * a[0];
  r[1] = s * a[1];
  r[2] = s * a[2];
}
/// r += a.
static inline void cr_acc3(cr_real r[3], const cr_real a[3]) {
  r[0] += a[0];
  r[1] += a[1];
  r[2] += a[2];
}
/// r += s a.
static inline void cr_accscl3(cr_real r[3], const cr_real a[3], cr_real s) {
  r[0] += s * a[0];
  r[1] += s * a[1];
  r[2] += s * a[2];
}
static inline cr_real cr_dot3(const cr_real a[3], const cr_real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline cr_real cr_norm3(const cr_real a[3]) { return cr_sqrt(cr_dot3(a, a)); }

/// r = a x b. Transposes: the cotangent of a is b x r_bar, that of b is r_bar x a.
static inline void cr_cross3(cr_real r[3], const cr_real a[3], const cr_real b[3]) {
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}
/// r += a x b.
static inline void cr_acccross3(cr_real r[3], const cr_real a[3], const cr_real b[3]) {
  r[0] += a[1] * b[2] - a[2] * b[1];
  r[1] += a[2] * b[0] - a[0] * b[2];
  r[2] += a[0] * b[1] - a[1] * b[0];
}

/// r = A x.
static inline void cr_mulmat3(cr_real r[3], const cr_real A[9], const cr_real x[3]) {
  r[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  r[1] = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  r[2] = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}
/// r = A' x.
static inline void cr_multmat3(cr_real r[3], const cr_real A[9], const cr_real x[3]) {
  r[0] = A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
  r[1] = A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
  r[2] = A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
}
/// r += A x.
static inline void cr_accmat3(cr_real r[3], const cr_real A[9], const cr_real x[3]) {
  r[0] += A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  r[1] += A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  r[2] += A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
}
/// r += A' x.
static inline void cr_acctmat3(cr_real r[3], const cr_real A[9], const cr_real x[3]) {
  r[0] += A[0] * x[0] + A[3] * x[1] + A[6] * x[2];
  r[1] += A[1] * x[0] + A[4] * x[1] + A[7] * x[2];
  r[2] += A[2] * x[0] + A[5] * x[1] + A[8] * x[2];
}
/// R += a b': the cotangent of A in r = A x, with a = r_bar and b = x.
static inline void cr_accouter3(cr_real R[9], const cr_real a[3], const cr_real b[3]) {
  for (int i = 0; i < 3; i++) {
    cr_accscl3(R + 3 * i, b, a[i]);
  }
}
/// R = A B.
static inline void cr_matmul3(cr_real R[9], const cr_real A[9], const cr_real B[9]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      R[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
  }
}
/// Column k of A.
static inline void cr_col3(cr_real r[3], const cr_real A[9], int k) {
  r[0] = A[k];
  r[1] = A[3 + k];
  r[2] = A[6 + k];
}
/// Column k of A += a.
static inline void cr_acccol3(cr_real A[9], const cr_real a[3], int k) {
  A[k] += a[0];
  A[3 + k] += a[1];
  A[6 + k] += a[2];
}

/// Scales a to unit length in place and returns its length; (1, 0, 0) and 0 where it is shorter
/// than CR_MINVAL, as MuJoCo does.
static inline cr_real cr_normalize3(cr_real a[3]) {
  cr_real n = cr_norm3(a);
  if (n < CR_MINVAL) {
    a[0] = 1;
    a[1] = a[2] = 0;
    return 0;
  }
  cr_scl3(a, a, 1 / n);
  return n;
}
/// Tangent of u = a/|a|, given u and the length n: u_tan = (a_tan - u (u . a_tan)) / n.
/// The map is symmetric, so the same function takes a cotangent of u to one of a.
static inline void cr_normalize3_tan(cr_real u_tan[3], const cr_real u[3], cr_real n,
                                     const cr_real a_tan[3]) {
  cr_real s = cr_dot3(u, a_tan);
  for (int i = 0; i < 3; i++) {
    u_tan[i] = (a_tan[i] - u[i] * s) / n;
  }
}

/// Tangent of a rotation matrix turned by the world vector w: R_tan = [w]x R.
static inline void cr_rot_tan(cr_real R_tan[9], const cr_real w[3], const cr_real R[9]) {
  for (int k = 0; k < 3; k++) {
    R_tan[k] = w[1] * R[6 + k] - w[2] * R[3 + k];
    R_tan[3 + k] = w[2] * R[k] - w[0] * R[6 + k];
    R_tan[6 + k] = w[0] * R[3 + k] - w[1] * R[k];
  }
}
/// Transpose of cr_rot_tan: w_bar += sum over columns r_k x R_bar_k, world frame.
static inline void cr_rot_bar(cr_real w_bar[3], const cr_real R[9], const cr_real R_bar[9]) {
  for (int k = 0; k < 3; k++) {
    w_bar[0] += R[3 + k] * R_bar[6 + k] - R[6 + k] * R_bar[3 + k];
    w_bar[1] += R[6 + k] * R_bar[k] - R[k] * R_bar[6 + k];
    w_bar[2] += R[k] * R_bar[3 + k] - R[3 + k] * R_bar[k];
  }
}
/// Adds the cotangent s w of a world rotation to the ambient R_bar: cr_rot_bar of it is s w again.
static inline void cr_accrot(cr_real R_bar[9], const cr_real w[3], cr_real s, const cr_real R[9]) {
  cr_real half[3], ambient[9];
  cr_scl3(half, w, s / 2);
  cr_rot_tan(ambient, half, R);
  for (int k = 0; k < 9; k++) {
    R_bar[k] += ambient[k];
  }
}
/// The world vector w of a tangent R_tan = [w]x R: half the sum over columns r_k x R_tan_k.
static inline void cr_rot_vec(cr_real w[3], const cr_real R[9], const cr_real R_tan[9]) {
  cr_zero3(w);
  cr_rot_bar(w, R, R_tan);
  cr_scl3(w, w, CR_R(0.5));
}

#endif
