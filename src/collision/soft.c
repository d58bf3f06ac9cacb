// SPDX-License-Identifier: Apache-2.0
// Soft comparisons and choices, see soft.h.
#include "collision/soft.h"

cr_soft cri_soft_step(cr_soft x, cr_real s) {
  // of -|x|, so that nothing overflows
  cr_real t = cr_exp(-cr_abs(x.v) / s), low = t / (1 + t);
  return (cr_soft){x.v < 0 ? low : 1 / (1 + t), low / (1 + t) / s * x.tan};
}

cr_soft cri_soft_ramp(cr_soft x, cr_real s) {
  cr_soft slope = cri_soft_step((cr_soft){x.v, 0}, s);
  return (cr_soft){cr_max(x.v, 0) + s * cr_log1p(cr_exp(-cr_abs(x.v) / s)), slope.v * x.tan};
}

cr_soft cri_soft_clip(cr_soft x, cr_soft low, cr_soft high, cr_real s) {
  cr_soft above = cri_soft_ramp((cr_soft){x.v - low.v, x.tan - low.tan}, s);
  cr_soft beyond = cri_soft_ramp((cr_soft){x.v - high.v, x.tan - high.tan}, s);
  return (cr_soft){low.v + above.v - beyond.v, low.tan + above.tan - beyond.tan};
}

void cri_soft_hint(const cr_real n[3], const cr_real n_tan[3], cr_real s, cr_real hint[3],
                   cr_real hint_tan[3]) {
  cr_soft above = cri_soft_step((cr_soft){n[1] + CR_R(0.5), n_tan[1]}, s);
  cr_soft below = cri_soft_step((cr_soft){CR_R(0.5) - n[1], -n_tan[1]}, s);
  cr_real y = above.v * below.v;
  hint[0] = 0;
  hint[1] = y;
  hint[2] = 1 - y;
  if (hint_tan != NULL) {
    hint_tan[0] = 0;
    hint_tan[1] = above.tan * below.v + above.v * below.tan;
    hint_tan[2] = -hint_tan[1];
  }
}

void cri_soft_bar(cr_pair_tan* tan, const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                  const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                  cr_shape_tan* b_bar) {
  for (int k = 0; k < 18; k++) {
    cr_shape_tan unit[2] = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};
    cr_shape_tan *of = &unit[k / 9], *to = k < 9 ? a_bar : b_bar;
    int group = k % 9 / 3, axis = k % 3;
    *((group == 0 ? of->pos : group == 1 ? of->rot : of->size) + axis) = 1;
    cr_hit_tan t;
    tan(a, b, feature, local, &unit[0], &unit[1], &t);
    *((group == 0   ? to->pos
       : group == 1 ? to->rot
                    : to->size) +
      axis) += t.dist * hit_bar->dist + cr_dot3(t.pos, hit_bar->pos) +
               cr_dot3(t.normal, hit_bar->normal) + cr_dot3(t.hint, hit_bar->hint);
  }
}
