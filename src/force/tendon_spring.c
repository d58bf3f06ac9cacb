// SPDX-License-Identifier: Apache-2.0
// Springs of tendons, see tendon_spring.h.
#include "force/tendon_spring.h"

const cri_coefficient_fields cri_tendon_spring_fields = {CR_FIELD_tendon_stiffness,
                                                         CR_FIELD_tendon_stiffnesspoly};

static cri_coefficients coefficients(const cr_model* m) {
  return (cri_coefficients){m->tendon_stiffness, m->tendon_stiffnesspoly};
}

// ---- the dead band

static void set_band(cri_tendon_spring* s, cr_real x, cr_real by_low, cr_real by_high) {
  s->acts = true;
  s->x = x;
  s->by_end[0] = by_low;
  s->by_end[1] = by_high;
}

cri_tendon_spring cri_tendon_spring_of(const cr_model* m, const cr_data* d, int t) {
  cri_tendon_spring s = {.tendon = t};
  const cr_real *end = m->tendon_lengthspring + 2 * t, length = d->ten_length[t];
  if (length > end[1]) {
    set_band(&s, length - end[1], 0, 1);
  } else if (length < end[0]) {
    set_band(&s, length - end[0], 1, 0);
  } else if (end[0] == end[1]) {
    set_band(&s, 0, CR_R(0.5), CR_R(0.5));
  }
  cri_coefficients_of(coefficients(m), t, s.c);
  return s;
}

int cri_tendon_spring_side(const cr_model* m, const cr_data* d, int t) {
  const cr_real *end = m->tendon_lengthspring + 2 * t, length = d->ten_length[t];
  return (length >= end[1]) - (length <= end[0]);
}

// ---- derivatives

cr_real cri_tendon_spring_tan(const cr_data* tan, const cri_tendon_spring* s,
                              cri_polynomial_order order) {
  if (!s->acts) {
    return 0;
  }
  cr_real c_tan[3];
  const cr_real* end_tan = cri_par_tan(tan->par.tendon_lengthspring, s->tendon, 2);
  cr_real x_tan =
      tan->ten_length[s->tendon] - s->by_end[0] * end_tan[0] - s->by_end[1] * end_tan[1];
  cri_coefficients_tan(coefficients(&tan->par), s->tendon, c_tan);
  return cri_polynomial_slope(order, s->c, s->x) * x_tan + cri_polynomial(order, c_tan, s->x);
}

void cri_tendon_spring_bar(cr_data* bar, const cri_tendon_spring* s, cri_polynomial_order order,
                           cr_real y_bar) {
  if (!s->acts) {
    return;
  }
  cr_real x_bar = y_bar * cri_polynomial_slope(order, s->c, s->x), c_bar[3] = {0};
  bar->ten_length[s->tendon] += x_bar;
  cri_par_add1(bar->par.tendon_lengthspring, 2 * s->tendon, -s->by_end[0] * x_bar);
  cri_par_add1(bar->par.tendon_lengthspring, 2 * s->tendon + 1, -s->by_end[1] * x_bar);
  cri_polynomial_bar(order, s->x, y_bar, c_bar);
  cri_coefficients_bar(coefficients(&bar->par), s->tendon, c_bar);
}
