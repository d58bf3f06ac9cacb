// SPDX-License-Identifier: Apache-2.0
// Sensors of random models: every computed type, in turn, from random numbers of their own.
#ifndef CR_TESTS_RANDOM_SENSORS_H
#define CR_TESTS_RANDOM_SENSORS_H

#include "model/model.h"

/// Adds to m the counts of random sensors; all other counts are set. jnt_type[njnt] as it will be.
void random_sensor_counts(cr_model* m, uint64_t seed, const int32_t* jnt_type);

/// Fills them, the shapes of all sites and the magnetic flux. Everything else is filled.
void random_sensors(cr_model* m, uint64_t seed);

#endif
