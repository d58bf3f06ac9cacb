// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tendon_law.h"

#include "base/real.h"

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
  cri_dead_band band;
  cr_real force, slope;
} pull;

static pull pull_of(const cr_model* m, const cr_data* d, int i) {
  pull p = {.band = cri_dead_band_of(m, d, i)};
  cr_real x = p.band.x;
  p.force = law(m->tendon_stiffness[i], m->tendon_stiffnesspoly + 2 * i, x, x, &p.slope);
  p.slope = p.band.acts ? p.slope : 0;
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
  return p.slope * cri_dead_band_tan(&p.band, tan, i) +
         law_tan(cri_par_tan(par->tendon_stiffness, i, 1),
                 cri_par_tan(par->tendon_stiffnesspoly, i, 2), p.band.x, p.band.x);
}

void cri_tendon_spring_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                           cr_real f_bar) {
  cr_model* par = &bar->par;
  pull p = pull_of(m, d, i);
  cr_real x = p.band.x;
  cri_dead_band_bar(&p.band, bar, i, p.slope * f_bar);
  cri_par_add1(par->tendon_stiffness, i, -x * f_bar);
  cri_par_add1(par->tendon_stiffnesspoly, 2 * i, -x * x * f_bar);
  cri_par_add1(par->tendon_stiffnesspoly, 2 * i + 1, -x * x * x * f_bar);
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
