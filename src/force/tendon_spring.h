// SPDX-License-Identifier: Apache-2.0
// Springs of tendons, the one place of their law: energy, pull and stiffness along the tendon, each with
// its tangent and its transpose. force/passive takes the force to the joints, sensor/tendon_tension to the
// bodies. inertia/effective_mass uses the stiffness, sensor/energy the energy.
#ifndef CR_FORCE_TENDON_SPRING_H
#define CR_FORCE_TENDON_SPRING_H

#include "force/polynomial.h"
#include "model/data.h"

/// The spring of a tendon, and the position of its length relative to the dead band.
/// Equation x = length - rest, rest the end of the band that is exceeded; 0 inside the band
///          A band of no width is a spring like any other. At its one rest length, the length at qpos0
///          if a model gives none, it acts, and each of the two equal ends has half of the derivative.
///          f = -(c0 x + c1 x^2 + c2 x^3)                                   [passive.p5]
/// Smooth   except where a band with a width begins to act; at its ends the derivative is that of inside
typedef struct {
  int tendon;
  cr_real x;
  cr_real by_end[2];  // drest by the lower and upper end
  bool acts;
  cr_real c[3];  // coefficients of force/polynomial.h
} cri_tendon_spring;

cri_tendon_spring cri_tendon_spring_of(const cr_model* m, const cr_data* d, int t);

/// A function of x and the coefficients, 0 in the band: energy [passive.p7], pull [passive.p8] (minus the
/// force), or stiffness [passive.p10]; its tangent; and the transpose, which adds y_bar times the derivatives to bar.
static inline cr_real cri_tendon_spring_number(const cri_tendon_spring* s,
                                               cri_polynomial_order order) {
  return s->acts ? cri_polynomial(order, s->c, s->x) : 0;
}
cr_real cri_tendon_spring_tan(const cr_data* tan, const cri_tendon_spring* s,
                              cri_polynomial_order order);
void cri_tendon_spring_bar(cr_data* bar, const cri_tendon_spring* s, cri_polynomial_order order,
                           cr_real y_bar);

/// True if the spring is exactly at its one rest length.
static inline bool cri_tendon_spring_rests(const cri_tendon_spring* s) {
  return s->acts && s->x == 0;
}

/// -1 below the band, 1 above, 0 inside and at the one length of a band without width.
int cri_tendon_spring_side(const cr_model* m, const cr_data* d, int t);

extern const cri_coefficient_fields cri_tendon_spring_fields;

#endif
