// SPDX-License-Identifier: Apache-2.0
// Spatial vectors (angular first) and inertias of one tree, all with world axes about one shared
// point, the centre of mass of the tree: so bodies add without transforms. Sources: MuJoCo's
// com-based quantities; R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.
//   motion  v = (w, v_o)      v_o velocity of the body point that passes the shared point
//   force   f = (n_o, f)      moment about that point, force
//   inertia I = (Ixx Iyy Izz Ixy Ixz Iyz, m cx, m cy, m cz, m), Ixx.. about the shared point
#ifndef CR_MATH_SPATIAL_H
#define CR_MATH_SPATIAL_H

#include "math/vec3.h"

static inline cr_real cr_dot6(const cr_real a[6], const cr_real b[6]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}
static inline void cr_copy6(cr_real r[6], const cr_real a[6]) {
  for (int i = 0; i < 6; i++) {
    r[i] = a[i];
  }
}
static inline void cr_zero6(cr_real r[6]) {
  for (int i = 0; i < 6; i++) {
    r[i] = 0;
  }
}
static inline void cr_acc6(cr_real r[6], const cr_real a[6]) {
  for (int i = 0; i < 6; i++) {
    r[i] += a[i];
  }
}
static inline void cr_accscl6(cr_real r[6], const cr_real a[6], cr_real s) {
  for (int i = 0; i < 6; i++) {
    r[i] += s * a[i];
  }
}

/// r = v x m: motion cross motion. r is bilinear; transposes are force crosses:
/// m_bar = -(v x* r_bar), v_bar = m x* r_bar ... with x* of cr_cross_force.
static inline void cr_cross_motion(cr_real r[6], const cr_real v[6], const cr_real m[6]) {
  cr_cross3(r, v, m);
  cr_cross3(r + 3, v, m + 3);
  cr_acccross3(r + 3, v + 3, m);
}
/// r = v x* f: motion cross force. (v x m) . f = - m . (v x* f).
static inline void cr_cross_force(cr_real r[6], const cr_real v[6], const cr_real f[6]) {
  cr_cross3(r, v, f);
  cr_acccross3(r, v + 3, f + 3);
  cr_cross3(r + 3, v, f + 3);
}

/// f = I v (symmetric and linear in both).
static inline void cr_inertia_mul(cr_real f[6], const cr_real I[10], const cr_real v[6]) {
  f[0] = I[0] * v[0] + I[3] * v[1] + I[4] * v[2] - I[8] * v[4] + I[7] * v[5];
  f[1] = I[3] * v[0] + I[1] * v[1] + I[5] * v[2] + I[8] * v[3] - I[6] * v[5];
  f[2] = I[4] * v[0] + I[5] * v[1] + I[2] * v[2] - I[7] * v[3] + I[6] * v[4];
  f[3] = I[8] * v[1] - I[7] * v[2] + I[9] * v[3];
  f[4] = I[6] * v[2] - I[8] * v[0] + I[9] * v[4];
  f[5] = I[7] * v[0] - I[6] * v[1] + I[9] * v[5];
}
/// I_bar += s * d(u . I v)/dI: the cotangent of the inertia in the bilinear form u' I v.
static inline void cr_inertia_bar(cr_real I_bar[10], const cr_real u[6], const cr_real v[6],
                                  cr_real s) {
  I_bar[0] += s * u[0] * v[0];
  I_bar[1] += s * u[1] * v[1];
  I_bar[2] += s * u[2] * v[2];
  I_bar[3] += s * (u[0] * v[1] + u[1] * v[0]);
  I_bar[4] += s * (u[0] * v[2] + u[2] * v[0]);
  I_bar[5] += s * (u[1] * v[2] + u[2] * v[1]);
  I_bar[6] += s * (u[2] * v[4] - u[1] * v[5] + u[4] * v[2] - u[5] * v[1]);
  I_bar[7] += s * (u[0] * v[5] - u[2] * v[3] + u[5] * v[0] - u[3] * v[2]);
  I_bar[8] += s * (u[1] * v[3] - u[0] * v[4] + u[3] * v[1] - u[4] * v[0]);
  I_bar[9] += s * (u[3] * v[3] + u[4] * v[4] + u[5] * v[5]);
}

#endif
