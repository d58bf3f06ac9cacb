// SPDX-License-Identifier: Apache-2.0
// The force of actuators with one input: gain(l, v) x + bias(l, v), with gain and bias the curves of
// actuator/actuator_laws. Forces use it, implicit integrators use its slopes.
#ifndef CR_ACTUATOR_FORCE_LAW_H
#define CR_ACTUATOR_FORCE_LAW_H

#include "actuator/actuator_laws.h"
#include "model/data.h"

/// Gain or bias of actuator i alone.
cr_real cri_gain_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v);
cr_real cri_bias_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v);

/// True if the gain changes with length or velocity, so that the input moves the slopes of the force.
static inline bool cri_gain_has_slope(const cr_model* m, int i) {
  return m->actuator_gaintype[i] != CR_GAIN_FIXED;
}

/// True if the force has second derivatives over length and velocity.
bool cri_force_bends(const cr_model* m, int i);

/// Force of actuator i, or its derivative over velocity or length, at the input x.
/// Equation f = gain x + bias [actuation.u5]; f' = gain' x + bias' [actuation.u10]
cr_real cri_force_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v,
                     cr_real x);

/// The same with all its derivatives.
typedef struct {
  int actuator;
  cr_real x, gain, bias;                        // as they are, or their slopes
  const cri_actuator_law *gain_law, *bias_law;  // NULL: nothing moves it
  cri_curve_gradient by_gain, by_bias;
} cri_force_line;

void cri_force_line_of(const cr_model* m, int i, cri_slope_over over, cr_real l, cr_real v,
                       cr_real x, cri_force_line* f);

/// Its tangent; and the transpose, which adds s times the gradient to *l_bar, *v_bar and bar->par. The gradient by x
/// is the gain.
cr_real cri_force_line_tan(const cr_model* m, const cr_data* tan, const cri_force_line* f,
                           cr_real l_tan, cr_real v_tan, cr_real x_tan);
void cri_force_line_bar(const cr_model* m, cr_data* bar, const cri_force_line* f, cr_real s,
                        cr_real* l_bar, cr_real* v_bar);

/// The pieces of its curves on which actuator i is; where they change, slopes have a kink.
int cri_force_piece(const cr_model* m, int i, cr_real l, cr_real v);

/// True if parameter k of the gain or the bias of actuator i is a slope of zero.
bool cri_gain_slope_is_zero(const cr_model* m, int i, int k);
bool cri_bias_qderiv_is_zero(const cr_model* m, int i, int k);

#endif
