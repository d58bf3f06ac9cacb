// SPDX-License-Identifier: Apache-2.0
// Sensors of an mjModel that are not computed, and why.
#include "io/mujoco.h"
#include "model/sensors.h"
#include "sensor/sensor_zone.h"

_Static_assert((int)mjSENS_TOUCH == (int)CR_SENS_TOUCH && (int)mjSENS_CLOCK == (int)CR_SENS_CLOCK &&
                   (int)mjSENS_USER == (int)CR_SENS_USER &&
                   (int)mjSENS_FRAMEPOS == (int)CR_SENS_FRAMEPOS &&
                   (int)mjSENS_CONTACT == (int)CR_SENS_CONTACT,
               "the sensor types are MuJoCo's");

static bool of_camera(const mjModel* mj, int i) {
  return mj->sensor_objtype[i] == mjOBJ_CAMERA || mj->sensor_reftype[i] == mjOBJ_CAMERA;
}

static const char* zone_gap(const mjModel* mj, int i) {
  bool inside = mj->sensor_type[i] == mjSENS_INSIDESITE;
  int site = inside ? mj->sensor_refid[i] : mj->sensor_objid[i], body = mj->sensor_objid[i];
  if (!cri_sensor_zone_known(mj->site_type[site])) {
    return "the shape of its site";
  }
  if (inside && mj->sensor_intprm[i * mjNSENS] != 0) {
    return "enclosed";
  }
  bool massless = inside && mj->sensor_objtype[i] == mjOBJ_BODY && body > 0 &&
                  mj->body_mass[body] < mjMINVAL && mj->body_subtreemass[body] >= mjMINVAL;
  return massless ? "a body without mass" : NULL;
}

const char* cri_mujoco_sensor_gap(const mjModel* mj, int i) {
  int type = mj->sensor_type[i];
  if (type >= CR_N_SENSOR_TYPE || !cri_sensor_known(type)) {
    return "its type";
  }
  if (mj->sensor_history[2 * i] > 0) {
    return "history";
  }
  if (of_camera(mj, i)) {
    return "a camera";
  }
  return type == mjSENS_TOUCH || type == mjSENS_INSIDESITE ? zone_gap(mj, i) : NULL;
}
