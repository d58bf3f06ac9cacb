// SPDX-License-Identifier: Apache-2.0
// What the numbers of a place are, where a signal of it was measured: quaternions, units.
#ifndef CR_MEASURE_MEASURED_PLACE_H
#define CR_MEASURE_MEASURED_PLACE_H

#include "model/names.h"

/// Resolves the name of a place that can be measured, or of controls.
/// part     of a quaternion is allowed
/// Errors   CR_ERR_NAME for an unknown name, a contact's, one of the model, an input of the step that is no
///          control, part of a quaternion
cr_status cri_measured_place(cr_place* place, const cr_model* m, const char* name, bool part,
                             cr_error* error);

/// Where the quaternions begin among the numbers of a place, ascending; returns how many there are. `start` may
/// be NULL. -1: the place cuts one.
int cri_place_quaternions(const cr_model* m, const cr_place* place, int* start);

/// The unit of number i of a field, "m" or, where the model does not say which, "m|rad".
enum { CRI_UNIT = 40 };
void cri_number_unit(const cr_model* m, cr_field_id field, int i, char unit[CRI_UNIT]);

/// The joint that coordinate i of qpos, or dof i, belongs to; -1 none.
int cri_joint_of_coordinate(const cr_model* m, int i);
int cri_joint_of_dof(const cr_model* m, int i);

/// The sensor that number i of sensordata belongs to; -1 none.
int cri_sensor_of_number(const cr_model* m, int i);

#endif
