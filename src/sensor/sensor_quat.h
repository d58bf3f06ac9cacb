// SPDX-License-Identifier: Apache-2.0
// Sensors that are unit quaternions: of a ball joint, or of a frame seen from another.
#ifndef CR_SENSOR_SENSOR_QUAT_H
#define CR_SENSOR_SENSOR_QUAT_H

#include "model/data.h"

/// True for ballquat and framequat.
bool cri_is_sensor_quat(int type);

/// y = q of sensor i. ballquat: q of the joint, q' = q (0, delta) / 2      [sensor.t1]
/// framequat: q_ref^-1 q_obj, q' = (0, t) q / 2, t = R_ref' (w_obj - w_ref), where the two frames
/// turn with w                                                             [sensor.t2]
void cri_sensor_quat(const cr_model* m, const cr_data* d, int i, cr_real y[4]);
void cri_sensor_quat_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                         cr_real y_tan[4]);
void cri_sensor_quat_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                         const cr_real y_bar[4]);

#endif
