// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tendon_law.h"

#include "base/real.h"

// excess of the length over the dead band, and the end that it is measured from (-1 inside)
static cr_real stretch(const cr_model* m, const cr_data* d, int i, int* end) {
  const cr_real* slack = m->tendon_lengthspring + 2 * i;
  cr_real length = d->ten_length[i];
  *end = length > slack[1] ? 1 : (length < slack[0] ? 0 : -1);
  return *end < 0 ? 0 : length - slack[*end];
}

// force and its derivative by x of -(k x + p_0 x y + p_1 x^3): y is x for springs, |x| for dampers
static cr_real law(cr_real k, const cr_real p[2], cr_real x, cr_real y, cr_real* slope) {
  *slope = -(k + 2 * p[0] * y + 3 * p[1] * x * x);
  return -x * (k + p[0] * y + p[1] * x * x);
}

// tangent of the force where its argument stays
static cr_real law_tan(const cr_real* k_tan, const cr_real* p_tan, cr_real x, cr_real y) {
  return -x * (k_tan[0] + p_tan[0] * y + p_tan[1] * x * x);
}

// ---- spring

typedef struct {
  cr_real x, force, slope;
  int end;
} pull;

static pull pull_of(const cr_model* m, const cr_data* d, int i) {
  pull p;
  p.x = stretch(m, d, i, &p.end);
  p.force = law(m->tendon_stiffness[i], m->tendon_stiffnesspoly + 2 * i, p.x, p.x, &p.slope);
  p.slope = p.end < 0 ? 0 : p.slope;
  return p;
}

cr_real cri_tendon_spring(const cr_model* m, const cr_data* d, int i, cr_real* slope) {
  pull p = pull_of(m, d, i);
  if (slope != NULL) {
    *slope = p.slope;
  }
  return p.force;
}

cr_real cri_tendon_spring_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i) {
  const cr_model* par = &tan->par;
  pull p = pull_of(m, d, i);
  const cr_real* slack_tan = cri_par_tan(par->tendon_lengthspring, i, 2);
  return p.slope * (tan->ten_length[i] - (p.end < 0 ? 0 : slack_tan[p.end])) +
         law_tan(cri_par_tan(par->tendon_stiffness, i, 1),
                 cri_par_tan(par->tendon_stiffnesspoly, i, 2), p.x, p.x);
}

void cri_tendon_spring_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                           cr_real f_bar) {
  cr_model* par = &bar->par;
  pull p = pull_of(m, d, i);
  bar->ten_length[i] += p.slope * f_bar;
  if (p.end >= 0 && par->tendon_lengthspring != NULL) {
    par->tendon_lengthspring[2 * i + p.end] -= p.slope * f_bar;
  }
  if (par->tendon_stiffness != NULL) {
    par->tendon_stiffness[i] -= p.x * f_bar;
  }
  if (par->tendon_stiffnesspoly != NULL) {
    par->tendon_stiffnesspoly[2 * i] -= p.x * p.x * f_bar;
    par->tendon_stiffnesspoly[2 * i + 1] -= p.x * p.x * p.x * f_bar;
  }
}

// ---- damper

cr_real cri_tendon_damper(const cr_data* d, const cr_real* b, int i, cr_real* slope) {
  cr_real v = d->ten_velocity[i], unused;
  return law(b[3 * i], b + 3 * i + 1, v, cr_abs(v), slope != NULL ? slope : &unused);
}

cr_real cri_tendon_damper_tan(const cr_data* d, const cr_data* tan, const cr_real* b,
                              const cr_real* b_tan, int i) {
  cr_real slope, v = d->ten_velocity[i];
  (void)cri_tendon_damper(d, b, i, &slope);
  return slope * tan->ten_velocity[i] + law_tan(b_tan + 3 * i, b_tan + 3 * i + 1, v, cr_abs(v));
}

void cri_tendon_damper_bar(const cr_data* d, cr_data* bar, const cr_real* b, cr_real* b_bar, int i,
                           cr_real f_bar) {
  cr_real slope, v = d->ten_velocity[i];
  (void)cri_tendon_damper(d, b, i, &slope);
  bar->ten_velocity[i] += slope * f_bar;
  b_bar[3 * i] = -v * f_bar;
  b_bar[3 * i + 1] = cr_abs(v) * b_bar[3 * i];
  b_bar[3 * i + 2] = cr_abs(v) * b_bar[3 * i + 1];
}
