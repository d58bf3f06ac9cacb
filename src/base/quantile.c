// SPDX-License-Identifier: Apache-2.0
#include "base/quantile.h"

#include <math.h>

cr_real cri_normal_quantile(cr_real confidence) {
  const double root = 0.70710678118654752440, density = 0.79788456080286535588;
  double q = 1;
  for (int i = 0; i < 50; i++) {
    double miss = erf(q * root) - (double)confidence;
    double step = miss / (density * exp(-q * q / 2));
    q -= step > 1 ? 1 : step < -1 ? -1 : step;
  }
  return (cr_real)q;
}
