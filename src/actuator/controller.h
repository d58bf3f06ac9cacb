// SPDX-License-Identifier: Apache-2.0
// Actuators of several inputs, states or outputs: PID controllers, DC motors and orientation servos.
// Each has one law (actuator/pid, motor, geodesic), whose derivatives are a small matrix.
#ifndef CR_ACTUATOR_CONTROLLER_H
#define CR_ACTUATOR_CONTROLLER_H

#include "actuator/actuator.h"
#include "actuator/actuator_laws.h"
#include "actuator/drive.h"

/// True if actuator i is one of these.
static inline bool cri_is_controller(const cr_model* m, int i) {
  return cri_gain_law(m, i)->drive != NULL;
}

/// Actuator i during an evaluation.
typedef struct {
  int ctrl, act, out;  // first control, activation (-1 none), output
  int side[CR_LAW_U];  // where the controls were clipped
  bool off;            // its group is disabled: only the rates count
  cr_real v[CR_LAW_OUT];
  cr_real period;  // of the setpoint's circle, 0 none
  cri_law law;
} cri_controlled;

/// The law of actuator i.
/// Map      (u[nu] clipped controls, act[nact], l[nout], v[nout]; dynprm, gainprm, biasprm, actrange)
///          -> rates, forces before limits, free force, their slopes
/// Equation PID: q = u_pos, or with slewmax act_0 +- slewmax h at most; rate_0 = (q - act_0) / h  [controller.c1]
///          rate of the integral z = q - l, 0 where it would leave +-imax   [controller.c2]
///          f = -b1 q - b2 u_vel + u_ff + ki z + b0 + b1 l + b2 v           [controller.c3]
///          DC motor: V = (R/K) (kp (q - l) + kd (u_vel - v) + ki z + u_ff) + K v, within +-Vmax,
///          + u_voltage                                                     [controller.c4]
///          R_T = R (1 + alpha (T + Ta - T0)), T_dot = (R_T i^2 - T / RT) / C,
///          i = (V - K v) / R_T or a state: i_dot = ((V - K v) / R_T - i) / te, at most dimax [controller.c5]
///          f = K i; free: A sin(Np l + phi)                                [controller.c6]
///          - sigma0 z - sigma1 z_dot, z of actuator/lugre                   [controller.c7]
///          slopes: df/dv, df/dl for MuJoCo's implicit integrators                     [controller.c8]
///          orientation: f = kp e + b0 + b2 v, e = log(exp(l)^-1 Q), Q = exp(x) or x / |x|,
///          x = u or states with rate u                                     [controller.c9]
///          [MuJoCo manual, "actuator/pid", "actuator/dcmotor", "actuator/orientation"];
///          docs/derivations/controller.md
/// Smooth   except where a limit begins to hold, at half a turn of a setpoint on a circle, and for
///          bristles at rest
void cri_law_of(const cr_model* m, int i, const cr_real* u, const cr_real* act, const cr_real* l,
                const cr_real* v, cri_law* law);

/// The same with the inputs of actuator i (those of actuator/actuator), and its output.
void cri_controlled_of(const cr_model* m, const cr_data* d, int i, cri_controlled* c,
                       cri_output* o);

/// Tangents of the law's rows and of the velocities; and of the output.
void cri_controlled_rows_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                             const cri_controlled* c, cr_real row_tan[CR_LAW_ROWS],
                             cr_real v_tan[CR_LAW_OUT]);
void cri_controlled_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                        const cri_controlled* c, cri_output* o_tan);

/// Transposes: add to bar, except for the velocities, whose cotangents are added to v_bar, or o_bar->v.
void cri_controlled_rows_bar(const cr_model* m, cr_data* bar, int i, const cri_controlled* c,
                             const cr_real row_bar[CR_LAW_ROWS], cr_real v_bar[CR_LAW_OUT]);
void cri_controlled_bar(const cr_model* m, cr_data* bar, int i, const cri_controlled* c,
                        cri_output* o_bar);

#endif
