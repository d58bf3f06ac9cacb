// SPDX-License-Identifier: Apache-2.0
// Positions decide which contacts count; the number is linear in their forces.
#include "sensor/sensor_touch.h"

#include "math/vec3.h"
#include "sensor/sensor_zone.h"
#include "solver/contact_force.h"

// true if contact c counts for sensor i
static bool counts(const cr_model* m, const cr_data* d, int i, int c) {
  int site = m->sensor_objid[i], body = m->site_bodyid[site];
  const int32_t* geom = d->contact_geom + 2 * c;
  bool first = m->geom_bodyid[geom[0]] == body, second = m->geom_bodyid[geom[1]] == body;
  cr_real along[3];
  if ((!first && !second) || cri_contact_normal(m, d, d, c) <= 0) {
    return false;
  }
  cr_scl3(along, d->contact_frame + 9 * c, second ? -1 : 1);
  return cri_sensor_zone_hit(m, d, site, d->contact_pos + 3 * c, along);
}

// the sum of the normal forces in x, which is d or a twin
static cr_real sum_of(const cr_model* m, const cr_data* d, const cr_data* x, int i) {
  cr_real sum = 0;
  for (int c = 0; c < d->ncon; c++) {
    // [sensor.h1]
    sum += counts(m, d, i, c) ? cri_contact_normal(m, d, x, c) : 0;
  }
  return sum;
}

cr_real cri_sensor_touch(const cr_model* m, const cr_data* d, int i) { return sum_of(m, d, d, i); }

cr_real cri_sensor_touch_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i) {
  return sum_of(m, d, tan, i);
}

void cri_sensor_touch_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i, cr_real y_bar) {
  for (int c = 0; c < d->ncon; c++) {
    // [sensor.h1]'
    if (counts(m, d, i, c)) {
      cri_contact_normal_bar(m, d, bar, c, y_bar);
    }
  }
}
