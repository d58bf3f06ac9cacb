// SPDX-License-Identifier: Apache-2.0
// Sensors that are a world vector seen from a frame: y = Q' z. The frame is the site of the sensor,
// the reference of a frame sensor, or the world.
#ifndef CR_SENSOR_SENSOR_VECTOR_H
#define CR_SENSOR_SENSOR_VECTOR_H

#include "model/data.h"

/// True for the types below.
bool cri_is_sensor_vector(int type);

/// y = Q' z of sensor i                                                    [sensor.v1]
///   magnetometer            z = magnetic
///   gyro, velocimeter       z = w, v of the site
///   accelerometer           z = a of the site, minus gravity
///   force, torque           z = f, n - r x f of cfrc_int of the site's body, r = site - com of tree
///   framepos                z = x - x_ref
///   frame[xyz]axis          z = R e_k
///   frameangvel             z = w - w_ref
///   framelinvel             z = v - v_ref + (x - x_ref) x w_ref
///   frameangacc, framelinacc  z = the acceleration; Q is the world's
/// without a reference, x_ref, v_ref, w_ref are 0 and Q is the world's
void cri_sensor_vector(const cr_model* m, const cr_data* d, int i, cr_real y[3]);
void cri_sensor_vector_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                           cr_real y_tan[3]);
void cri_sensor_vector_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                           const cr_real y_bar[3]);

#endif
