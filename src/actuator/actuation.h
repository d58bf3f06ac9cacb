// SPDX-License-Identifier: Apache-2.0
// The stage that turns controls and activations into actuator forces and joint forces, and computes
// the rates of the activations.
#ifndef CR_ACTUATOR_ACTUATION_H
#define CR_ACTUATOR_ACTUATION_H

#include "model/data.h"

/// Actuator forces, their joint forces, and the rates of the activations.
/// Map      (qvel, act, ctrl, actuator_length l, actuator_moment A, qfrc_gravcomp; actuator_dynprm,
///          gainprm, biasprm, actrange, ctrlrange, forcerange, gear, acc0, lengthrange,
///          jnt_actfrcrange, tendon_actfrcrange)
///          -> actuator_velocity, act_dot, actuator_force, qfrc_actuator
/// Equation v = A qvel                                                  [actuation.u1]
///          u = clip(ctrl, ctrlrange), unless CR_DSBL_CLAMPCTRL         [actuation.u2]
///          act_dot = u (integrator), (u~ - act) / tau (filter, filterexact)      [actuation.u3]
///          x = u, act or, where the force acts early, the next activation        [actuation.u4]
///          f = (g0 + g1 l + g2 v) x~ + (b0 + b1 l + b2 v)              [actuation.u5]
///          muscles: rate, gain and bias of actuator/muscle replace [actuation.u3], [actuation.u5]
///          f scaled so that the total on a tendon keeps to its actfrcrange       [actuation.u9]
///          f clipped to forcerange; 0 in disabled groups               [actuation.u6]
///          tau = A' f + gravcomp (where jnt_actgravcomp)               [actuation.u7]
///          tau clipped to jnt_actfrcrange                              [actuation.u8]
///          with ~ the representative of a setpoint on a circle (servos on ball joints) nearest
///          act in [actuation.u3], l in [actuation.u5]; derivation: docs/derivations/actuation.md
/// Shapes   v, f, l[nout]; act_dot[na]; tau[nv]; A as transmission/transmission left it
/// Units    f N|N m over gear, tau N|N m
/// Flags    CR_DSBL_ACTUATION, or a model without actuators: all outputs are 0, gravity
///          compensation that counts as actuation included, as in MuJoCo
/// Saves    actuator_raw, the forces before limits; jnt_actfrc_side, actuator_held: the limits that hold
/// Memory   no allocation; scratch 4 nout + nv + 2 ntendon numbers
/// Errors   CR_ERR_NONFINITE: a control is not finite or beyond 1e10
/// Smooth   except where a range begins to bind, at half a turn between setpoint and length, and
///          where a change of gain or bias makes or unmakes a servo
cr_status cr_actuation(const cr_model* m, cr_data* d);
cr_status cr_actuation_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_actuation_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
