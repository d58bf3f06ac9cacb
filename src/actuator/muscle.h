// SPDX-License-Identifier: Apache-2.0
// Muscles: force-length-velocity curves and activation dynamics as in MuJoCo, with their
// gradients. actuator/actuation uses them for actuators of these gain, bias and dynamics types.
//
// The exact curves are once continuously differentiable, and the time constant of the activation
// jumps where excitation crosses activation (where tausmooth is 0). The option muscle_smooth, a width
// w, replaces them by smooth surrogates: curves whose second derivative changes over 2 w of
// normalized length or velocity around each seam, and a switch over a width of w at least.
#ifndef CR_ACTUATOR_MUSCLE_H
#define CR_ACTUATOR_MUSCLE_H

#include "actuator/curve.h"
#include "model/data.h"

/// Gain of actuator i at length l, velocity v; nine parameters p: range (2), force, scale, lmin, lmax, vmax,
/// fpmax, fvmax.
/// Equation L0 = (R1 - R0) / (r1 - r0),  L = r0 + (l - R0) / L0,  V = v / (L0 vmax),
///          F = force, or scale / acc0 if force is negative                [muscle.m1]
///          gain = -F FL(L) FV(V)                                         [muscle.m2]
///          gain_v = -F FL(L) FV'(V) / (L0 vmax)                          [muscle.m6]
///          gain_l = -F FL'(L) FV(V) / L0                                 [muscle.m7]
/// Shapes   r, force ... of p, R of actuator_lengthrange
/// Smooth   once, seams at lmin, (lmin + 1)/2, 1, (1 + lmax)/2, lmax and V = -1, 0, fvmax - 1, where the
///          slopes have kinks: their gradient is that of one side
cri_curve_law cri_muscle_gain;

/// Bias of actuator i, the passive force, with the same parameters.
/// Equation bias = -F fpmax FP(L)                                         [muscle.m3]
///          bias_l = -F fpmax FP'(L) / L0, bias_v = 0                     [muscle.m8]
/// Smooth   once, seams at 1 and (1 + lmax)/2
cri_curve_law cri_muscle_bias;

/// The pieces of the curves on which actuator i is, from 0 on.
enum { CR_MUSCLE_GAIN_PIECES = 24, CR_MUSCLE_BIAS_PIECES = 3 };
int cri_muscle_gain_piece(const cr_model* m, int i, cr_real l, cr_real v);
int cri_muscle_bias_piece(const cr_model* m, int i, cr_real l, cr_real v);

/// Rate of the activation, with its derivatives; prm: tau of activation, of deactivation, tausmooth.
typedef struct {
  cr_real value, by_u, by_act, by_prm[3];
} cri_muscle_rate;

/// Equation a = clip(act, 0, 1),  e = clip(u, 0, 1) - act,  tau_1 = prm_0 (1/2 + 3/2 a),
///          tau_0 = prm_1 / (1/2 + 3/2 a)                                 [muscle.m4]
///          act_dot = e / tau,  tau = tau_0 + (tau_1 - tau_0) S(e / prm_2 + 1/2), where prm_2 is 0
///          S is the step at e = 0                                        [muscle.m5]
/// Smooth   except at the clips, and at e = 0 where tausmooth is 0: there u, at the low end of its range,
///          only activates, and act only decays; at the high end the other way round; between the
///          ends the derivative is that of deactivation
cri_muscle_rate cri_muscle_rate_of(const cr_model* m, int i, cr_real u, cr_real act);

/// by_u and by_act at e = 0, from those of the first stage, at the stage of a Runge-Kutta step in d.
/// There e = 0 in all stages. A move of u or act at the start decides to which side e goes in
/// each stage. With P and Q the derivatives of the stage's activation by the first one's and by u:
///   by act  e' = -P,     rate -P / tau_a,  tau_a of what act can do, of the other side where P < 0
///   by u    e' = 1 - Q,  rate (1 - Q) / tau_u,  tau_u of what u can do, of the other where Q > 1
/// The chain of stages gives both from  by_act = -1 / tau_a,  by_u = (1 - Q) / tau_u + Q / tau_a.
void cri_muscle_rate_at_stage(const cr_data* d, cr_real* by_u, cr_real* by_act);

#endif
