// SPDX-License-Identifier: Apache-2.0
// Newton's and Euler's equations of one rigid body, with their derivatives. Spatial quantities of a
// tree, see math/spatial.h.
//   f = I a + v x* h,  h = I v                                                [bias.n1]
#ifndef CR_FORCE_NEWTON_EULER_H
#define CR_FORCE_NEWTON_EULER_H

#include "math/spatial.h"

/// f = I a + v x* h, h given.
static inline void cri_newton_with(cr_real f[6], const cr_real I[10], const cr_real a[6],
                                   const cr_real v[6], const cr_real h[6]) {
  cr_real turned[6];
  cr_inertia_mul(f, I, a);
  cr_cross_force(turned, v, h);
  cr_acc6(f, turned);
}

/// [bias.n1] The force that gives a body of inertia I with velocity v the acceleration a.
static inline void cri_newton(cr_real f[6], const cr_real I[10], const cr_real a[6],
                              const cr_real v[6]) {
  cr_real h[6];
  cr_inertia_mul(h, I, v);
  cri_newton_with(f, I, a, v, h);
}

/// Its tangent.
static inline void cri_newton_tan(cr_real f_tan[6], const cr_real I[10], const cr_real a[6],
                                  const cr_real v[6], const cr_real I_tan[10],
                                  const cr_real a_tan[6], const cr_real v_tan[6]) {
  cr_real h[6], h_tan[6], t[6];
  // I_tan a + v x* (I_tan v + I v_tan)
  cr_inertia_mul(h_tan, I_tan, v);
  cr_inertia_mul(t, I, v_tan);
  cr_acc6(h_tan, t);
  cri_newton_with(f_tan, I_tan, a, v, h_tan);
  // I a_tan + v_tan x* I v
  cr_inertia_mul(h, I, v);
  cri_newton_with(t, I, a_tan, v_tan, h);
  cr_acc6(f_tan, t);
}

/// Cotangents from the cotangent of the force, the motion w: adds to those of I and v, sets that of a.
static inline void cri_newton_bar(const cr_real w[6], const cr_real I[10], const cr_real a[6],
                                  const cr_real v[6], cr_real I_bar[10], cr_real v_bar[6],
                                  cr_real a_bar[6]) {
  cr_real h[6], h_bar[6], t[6];
  // w . (v x* h) = (w x v) . h: h_bar = w x v, and v_bar = h_bar's share of v - w x* h
  cr_cross_motion(h_bar, w, v);
  cr_inertia_mul(h, I, v);
  cr_inertia_mul(t, I, h_bar);
  cr_acc6(v_bar, t);
  cr_cross_force(t, w, h);
  cr_accscl6(v_bar, t, -1);
  cr_inertia_mul(a_bar, I, w);
  cr_inertia_bar(I_bar, w, a, 1);
  cr_inertia_bar(I_bar, h_bar, v, 1);
}

/// Q of Q nu = v x* I nu + nu x* I v - I (v x nu): the change of the force of [bias.n1] when velocities
/// change by nu, in addition to I times the change of a.
static inline void cri_newton_slope(const cr_real I[10], const cr_real v[6], cr_real Q[36]) {
  cr_real h[6];
  cr_inertia_mul(h, I, v);
  for (int j = 0; j < 6; j++) {
    cr_real nu[6] = {0}, In[6], vn[6], turned[6], carried[6], dragged[6];
    nu[j] = 1;
    cr_inertia_mul(In, I, nu);
    cr_cross_force(turned, v, In);
    cr_cross_force(carried, nu, h);
    cr_cross_motion(vn, v, nu);
    cr_inertia_mul(dragged, I, vn);
    for (int i = 0; i < 6; i++) {
      Q[6 * i + j] = turned[i] + carried[i] - dragged[i];
    }
  }
}

#endif
