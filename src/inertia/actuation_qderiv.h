// SPDX-License-Identifier: Apache-2.0
// The derivative of actuator forces over velocities that implicit integrators use, and for the
// integrator discrete also over lengths.
#ifndef CR_INERTIA_ACTUATION_QDERIV_H
#define CR_INERTIA_ACTUATION_QDERIV_H

#include "actuator/force_law.h"

/// Map      (act, ctrl, the other inputs of actuator/actuation; the limits that it found to hold) -> c
/// Equation c = bias' + gain' x, ' over velocity or length, x [actuation.u4] of actuator/actuation: the
///          activation, the next one, or the clipped control; of controllers [controller.c8] of
///          actuator/controller; 0 if the group is off, and where forcerange or the actfrcrange of
///          the joint or tendon holds the force (only the joint's can hold cogging and
///          bristles)                                                       [actuation.u10]
/// Shapes   c[nout]
/// Needs    cr_actuation on d: which limits hold
/// Memory   nout numbers of bar's scratch
/// Smooth   except where a range begins to bind
void cri_actuation_qderiv(const cr_model* m, const cr_data* d, cri_slope_over over, cr_real* c);
void cri_actuation_qderiv_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                              cri_slope_over over, cr_real* c_tan);
/// The same for actuator i, no controller, from the tangent of its velocity and its own entries of `tan`.
cr_real cri_actuation_qderiv_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                                 cri_slope_over over, cr_real v_tan);
/// Adds to bar.
void cri_actuation_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                              cri_slope_over over, const cr_real* c_bar);

#endif
