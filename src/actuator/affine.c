// SPDX-License-Identifier: Apache-2.0
// Each is a product of its parameters with factors, (1, l, v) for the curve itself.
#include "actuator/affine.h"

#include "math/vec3.h"

cr_real cri_fixed_curve(const cr_model* m, int i, const cr_real* p, cri_slope_over over, cr_real l,
                        cr_real v, cri_curve_gradient* g) {
  (void)m, (void)i, (void)l, (void)v;
  cr_real factor = over == CR_AS_IT_IS ? 1 : 0;
  if (g != NULL) {
    g->length = g->velocity = 0;
    g->prm[0] = factor;
  }
  return factor * p[0];
}

cr_real cri_affine_curve(const cr_model* m, int i, const cr_real* p, cri_slope_over over, cr_real l,
                         cr_real v, cri_curve_gradient* g) {
  (void)m, (void)i;
  bool value = over == CR_AS_IT_IS;
  const cr_real factor[3] = {value, value ? l : over == CR_OVER_LENGTH,
                             value ? v : over == CR_OVER_VELOCITY};
  if (g != NULL) {
    g->length = value ? p[1] : 0;
    g->velocity = value ? p[2] : 0;
    cr_copy3(g->prm, factor);
  }
  return cr_dot3(p, factor);
}
