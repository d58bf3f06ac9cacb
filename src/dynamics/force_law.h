// SPDX-License-Identifier: Apache-2.0
// Gain and bias of actuators with one input: f = gain(l, v) x + bias(l, v). Both are curves of length
// and velocity; forces take their values, implicit integrators their slopes.
#ifndef CR_DYNAMICS_FORCE_LAW_H
#define CR_DYNAMICS_FORCE_LAW_H

#include "model/data.h"

typedef enum { CR_GAIN, CR_BIAS } cri_curve;

/// Which of a curve: itself, or its derivative over velocity or length.
typedef enum { CR_AS_IT_IS, CR_OVER_VELOCITY, CR_OVER_LENGTH } cri_slope_over;

/// A fixed gain, or no bias: nothing but a number, 0 is the first type of both.
static inline bool cri_curve_is_flat(const cr_model* m, int i, cri_curve which) {
  return (which == CR_GAIN ? m->actuator_gaintype[i] : m->actuator_biastype[i]) == 0;
}

/// Curve of actuator i.
/// Equation fixed p0; affine p0 + p1 l + p2 v, slopes p2, p1; muscles m2, m3, m6 to m8 of
///          dynamics/muscle; none, and what controllers have instead, 0
/// Shapes   p of actuator_gainprm or biasprm
cr_real cri_curve_of(const cr_model* m, int i, cri_curve which, cri_slope_over over, cr_real l,
                     cr_real v);

/// Its tangent; and the transpose, which adds s times the gradient to *l_bar, *v_bar and bar->par.
cr_real cri_curve_tan(const cr_model* m, const cr_data* tan, int i, cri_curve which,
                      cri_slope_over over, cr_real l, cr_real v, cr_real l_tan, cr_real v_tan);
void cri_curve_bar(const cr_model* m, cr_data* bar, int i, cri_curve which, cri_slope_over over,
                   cr_real l, cr_real v, cr_real s, cr_real* l_bar, cr_real* v_bar);

#endif
