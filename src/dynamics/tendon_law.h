// SPDX-License-Identifier: Apache-2.0
// The force of a tendon's own spring and damper, along its length. dynamics/passive brings it to the
// joints, sensor/pull to the bodies.
#ifndef CR_DYNAMICS_TENDON_LAW_H
#define CR_DYNAMICS_TENDON_LAW_H

#include "model/data.h"

/// Where the length of a tendon lies to the dead band of its spring.
/// Equation x = length - rest, rest the end of the band that is overstepped; 0 inside it
///          A band of no width is a spring like any other: at its one rest length, which is that of qpos0
///          where a model gives none, it acts, and each of the two equal ends has half a say in it.
/// Smooth   but where a band with a width begins to act; at its ends the derivative is that of inside
typedef struct {
  cr_real x;
  cr_real by_end[2];  // drest by the lower and upper end
  bool acts;
} cri_dead_band;

static inline cri_dead_band cri_dead_band_of(const cr_model* m, const cr_data* d, int i) {
  const cr_real *end = m->tendon_lengthspring + 2 * i, length = d->ten_length[i];
  if (length > end[1]) {
    return (cri_dead_band){length - end[1], {0, 1}, true};
  }
  if (length < end[0]) {
    return (cri_dead_band){length - end[0], {1, 0}, true};
  }
  return end[0] == end[1] ? (cri_dead_band){0, {CR_R(0.5), CR_R(0.5)}, true}
                          : (cri_dead_band){0, {0, 0}, false};
}

/// -1 below the band, 1 above, 0 inside and at the one length of a band without width.
static inline int cri_dead_band_side(const cr_model* m, const cr_data* d, int i) {
  const cr_real *end = m->tendon_lengthspring + 2 * i, length = d->ten_length[i];
  return (length >= end[1]) - (length <= end[0]);
}

/// Tangent of x; and its transpose, which adds to the cotangents of ten_length and the band.
static inline cr_real cri_dead_band_tan(const cri_dead_band* b, const cr_data* tan, int i) {
  const cr_real* end_tan = cri_par_tan(tan->par.tendon_lengthspring, i, 2);
  cr_real x_tan = tan->ten_length[i] - b->by_end[0] * end_tan[0] - b->by_end[1] * end_tan[1];
  return b->acts ? x_tan : 0;
}
static inline void cri_dead_band_bar(const cri_dead_band* b, cr_data* bar, int i, cr_real x_bar) {
  if (b->acts) {
    bar->ten_length[i] += x_bar;
    cri_par_add1(bar->par.tendon_lengthspring, 2 * i, -b->by_end[0] * x_bar);
    cri_par_add1(bar->par.tendon_lengthspring, 2 * i + 1, -b->by_end[1] * x_bar);
  }
}

/// f = -(k x + p_0 x^2 + p_1 x^3), x the length beyond the dead band                    [p5]
/// Here and below the slope is that of f by the length or velocity; NULL: not asked for.
cr_real cri_tendon_spring(const cr_model* m, const cr_data* d, int i, cr_real* slope);
cr_real cri_tendon_spring_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i);
/// Adds to the cotangents of ten_length and of the spring's parameters.
void cri_tendon_spring_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i, cr_real f_bar);

/// f = -(b v + c_0 v |v| + c_1 v^3), b the laws of all tendons of dynamics/reflected.h   [p6]
cr_real cri_tendon_damper(const cr_data* d, const cr_real* b, int i, cr_real* slope);
cr_real cri_tendon_damper_tan(const cr_data* d, const cr_data* tan, const cr_real* b,
                              const cr_real* b_tan, int i);
/// Adds to the cotangent of ten_velocity, sets the three of b_bar that are the tendon's.
void cri_tendon_damper_bar(const cr_data* d, cr_data* bar, const cr_real* b, cr_real* b_bar, int i,
                           cr_real f_bar);

#endif
