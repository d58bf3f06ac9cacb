// SPDX-License-Identifier: Apache-2.0
// The types of sensors, with the object each measures, and the check of a model's sensors.
#ifndef CR_MODEL_SENSORS_H
#define CR_MODEL_SENSORS_H

#include "model/model.h"

/// MuJoCo's numbers for its sensor types.
typedef enum {
#define CR_SENSOR(type, word, dim, of) CR_SENS_##type,
#include "model/sensor_types.h"
  CR_N_SENSOR_TYPE
} cr_sensor_type;

/// The object that a sensor measures, see model/sensor_types.h.
typedef enum {
  CR_OF_NONE,
  CR_OF_SITE,
  CR_OF_SCALAR,
  CR_OF_BALL,
  CR_OF_TENDON,
  CR_OF_ACTUATOR,
  CR_OF_BODY,
  CR_OF_FRAME,
  CR_OF_INSIDE,
  CR_OF_PAIR,
  CR_OF_CONTACT
} cr_sensor_of;

typedef struct {
  const char* word;  // of MJCF
  int dim;           // numbers; 0: sensor_dim says
  cr_sensor_of of;
} cr_sensor_info;

/// Row of a type, 0 <= type < CR_N_SENSOR_TYPE.
const cr_sensor_info* cri_sensor_info(int type);

/// True for a type that Carom computes.
bool cri_sensor_known(int type);

/// True for an object type that has a frame: body, geom or site.
static inline bool cri_has_frame(int objtype) {
  return objtype == CR_OBJ_BODY || objtype == CR_OBJ_XBODY || objtype == CR_OBJ_GEOM ||
         objtype == CR_OBJ_SITE;
}

/// Numbers that all sensors of a model may have: they are computed, so no file's length is a measure of them.
enum { CRI_MOST_SENSORDATA = 1 << 24 };

/// Checks the sensors of a model whose other counts and indices are valid.
/// Errors   CR_ERR_MODEL with a sentence that names the sensor
cr_status cri_sensors_check(const cr_model* m, cr_error* error);

#endif
