// SPDX-License-Identifier: Apache-2.0
// Sensors that are not computed, type by type. No sensor changes the motion, so these are ignored.
#include "io/mujoco.h"
#include "model/sensors.h"

static bool same_gap(const mjModel* mj, int i, int k) {
  const char *a = cri_mujoco_sensor_gap(mj, i), *b = cri_mujoco_sensor_gap(mj, k);
  return a == b && mj->sensor_type[i] == mj->sensor_type[k];
}

void cri_mujoco_survey_sensors(const mjModel* mj, cr_load_report* r) {
  for (int i = 0; i < mj->nsensor; i++) {
    const char* why = cri_mujoco_sensor_gap(mj, i);
    int more = 0;
    bool first = true;
    for (int k = 0; k < mj->nsensor && why != NULL; k++) {
      first = first && (k >= i || !same_gap(mj, i, k));
      more += k > i && same_gap(mj, i, k);
    }
    if (why == NULL || !first) {
      continue;
    }
    int type = mj->sensor_type[i];
    const char* word = type < CR_N_SENSOR_TYPE ? cri_sensor_info(type)->word : "unknown";
    const char* name = cri_mujoco_name(mj, mjOBJ_SENSOR, i);
    if (more == 0) {
      cri_sentence(&r->ignored, "sensor '%s' (%s) is not computed: %s", name, word, why);
    } else {
      cri_sentence(&r->ignored, "sensor '%s' (%s) and %d more are not computed: %s", name, word,
                   more, why);
    }
  }
}
