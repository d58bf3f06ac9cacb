// SPDX-License-Identifier: Apache-2.0
// The real type's literals and functions: CR_R(0.1) is a literal of type cr_real, cr_sin its sine.
// Every source file that computes uses these, so that one flag builds it in long double.
#ifndef CR_BASE_REAL_H
#define CR_BASE_REAL_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "carom/base.h"

#ifdef CR_LONG_DOUBLE
#define CR_R(x) x##L
#define CR_FN(f) f##l
#define CR_EPS LDBL_EPSILON
#define CR_MAX LDBL_MAX
#else
#define CR_R(x) x
#define CR_FN(f) f
#define CR_EPS DBL_EPSILON
#define CR_MAX DBL_MAX
#endif

#define CR_PI CR_R(3.14159265358979323846264338327950288)

/// Smallest denominator, size or time constant that is trusted (MuJoCo's mjMINVAL).
#define CR_MINVAL CR_R(1e-15)

static inline cr_real cr_sqrt(cr_real x) { return CR_FN(sqrt)(x); }
static inline cr_real cr_sin(cr_real x) { return CR_FN(sin)(x); }
static inline cr_real cr_cos(cr_real x) { return CR_FN(cos)(x); }
static inline cr_real cr_acos(cr_real x) { return CR_FN(acos)(x); }
static inline cr_real cr_atan2(cr_real y, cr_real x) { return CR_FN(atan2)(y, x); }
static inline cr_real cr_exp(cr_real x) { return CR_FN(exp)(x); }
static inline cr_real cr_tanh(cr_real x) { return CR_FN(tanh)(x); }
static inline cr_real cr_log(cr_real x) { return CR_FN(log)(x); }
static inline cr_real cr_log1p(cr_real x) { return CR_FN(log1p)(x); }
static inline cr_real cr_pow(cr_real x, cr_real y) { return CR_FN(pow)(x, y); }
static inline cr_real cr_floor(cr_real x) { return CR_FN(floor)(x); }
static inline cr_real cr_ceil(cr_real x) { return CR_FN(ceil)(x); }
static inline cr_real cr_abs(cr_real x) { return CR_FN(fabs)(x); }
static inline cr_real cr_min(cr_real a, cr_real b) { return a < b ? a : b; }
static inline cr_real cr_max(cr_real a, cr_real b) { return a > b ? a : b; }
static inline cr_real cr_clip(cr_real x, cr_real lo, cr_real hi) {
  return x < lo ? lo : (x > hi ? hi : x);
}
static inline cr_real cr_sign(cr_real x) { return (cr_real)((x > 0) - (x < 0)); }

static inline void cr_zero(cr_real* x, int n) {
  if (n > 0) {
    memset(x, 0, (size_t)n * sizeof(cr_real));
  }
}
static inline void cr_copy(cr_real* to, const cr_real* from, int n) {
  if (n > 0) {
    memcpy(to, from, (size_t)n * sizeof(cr_real));
  }
}
/// True if all n numbers are zero.
static inline bool cr_is_zero(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return false;
    }
  }
  return true;
}

#endif
