// SPDX-License-Identifier: Apache-2.0
// Setpoints on a circle: setpoints of servos whose length is an angle.
#ifndef CR_ACTUATOR_SETPOINT_H
#define CR_ACTUATOR_SETPOINT_H

#include "model/data.h"

/// Period of the setpoint of actuator i: 2 pi |gear| for a servo or a PID controller on a ball joint,
/// or between two sites that it only turns against each other; else 0. A servo has fixed gain kp
/// and affine bias with -kp on the length. Between sites the gears along axes are zero, which is a switch.
cr_real cri_servo_period(const cr_model* m, int i);

/// Whole periods to take off x so that it comes nearest to `about`; 0 if the period is 0.
cr_real cri_servo_turns(cr_real x, cr_real about, cr_real period);

/// Tangent of the period; and its transpose, which adds to bar->par.
cr_real cri_servo_period_jvp(const cr_model* m, int i, cr_real period, const cr_data* tan);
void cri_servo_period_vjp(const cr_model* m, int i, cr_real period, cr_real period_bar,
                          cr_data* bar);

/// The rotation vector w of an orientation's setpoint, beyond half a turn the shorter one of the same
/// orientation, with its derivative.
/// Equation w+ = w (|w| - 2 pi round(|w| / 2 pi)) / |w| where |w| > pi    [actuation.n4]
/// Shapes   J[9], row-major: w+' = J w'; next may be w
void cri_setpoint_anchor(const cr_real w[3], cr_real next[3], cr_real J[9]);

#endif
