// SPDX-License-Identifier: Apache-2.0
// Activations, the states of actuators: their rates, and their values after a step, which
// the integrators need, and forces that act early.
#ifndef CR_ACTUATOR_ACTIVATION_H
#define CR_ACTUATOR_ACTIVATION_H

#include "model/data.h"

/// True if the actuator's group is switched off.
bool cri_actuator_disabled(const cr_model* m, int i);

/// Rate of the one activation w of actuator i, with its derivatives; u: the clipped control.
/// Equation r = u (integrator), (u~ - w) / tau (filter, filterexact), u~ the representative of a
///          setpoint on a circle nearest w; of muscles m5 of actuator/muscle; 0 without activation [actuation.u3]
typedef struct {
  cr_real value, by_u, by_act, by_period;
  cr_real by_prm[3];  // dynprm
} cri_activation_rate;

cri_activation_rate cri_activation_rate_of(const cr_model* m, int i, cr_real u, cr_real act,
                                           cr_real period);

/// Activation after one step, with its derivatives.
typedef struct {
  cr_real value;
  cr_real by_act, by_rate, by_velocity;
  cr_real by_tau, by_limit, by_stiffness;  // dynprm 0, 8 and 5
  cr_real by_friction[3];                  // biasprm 3 to 5
  int side;  // -1, +1: held at the lower, upper end of actrange; 0 free
} cri_next_activation;

/// Activation k of actuator i one step later (MuJoCo's mj_nextActivation); v: the actuator's velocity.
/// `plain` is 0 for a step of m->timestep as MuJoCo makes it. Otherwise it is the length h of a step that
/// uses the rate of every kind as it is, by an integrator with steps of its own.
/// Equation w+ = w + h r;  filterexact, and the current of a motor: w+ = w + r tau (1 - exp(-h / tau));
///          bristles of a motor: b3 of actuator/lugre, whatever the rate    [actuation.n1]
///          then clipped to actrange where actlimited, the integral of a motor to +-dynprm[8] [actuation.n2]
///          derivation: docs/derivations/actuation.md
cri_next_activation cri_activation_next(const cr_model* m, cr_real plain, int i, int k, cr_real act,
                                        cr_real rate, cr_real v);

/// Tangent of that; and its transpose, which adds s times the derivatives to *act_bar, *rate_bar,
/// *v_bar and bar->par.
cr_real cri_next_activation_tan(const cr_data* tan, int i, const cri_next_activation* next,
                                cr_real act_tan, cr_real rate_tan, cr_real v_tan);
void cri_next_activation_bar(cr_data* bar, int i, const cri_next_activation* next, cr_real s,
                             cr_real* act_bar, cr_real* rate_bar, cr_real* v_bar);

/// Inputs of all activations of a model, their tangents, or their cotangents, to which the transpose adds.
/// Shapes   act, rate[na]; length, velocity[nout] of the actuators (a length's derivative is zero)
typedef struct {
  cr_real *act, *rate, *length, *velocity;
} cri_activity;

/// All activations one step later, and the limits that hold them, side[na] (field act_side).
/// Map      (act, act_dot r, velocity; dynprm, biasprm, actrange, gear) -> next[na]
/// Equation [actuation.n1], [actuation.n2], with r = 0 in disabled groups; setpoints on a circle then go to the
///          representative nearest the actuator's length, orientations to n4 of actuator/setpoint [actuation.n3]
/// Flags    CR_DSBL_ACTUATION: next = act
/// Smooth   except where actrange begins to bind, at half a turn between setpoint and length, and for
///          bristles at rest
void cri_activation_advance(const cr_model* m, cr_real plain, const cri_activity* x, cr_real* next,
                            int32_t* side);

/// Tangent of cri_activation_advance; parameters' tangents come from `tan`.
void cri_activation_advance_jvp(const cr_model* m, cr_real plain, const cri_activity* x,
                                const cr_data* tan, const cri_activity* x_tan, cr_real* next_tan);

/// Its transpose: adds to x_bar and bar->par.
void cri_activation_advance_vjp(const cr_model* m, cr_real plain, const cri_activity* x,
                                const cr_real* next_bar, const cri_activity* x_bar, cr_data* bar);

#endif
