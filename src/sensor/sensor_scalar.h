// SPDX-License-Identifier: Apache-2.0
// Sensors that read existing numbers: a run of numbers of some field, or a sum of a few.
#ifndef CR_SENSOR_SENSOR_SCALAR_H
#define CR_SENSOR_SENSOR_SCALAR_H

#include "model/data.h"

/// True for the types below.
bool cri_is_sensor_scalar(int type);

/// y = numbers of sensor i. joint and ball velocities, tendons, actuators, subtrees, energies, time;
/// jointpos: qpos; jointactuatorfrc: qfrc_actuator;
/// tendonactuatorfrc: sum of the forces of actuators on the tendon         [sensor.r1]
/// limits: of the first row of the limit: efc_pos - efc_margin, efc_vel, efc_force; 0 without row [sensor.r2]
void cri_sensor_scalar(const cr_model* m, const cr_data* d, int i, cr_real* y);
void cri_sensor_scalar_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                           cr_real* y_tan);
void cri_sensor_scalar_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                           const cr_real* y_bar);

#endif
