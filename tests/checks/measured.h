// SPDX-License-Identifier: Apache-2.0
// A random model at a random state, with all fields computed, measured ones too.
#ifndef CR_TESTS_MEASURED_H
#define CR_TESTS_MEASURED_H

#include "model/sensors.h"
#include "scenes/random_model.h"

typedef struct {
  cr_model m;
  cr_data *d, *tan;  // tan: zero, without parameters
} measured;

/// Opens it, or fails the test.
void measured_open(measured* s, int seed, state_kind kind);
void measured_close(measured* s);

/// Places the state of s a step h along its velocity into `to`, and evaluates everything there.
void measured_move(const measured* s, cr_real h, cr_data* to);

/// The only sensor of s->m becomes this one; room in sensordata for its numbers is there.
void measured_sensor(measured* s, cr_sensor_type type, int objtype, int objid, int reftype,
                     int refid);

#endif
