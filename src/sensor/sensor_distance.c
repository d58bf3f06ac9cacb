// SPDX-License-Identifier: Apache-2.0
// The derivatives search for the nearest pair again: they depend on poses alone, and storing the result of a
// search would cost more.
#include "sensor/sensor_distance.h"

#include "model/sensors.h"

bool cri_is_sensor_distance(int type) {
  return type == CR_SENS_GEOMDIST || type == CR_SENS_GEOMNORMAL || type == CR_SENS_GEOMFROMTO;
}

// ---- the nearest pair of geoms

typedef struct {
  int first, n;
} geoms;

static geoms geoms_of(const cr_model* m, int objtype, int id) {
  return objtype == CR_OBJ_BODY ? (geoms){m->body_geomadr[id], m->body_geomnum[id]}
                                : (geoms){id, 1};
}

bool cri_sensor_distance_nearest(const cr_model* m, const cr_data* d, int i, cri_distance* best) {
  geoms a = geoms_of(m, m->sensor_objtype[i], m->sensor_objid[i]);
  geoms b = geoms_of(m, m->sensor_reftype[i], m->sensor_refid[i]);
  bool found = false;
  *best = (cri_distance){.dist = m->sensor_cutoff[i]};
  for (int g = a.first; g < a.first + a.n; g++) {
    for (int h = b.first; h < b.first + b.n; h++) {
      cri_distance x;
      if (cri_distance_of(m, d, g, h, best->dist, &x)) {
        *best = x;
        found = true;
      }
    }
  }
  return found;
}

static cr_real side_of(const cri_distance* x) { return cr_sign(x->dist); }

// ---- value, tangent, transpose

void cri_sensor_distance(const cr_model* m, const cr_data* d, int i, cr_real* y) {
  cri_distance x;
  bool found = cri_sensor_distance_nearest(m, d, i, &x);
  cr_zero(y, m->sensor_dim[i]);
  if (m->sensor_type[i] == CR_SENS_GEOMDIST) {
    // [sensor.g1]
    y[0] = x.dist;
  } else if (found && m->sensor_type[i] == CR_SENS_GEOMNORMAL) {
    // [sensor.g2]
    cr_scl3(y, x.normal, side_of(&x));
  } else if (found) {
    // [sensor.g3]
    cri_distance_ends(&x, y);
  }
}

void cri_sensor_distance_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                             cr_real* y_tan) {
  cri_distance x;
  cr_hit_tan x_tan;
  cr_zero(y_tan, m->sensor_dim[i]);
  if (!cri_sensor_distance_nearest(m, d, i, &x)) {
    return;
  }
  cri_distance_tan(m, d, tan, &x, &x_tan);
  if (m->sensor_type[i] == CR_SENS_GEOMDIST) {
    // [sensor.g1]
    y_tan[0] = x_tan.dist;
  } else if (m->sensor_type[i] == CR_SENS_GEOMNORMAL) {
    // [sensor.g2]
    cr_scl3(y_tan, x_tan.normal, side_of(&x));
  } else {
    // [sensor.g3]
    for (int end = 0; end < 2; end++) {
      cr_real half = end == 1 ? CR_R(0.5) : CR_R(-0.5);
      cr_copy3(y_tan + 3 * end, x_tan.pos);
      cr_accscl3(y_tan + 3 * end, x_tan.normal, half * x.dist);
      cr_accscl3(y_tan + 3 * end, x.normal, half * x_tan.dist);
    }
  }
}

void cri_sensor_distance_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                             const cr_real* y_bar) {
  cri_distance x;
  cr_hit_tan x_bar = {0};
  if (!cri_sensor_distance_nearest(m, d, i, &x)) {
    return;
  }
  if (m->sensor_type[i] == CR_SENS_GEOMDIST) {
    // [sensor.g1]'
    x_bar.dist = y_bar[0];
  } else if (m->sensor_type[i] == CR_SENS_GEOMNORMAL) {
    // [sensor.g2]'
    cr_scl3(x_bar.normal, y_bar, side_of(&x));
  } else {
    // [sensor.g3]'
    for (int end = 0; end < 2; end++) {
      cr_real half = end == 1 ? CR_R(0.5) : CR_R(-0.5);
      cr_acc3(x_bar.pos, y_bar + 3 * end);
      cr_accscl3(x_bar.normal, y_bar + 3 * end, half * x.dist);
      x_bar.dist += half * cr_dot3(x.normal, y_bar + 3 * end);
    }
  }
  cri_distance_bar(m, d, bar, &x, &x_bar);
}
