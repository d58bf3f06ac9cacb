// SPDX-License-Identifier: Apache-2.0
// Transforms of parameters.
#include "learn/transform.h"

cr_real cr_transform_value(cr_transform t, cr_real x) {
  switch (t) {
    case CR_TRANSFORM_LOG:
      return cr_exp(x);
    case CR_TRANSFORM_SOFTPLUS:
      return cr_max(x, 0) + cr_log1p(cr_exp(-cr_abs(x)));
    case CR_TRANSFORM_BOUNDED:
      return 1 / (1 + cr_exp(-x));
    default:
      return x;
  }
}

cr_real cr_transform_inverse(cr_transform t, cr_real p) {
  switch (t) {
    case CR_TRANSFORM_LOG:
      return p > 0 ? cr_log(p) : -(cr_real)INFINITY;
    case CR_TRANSFORM_SOFTPLUS:
      // p + log(1 - exp(-p)), without cancellation where p is small
      return p > 0 ? p + cr_log(-CR_FN(expm1)(-p)) : -(cr_real)INFINITY;
    case CR_TRANSFORM_BOUNDED:
      return p <= 0 ? -(cr_real)INFINITY : p >= 1 ? (cr_real)INFINITY : cr_log(p / (1 - p));
    default:
      return p;
  }
}

cr_real cr_transform_slope(cr_transform t, cr_real x) {
  switch (t) {
    case CR_TRANSFORM_LOG:
      return cr_exp(x);
    case CR_TRANSFORM_SOFTPLUS:
      return 1 / (1 + cr_exp(-x));
    case CR_TRANSFORM_BOUNDED: {
      cr_real e = cr_exp(-cr_abs(x));  // even, so that it does not overflow
      return e / ((1 + e) * (1 + e));
    }
    default:
      return 1;
  }
}
