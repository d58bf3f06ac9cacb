// SPDX-License-Identifier: Apache-2.0
// Activations: what an actuator remembers. The activation after a step, which the integrators need,
// and dynamics/actuation too where a force acts early; and the circle on which the setpoints of
// servos on ball joints live.
#ifndef CR_DYNAMICS_ACTIVATION_H
#define CR_DYNAMICS_ACTIVATION_H

#include "model/data.h"

/// True when the actuator's group is switched off.
bool cri_actuator_disabled(const cr_model* m, int i);

/// Period of the setpoint of actuator i: 2 pi |gear| for a servo on a ball joint, or between two
/// sites that it only turns against each other, 0 otherwise. A servo has fixed gain kp and affine
/// bias with -kp on the length.
cr_real cri_servo_period(const cr_model* m, int i);

/// Whole periods to take off x so that it comes nearest to `about`; 0 where the period is 0.
cr_real cri_servo_turns(cr_real x, cr_real about, cr_real period);

/// Tangent of the period; and its transpose, which adds to gear_bar (may be NULL).
cr_real cri_servo_period_jvp(const cr_model* m, int i, cr_real period, const cr_data* tan);
void cri_servo_period_vjp(const cr_model* m, int i, cr_real period, cr_real period_bar,
                          cr_data* bar);

/// Activation after one step, with its derivatives.
typedef struct {
  cr_real value;
  cr_real by_act, by_rate, by_tau;  // partial derivatives, tau = dynprm[0]
  cr_real by_limit;                 // by dynprm[8], where that holds the integral of a motor
  int side;                         // -1, +1: held at the lower, upper end of actrange; 0 free
} cri_next_activation;

/// Activation k of actuator i one step later (MuJoCo's mj_nextActivation).
/// `plain` is 0 for a step of m->timestep as MuJoCo makes it, otherwise the length h of a step that
/// treats the rate of every kind as it is: one of an integrator with steps of its own.
/// Equation w+ = w + h r;  filterexact: w+ = w + r tau (1 - exp(-h / tau))        [n1]
///          and so the current of a motor; then clipped to actrange where actlimited, the integral
///          of a motor to +-dynprm[8]                            [n2]
///          derivation: docs/derivations/actuation.md
cri_next_activation cri_activation_next(const cr_model* m, cr_real plain, int i, int k, cr_real act,
                                        cr_real rate);

/// All activations one step later.
/// Map      (act, act_dot r; dynprm, actrange, gear) -> act_next
/// Equation [n1], [n2], with r = 0 in disabled groups; setpoints on a circle then go to the
///          representative nearest the actuator's length                         [n3]
/// Flags    CR_DSBL_ACTUATION: act_next = act
/// Shapes   all na; length[nout]
/// Smooth   but where actrange begins to bind and at half a turn between setpoint and length
void cri_activation_advance(const cr_model* m, cr_real plain, const cr_real* act,
                            const cr_real* rate, const cr_real* length, cr_real* next);

/// Tangent of cri_activation_advance; parameters' tangents come from `tan`.
void cri_activation_advance_jvp(const cr_model* m, cr_real plain, const cr_real* act,
                                const cr_real* rate, const cr_real* length, const cr_data* tan,
                                const cr_real* act_tan, const cr_real* rate_tan, cr_real* next_tan);

/// Its transpose: adds to act_bar, rate_bar and bar->par.
void cri_activation_advance_vjp(const cr_model* m, cr_real plain, const cr_real* act,
                                const cr_real* rate, const cr_real* length, const cr_real* next_bar,
                                cr_real* act_bar, cr_real* rate_bar, cr_data* bar);

#endif
