// SPDX-License-Identifier: Apache-2.0
// All derivatives of an actuator that depends only on its own length, velocity, activation and
// control, for the Jacobian of a step.
#ifndef CR_ACTUATOR_ACTUATOR_JAC_H
#define CR_ACTUATOR_ACTUATOR_JAC_H

#include "model/data.h"

/// Derivatives of the force of an actuator, limits included, and of the rate of its activation: each
/// by its own length, velocity, activation and control.
typedef struct {
  cr_real force, by_length, by_velocity, by_act, by_ctrl;
  cr_real rate_by_act, rate_by_ctrl;
} cri_actuator_jac;

/// True if actuator i is such an actuator: one output, at most one activation, no limit shared
/// with others.
bool cri_actuator_alone(const cr_model* m, int i);

/// Its slopes. Uses the entries of `tan`, a tangent twin, that belong to the actuator; they are zero
/// before and after.
/// Needs    cr_actuation on d
cri_actuator_jac cri_actuator_jac_of(const cr_model* m, const cr_data* d, cr_data* tan, int i);

#endif
