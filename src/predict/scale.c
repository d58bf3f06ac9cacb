// SPDX-License-Identifier: Apache-2.0
#include "predict/scale.h"

static cr_real of_parameter(const cri_problem* p, const cr_real* x, int i) {
  cr_real a[CR_MAX_PARAMETERS], b[CR_MAX_PARAMETERS], value;
  cr_real reach = cri_parameters_reach(p->parameters, x, i);
  if (reach > 0) {
    return reach;
  }
  cri_parameters_values(p->parameters, x, a);
  value = a[i];
  cr_zero(a, p->np);
  a[i] = 1;
  cri_parameters_chain(p->parameters, x, a, b);
  cr_real size = cr_abs(b[i]) > 0 ? cr_abs(value / b[i]) : 0;
  cri_parameters_bounds(p->parameters, a, b);
  cr_real width = b[i] - a[i];
  return size > 0 ? size : isfinite(width) && width > 0 ? width : 1;
}

cr_real cri_scale_of(const cri_problem* p, const cr_real* x, int i) {
  if (i < p->np) {
    return of_parameter(p, x, i);
  }
  for (int k = 0; k < p->nplace; k++) {
    const cri_measured* at = &p->places[k];
    if (i == at->delay_at) {
      return p->longest_delay;
    }
    if (at->offset_at >= 0 && i >= at->offset_at && i < at->offset_at + at->nerror) {
      return 100 * at->noise;
    }
  }
  return 1;
}
