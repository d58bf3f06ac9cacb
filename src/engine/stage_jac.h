// SPDX-License-Identifier: Apache-2.0
// The structured derivatives of stages: two columns of engine/pipeline_table.h, whether a stage has one at a state,
// and what adds it. See cr_stage_jac and cr_stage_columns.
#ifndef CR_ENGINE_STAGE_JAC_H
#define CR_ENGINE_STAGE_JAC_H

#include "actuator/length_jac.h"
#include "kinematics/rigid_transport.h"
#include "model/schedule.h"

const char* cri_jac_always(const cr_model* m, const cr_data* d);
const char* cri_jac_plugin(const cr_model* m, const cr_data* d);
const char* cri_jac_collision(const cr_model* m, const cr_data* d);
const char* cri_jac_adhesion(const cr_model* m, const cr_data* d);
const char* cri_jac_tendon_bias(const cr_model* m, const cr_data* d);
const char* cri_jac_actuation(const cr_model* m, const cr_data* d);
const char* cri_jac_effective_mass(const cr_model* m, const cr_data* d);
const char* cri_jac_regularisation(const cr_model* m, const cr_data* d);
const char* cri_jac_acceleration(const cr_model* m, const cr_data* d);

/// Derivatives of all forces less M a, a held: columns over q, v and outputs of actuators, and what rows share to
/// make them. slopes[nactuator] are set by those of actuators.
typedef struct cri_force_columns {
  cri_columns columns;
  cri_rigid_transport carried;
  const cri_curvatures* curvatures;
  cri_actuator_jac* slopes;
  cr_data* tan;
} cri_force_columns;

/// Bodies: inertia, bias, fluid, gravity compensation and applied forces; springs and dampers of joints and
/// tendons; actuators; constraint rows; pressure fields.
void cri_columns_bodies(const cr_model* m, const cr_data* d, cri_force_columns* x);
void cri_columns_pressure(const cr_model* m, const cr_data* d, cri_force_columns* x);
void cri_columns_springs(const cr_model* m, const cr_data* d, cri_force_columns* x);
void cri_columns_actuators(const cr_model* m, const cr_data* d, cri_force_columns* x);
void cri_columns_rows(const cr_model* m, const cr_data* d, cri_force_columns* x);

#endif
