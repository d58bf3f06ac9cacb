// SPDX-License-Identifier: Apache-2.0
// Bristles. Both functions depend on the decay a; its derivatives are carried on.
#include "actuator/lugre.h"

// [controller.b1] a with its derivatives; by_z is not one of them
static cri_lugre decay_of(const cr_model* m, int i, cr_real v) {
  cr_real stiffness = m->actuator_dynprm[10 * i + 5], speed = cr_abs(v);
  const cr_real* F = m->actuator_biasprm + 10 * i + 3;
  cr_real vs = cr_max(CR_MINVAL, F[2]), x = v / vs, e = cr_exp(-x * x);
  cr_real stribeck = F[0] + (F[1] - F[0]) * e, g = cr_max(CR_MINVAL, stribeck);
  cri_lugre a = {.value = -stiffness * speed / g};
  a.by_stiffness = -speed / g;
  a.by_v = -stiffness * cr_sign(v) / g;
  if (stribeck > CR_MINVAL) {
    cr_real by_g = stiffness * speed / (g * g), by_x = -2 * x * e * (F[1] - F[0]);
    a.by_v += by_g * by_x / vs;
    a.by_friction[0] = by_g * (1 - e);
    a.by_friction[1] = by_g * e;
    a.by_friction[2] = F[2] > CR_MINVAL ? -by_g * by_x * x / vs : 0;
  }
  return a;
}

// a number that depends on the rest through a alone, with the slope s
static cri_lugre through(const cri_lugre* a, cr_real s) {
  cri_lugre y = {.by_v = s * a->by_v, .by_stiffness = s * a->by_stiffness};
  for (int k = 0; k < 3; k++) {
    y.by_friction[k] = s * a->by_friction[k];
  }
  return y;
}

cri_lugre cri_lugre_rate(const cr_model* m, int i, cr_real z, cr_real v) {
  // [controller.b2]
  cri_lugre a = decay_of(m, i, v), rate = through(&a, z);
  rate.value = a.value * z + v;
  rate.by_z = a.value;
  rate.by_v += 1;
  return rate;
}

// (e^x - 1) / x, and its derivative
static cr_real mean_decay(cr_real x, cr_real* slope) {
  if (cr_abs(x) < CR_R(0.01)) {
    cr_real value = 1, term = 1;
    *slope = 0;
    for (int k = 1; k < 10; k++) {
      *slope += term * (cr_real)k / (cr_real)(k + 1);
      term *= x / (cr_real)(k + 1);
      value += term;
    }
    return value;
  }
  cr_real value = CR_FN(expm1)(x) / x;
  *slope = (cr_exp(x) - value) / x;
  return value;
}

cri_lugre cri_lugre_next(const cr_model* m, int i, cr_real h, cr_real z, cr_real v) {
  // [controller.b3]
  cri_lugre a = decay_of(m, i, v);
  cr_real slope, E = cr_exp(a.value * h), mean = mean_decay(a.value * h, &slope);
  cri_lugre next = through(&a, h * E * z + h * h * slope * v);
  next.value = E * z + h * mean * v;
  next.by_z = E;
  next.by_v += h * mean;
  return next;
}
