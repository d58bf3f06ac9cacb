// SPDX-License-Identifier: Apache-2.0
// Sensors: the numbers of all of them, in MuJoCo's layout.
#ifndef CR_SENSOR_SENSOR_H
#define CR_SENSOR_SENSOR_H

#include "model/data.h"

/// The readings of all sensors.
/// Map      (states, poses, velocities, accelerations, forces, momenta, energies) -> sensordata
/// Equation by type, see sensor/sensor_scalar.h (numbers of a field), sensor/sensor_vector.h (vectors
///          seen from a frame), sensor/sensor_quat.h (orientations), sensor/sensor_touch.h (contacts in a zone),
///          sensor/sensor_contacts.h (contact by contact), sensor/sensor_distance.h (distances of shapes); then real
///          numbers are clipped to [-cutoff, cutoff], positive ones to cutoff from above, if cutoff
///          > 0; derivation: docs/derivations/sensor.md
/// Shapes   sensordata[nsensordata]: sensor_dim numbers of sensor i from sensor_adr on
/// Units    those of the field read.  Frames: of the site; of the reference frame, or the world
/// Skips    sensors with sensor_skip, and all of them under CR_DSBL_SENSOR: their numbers are 0
/// Memory   no allocation; scratch: numbers of the largest sensor
/// Errors   none
/// Smooth   except at a cutoff, and where a contact enters or leaves a zone; a clipped number has
///          derivative 0, an insidesite sensor always
cr_status cr_sensor(const cr_model* m, cr_data* d);
cr_status cr_sensor_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_sensor_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
