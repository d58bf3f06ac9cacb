// SPDX-License-Identifier: Apache-2.0
// Numbers with derivatives, for the laws of controllers: a value with its row of derivatives, so that a
// limit can replace the whole row.
#ifndef CR_ACTUATOR_DUAL_NUMBER_H
#define CR_ACTUATOR_DUAL_NUMBER_H

#include "base/real.h"

/// Columns: inputs, states, lengths, velocities; and of parameters: dynprm, gainprm, biasprm, actrange.
enum { CR_LAW_U = 4, CR_LAW_ACT = 5, CR_LAW_OUT = 3 };  // most inputs, states, outputs
enum { CR_LAW_L = 9, CR_LAW_V = 12, CR_LAW_COLUMNS = 15 };
enum { CR_LAW_DYN = 0, CR_LAW_GAIN = 10, CR_LAW_BIAS = 20, CR_LAW_RANGE = 30, CR_LAW_PRMS = 32 };

typedef struct {
  cr_real value, by[CR_LAW_COLUMNS], by_prm[CR_LAW_PRMS];
  cr_real by_period;  // of the setpoint's circle, actuator/setpoint
} cri_dual;

static inline cri_dual cri_dual_constant(cr_real value) { return (cri_dual){.value = value}; }

static inline cri_dual cri_dual_column(int k, cr_real value) {
  cri_dual x = {.value = value};
  x.by[k] = 1;
  return x;
}

static inline cri_dual cri_dual_prm(int k, cr_real value) {
  cri_dual x = {.value = value};
  x.by_prm[k] = 1;
  return x;
}

/// x += s y, s a constant.
static inline void cri_dual_add(cri_dual* x, cr_real s, const cri_dual* y) {
  x->value += s * y->value;
  for (int k = 0; k < CR_LAW_COLUMNS; k++) {
    x->by[k] += s * y->by[k];
  }
  for (int k = 0; k < CR_LAW_PRMS; k++) {
    x->by_prm[k] += s * y->by_prm[k];
  }
  x->by_period += s * y->by_period;
}

/// x += p y, p the parameter number k.
static inline void cri_dual_add_prm(cri_dual* x, int k, cr_real p, const cri_dual* y) {
  cri_dual_add(x, p, y);
  x->by_prm[k] += y->value;
}

/// s x
static inline cri_dual cri_dual_times(cr_real s, const cri_dual* x) {
  cri_dual y = {0};
  cri_dual_add(&y, s, x);
  return y;
}

/// x within +-p, p the parameter number k; 0 is no limit. Returns true if the limit holds.
static inline bool cri_dual_limit(cri_dual* x, int k, cr_real p) {
  if (p > 0 && cr_abs(x->value) > p) {
    cr_real side = x->value > 0 ? 1 : -1;
    *x = cri_dual_constant(side * p);
    x->by_prm[k] = side;
    return true;
  }
  return false;
}

#endif
