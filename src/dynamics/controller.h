// SPDX-License-Identifier: Apache-2.0
// Actuators of several inputs, states or outputs: PID controllers, DC motors and orientation servos.
// Each is one law, with its derivatives as a small matrix; dynamics/actuation multiplies with it in
// both directions.
#ifndef CR_DYNAMICS_CONTROLLER_H
#define CR_DYNAMICS_CONTROLLER_H

#include "model/data.h"

enum { CR_LAW_U = 4, CR_LAW_ACT = 5, CR_LAW_OUT = 3 };  // most inputs, states, outputs

/// Rows of the derivatives: rates, forces, the force that no limit holds.
enum { CR_LAW_RATE = 0, CR_LAW_FORCE = 5, CR_LAW_FREE = 8, CR_LAW_ROWS = 9 };

/// Columns: inputs, states, lengths, velocities; and of parameters: dynprm, gainprm, biasprm, actrange.
enum { CR_LAW_L = 9, CR_LAW_V = 12, CR_LAW_COLUMNS = 15 };
enum { CR_LAW_DYN = 0, CR_LAW_GAIN = 10, CR_LAW_BIAS = 20, CR_LAW_RANGE = 30, CR_LAW_PRMS = 32 };

typedef struct {
  int nu, nact, nout;
  cr_real value[CR_LAW_ROWS];
  cr_real by[CR_LAW_ROWS][CR_LAW_COLUMNS], by_prm[CR_LAW_ROWS][CR_LAW_PRMS];
  cr_real by_period[CR_LAW_ROWS];  // of the setpoint's circle, dynamics/activation
} cri_law;

/// Actuator i is one of those.
static inline bool cri_is_controller(const cr_model* m, int i) {
  return m->actuator_gaintype[i] >= CR_GAIN_DCMOTOR;
}

/// The law of actuator i.
/// Map      (u[nu] clipped controls, act[nact], l[nout], v[nout]; dynprm, gainprm, biasprm, actrange)
///          -> rates, forces before limits, free force
/// Equation PID: q = u_pos, or with slewmax act_0 +- slewmax h at most; rate_0 = (q - act_0) / h  [c1]
///          rate of the integral z = q - l, 0 where it would leave +-imax              [c2]
///          f = -b1 q - b2 u_vel + u_ff + ki z + b0 + b1 l + b2 v                      [c3]
///          DC motor: V = (R/K) (kp (q - l) + kd (u_vel - v) + ki z + u_ff) + K v, within +-Vmax,
///          + u_voltage                                                                [c4]
///          R_T = R (1 + alpha (T + Ta - T0)), T_dot = (R_T i^2 - T / RT) / C,
///          i = (V - K v) / R_T or a state: i_dot = ((V - K v) / R_T - i) / te, at most dimax [c5]
///          f = K i; free: A sin(Np l + phi)                                           [c6]
///          orientation: f = kp e + b0 + b2 v, e = log(exp(l)^-1 Q), Q = exp(u) or u / |u|  [c7]
///          [MuJoCo manual, "actuator/pid", "actuator/dcmotor", "actuator/orientation"];
///          docs/derivations/controller.md
/// Smooth   but where a limit begins to hold, and at half a turn of a setpoint on a circle
void cri_law_of(const cr_model* m, int i, const cr_real* u, const cr_real* act, const cr_real* l,
                const cr_real* v, cri_law* law);

#endif
