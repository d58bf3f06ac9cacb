// SPDX-License-Identifier: Apache-2.0
// Actuators with one input, one output and at most one activation, before any limit on their force.
// actuator/controller has those with more. Both give the same outputs.
#ifndef CR_ACTUATOR_ACTUATOR_H
#define CR_ACTUATOR_ACTUATOR_H

#include "actuator/activation.h"
#include "actuator/force_law.h"

/// Outputs of an actuator, or their tangents or cotangents.
typedef struct {
  int nout, nact;
  cr_real v[3], rate[5];  // velocities, rates of the activations
  cr_real raw[3], free;   // forces before limits, and a force without limits; 0 where it is off
} cri_output;

/// Actuator i during an evaluation.
typedef struct {
  int ctrl, out, act;       // its control, output, activation (-1 none)
  bool off, early;          // its group is disabled; its force acts early
  cr_real l, v, u, period;  // length, velocity, [actuation.u2]; period of the setpoint, 0 none
  int u_side;               // where the control was clipped
  bool stuck;  // the control is at a point at which no move of it has an effect [actuation.u3]
  cri_activation_rate rate;  // [actuation.u3]
  cri_next_activation next;  // only where early
  cr_real x, turns;          // [actuation.u4], the periods taken off it
} cri_actuator;

/// Map      (qvel, act, ctrl, actuator_length l, actuator_moment; dynprm, gainprm, biasprm, actrange,
///          ctrlrange, gear, acc0, lengthrange) -> a, its output
/// Equation [actuation.u1] to [actuation.u5] of actuator/actuation
void cri_actuator_of(const cr_model* m, const cr_data* d, int i, cri_actuator* a, cri_output* o);

/// Tangent of the velocity of an output; and of all outputs of actuator i, from that.
cr_real cri_actuator_velocity_tan(const cr_data* d, const cr_data* tan, int out);
void cri_actuator_tan(const cr_model* m, const cr_data* tan, int i, const cri_actuator* a,
                      cr_real v_tan, cri_output* o_tan);

/// Transpose: o_bar has the cotangents of rate and forces. Adds to bar, except for the velocity, whose
/// cotangent is added to o_bar->v.
void cri_actuator_bar(const cr_model* m, cr_data* bar, int i, const cri_actuator* a,
                      cri_output* o_bar);

/// The part [actuation.u4]: the tangent of x; and the transpose, if only x has a cotangent.
cr_real cri_actuator_input_tan(const cr_model* m, const cr_data* tan, int i, const cri_actuator* a,
                               cr_real v_tan);
void cri_actuator_input_bar(const cr_model* m, cr_data* bar, int i, const cri_actuator* a,
                            cr_real x_bar, cr_real* v_bar);

#endif
