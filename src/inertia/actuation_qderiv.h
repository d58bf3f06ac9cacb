// SPDX-License-Identifier: Apache-2.0
// What implicit integrators take for the derivative of actuator forces over velocities, and the
// integrator discrete over lengths too.
#ifndef CR_INERTIA_ACTUATION_QDERIV_H
#define CR_INERTIA_ACTUATION_QDERIV_H

#include "actuator/force_law.h"

/// Map      (act, ctrl, the rest that actuator/actuation reads; what it says of limits) -> c
/// Equation c = bias' + gain' x, ' over velocity or length, x [actuation.u4] of actuator/actuation: the
///          activation, the next one, or the clipped control; of controllers [controller.c8] of
///          actuator/controller; 0 where the group is off, and where forcerange or the actfrcrange of
///          the joint or tendon holds the force (cogging and bristles only the joint's can
///          hold)                                                           [actuation.u10]
/// Shapes   c[nout]
/// Needs    cr_actuation on d: which forces are held
/// Memory   nout numbers of bar's scratch
/// Smooth   except where a range begins to bind
void cri_actuation_qderiv(const cr_model* m, const cr_data* d, cri_slope_over over, cr_real* c);
void cri_actuation_qderiv_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                              cri_slope_over over, cr_real* c_tan);
/// That of actuator i, no controller, from the tangent of its velocity and its own entries of `tan`.
cr_real cri_actuation_qderiv_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                                 cri_slope_over over, cr_real v_tan);
/// Adds to bar.
void cri_actuation_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                              cri_slope_over over, const cr_real* c_bar);

#endif
