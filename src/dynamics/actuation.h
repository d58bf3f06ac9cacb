// SPDX-License-Identifier: Apache-2.0
// The stage that turns controls and activations into actuator forces and joint forces, and gives
// the activations their rates.
#ifndef CR_DYNAMICS_ACTUATION_H
#define CR_DYNAMICS_ACTUATION_H

#include "model/data.h"

/// Actuator forces, their joint forces, and the rates of the activations.
/// Map      (qvel, act, ctrl, actuator_length l, actuator_moment A, qfrc_gravcomp; actuator_dynprm,
///          gainprm, biasprm, actrange, ctrlrange, forcerange, gear, acc0, lengthrange,
///          jnt_actfrcrange, tendon_actfrcrange)
///          -> actuator_velocity, act_dot, actuator_force, qfrc_actuator
/// Equation v = A qvel                                                            [u1]
///          u = clip(ctrl, ctrlrange), unless CR_DSBL_CLAMPCTRL                   [u2]
///          act_dot = u (integrator), (u~ - act) / tau (filter, filterexact)      [u3]
///          x = u, act or, where the force acts early, the next activation        [u4]
///          f = (g0 + g1 l + g2 v) x~ + (b0 + b1 l + b2 v)                        [u5]
///          muscles: rate, gain and bias of dynamics/muscle in the places of [u3], [u5]
///          f scaled so that the total on a tendon keeps to its actfrcrange       [u9]
///          f clipped to forcerange; 0 in disabled groups                         [u6]
///          tau = A' f + gravcomp (where jnt_actgravcomp)                         [u7]
///          tau clipped to jnt_actfrcrange                                        [u8]
///          with ~ the representative of a setpoint on a circle (servos on ball joints) nearest
///          act in [u3], l in [u5]; derivation: docs/derivations/actuation.md
/// Shapes   v, f, l[nout]; act_dot[na]; tau[nv]; A as dynamics/transmission left it
/// Units    f N|N m over gear, tau N|N m
/// Flags    CR_DSBL_ACTUATION, or a model without actuators: everything written is 0, gravity
///          compensation that counts as actuation included, as MuJoCo does
/// Saves    nothing
/// Memory   no allocation; scratch 2 nout + 2 nv + 2 ntendon numbers
/// Errors   CR_ERR_NONFINITE: a control is not finite or beyond 1e10
/// Smooth   but where a range begins to bind, at half a turn between setpoint and length, and
///          where a change of gain or bias makes or unmakes a servo
cr_status cr_actuation(const cr_model* m, cr_data* d);
cr_status cr_actuation_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_actuation_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// Which derivative of the forces: over the actuators' velocities, or their lengths.
typedef enum { CR_OVER_VELOCITY, CR_OVER_LENGTH } cri_slope_over;

/// What implicit integrators take for the derivative of each force over the actuator's velocity, and
/// the integrator discrete over its length too.
/// Map      (act, ctrl, the rest that the stage reads) -> c
/// Equation c = b2 + g2 x (b1 + g1 x over length), x the activation, the next one, or the control: not
///          clipped, but for discrete; of muscles m6, m7, m8 of dynamics/muscle.h; 0 where the
///          group is off, and where forcerange or the actfrcrange of the joint or tendon holds the
///          force                                                                [u10]
/// Shapes   c[nout]
/// Memory   nout + nv + 2 ntendon numbers of `work`'s scratch; `work` may be d itself
void cri_actuation_slope(const cr_model* m, const cr_data* d, cri_slope_over over, cr_real* c,
                         cr_data* work);
void cri_actuation_slope_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_slope_over over,
                             cr_real* c_tan);
/// Adds to bar.
void cri_actuation_slope_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_slope_over over,
                             const cr_real* c_bar);

/// Derivatives of the force of an actuator, limits included, and of the rate of its activation: each
/// by its own length, velocity, activation and control.
typedef struct {
  cr_real force, by_length, by_velocity, by_act, by_ctrl;
  cr_real rate_by_act, rate_by_ctrl;
} cri_actuator_slopes;

/// Whether actuator i is one of those: one output, at most one activation, no limit that it shares
/// with others.
bool cri_actuator_alone(const cr_model* m, int i);

/// Its slopes. Uses the entries of `tan`, a tangent twin, that belong to the actuator, which are zero
/// before and after.
cri_actuator_slopes cri_actuator_slopes_of(const cr_model* m, const cr_data* d, cr_data* tan,
                                           int i);

/// Sets held[i] where jnt_actfrcrange holds the actuator force of dof i, else 0.      [u8]
void cri_actuation_held(const cr_model* m, const cr_data* d, int32_t* held, cr_data* work);

#endif
