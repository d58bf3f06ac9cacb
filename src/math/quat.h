// SPDX-License-Identifier: Apache-2.0
// Unit quaternions, w first, body to world. Tangents are rotation vectors in the body frame (right
// perturbation): q' = q exp(delta / 2). See docs/conventions.md.
#ifndef CR_MATH_QUAT_H
#define CR_MATH_QUAT_H

#include "math/vec3.h"

/// r = a b; may overlap.
static inline void cr_quat_mul(cr_real r[4], const cr_real a[4], const cr_real b[4]) {
  cr_real w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  cr_real x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  cr_real y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  cr_real z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  r[0] = w;
  r[1] = x;
  r[2] = y;
  r[3] = z;
}

/// Rotation matrix of q, row-major. Tangent: R_tan = R [delta]x.
static inline void cr_quat_to_mat(cr_real R[9], const cr_real q[4]) {
  cr_real ww = q[0] * q[0], xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
  cr_real wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
  cr_real xy = q[1] * q[2], xz = q[1] * q[3], yz = q[2] * q[3];
  R[0] = ww + xx - yy - zz;
  R[4] = ww - xx + yy - zz;
  R[8] = ww - xx - yy + zz;
  R[1] = 2 * (xy - wz);
  R[2] = 2 * (xz + wy);
  R[3] = 2 * (xy + wz);
  R[5] = 2 * (yz - wx);
  R[6] = 2 * (xz - wy);
  R[7] = 2 * (yz + wx);
}

/// A unit quaternion of a rotation matrix; q and -q are the same turn. Undoes cr_quat_to_mat.
void cr_quat_of_mat(cr_real q[4], const cr_real R[9]);

/// Scales q to unit length in place and returns its length before; identity and 0 if that is
/// shorter than CR_MINVAL.
cr_real cr_quat_normalize(cr_real q[4]);

/// Quaternion of a turn by `angle` about the unit `axis`.
void cr_quat_axis_angle(cr_real q[4], const cr_real axis[3], cr_real angle);

/// q = q exp(h w), w in the body frame: the step of a ball or free joint (mju_quatIntegrate).
void cr_quat_integrate(cr_real q[4], const cr_real w[3], cr_real h);

/// Rotation vector of q, angle in [-pi, pi]: the inverse of the exponential (mju_quat2Vel, dt 1).
void cr_quat_log(cr_real v[3], const cr_real q[4]);

/// v = log(b^-1 a): the rotation vector, in the frame of b, that turns b into a (mju_subQuat).
void cr_quat_sub(cr_real v[3], const cr_real a[4], const cr_real b[4]);

/// Right Jacobian of SO(3), Jr(p), row-major: exp(p + dp) = exp(p) exp(Jr(p) dp) to first order.
///   Jr = I - (1 - cos t)/t^2 [p]x + (t - sin t)/t^3 [p]x^2,  t = |p|;  the left one is Jr(p)'.
void cr_so3_jr(cr_real J[9], const cr_real p[3]);

/// Its inverse: Jr^-1 = I + [p]x/2 + (1/t^2 - cot(t/2)/(2 t)) [p]x^2,  t < 2 pi.
void cr_so3_jr_inv(cr_real J[9], const cr_real p[3]);

#endif
