// SPDX-License-Identifier: Apache-2.0
// One loop over the sensors. Each belongs to a family, which has the numbers, their tangent and their
// transpose; the cutoff is the same for all.
#include "sensor/sensor.h"

#include "kinematics/object_frame.h"
#include "model/sensors.h"
#include "sensor/sensor_contacts.h"
#include "sensor/sensor_distance.h"
#include "sensor/sensor_quat.h"
#include "sensor/sensor_scalar.h"
#include "sensor/sensor_touch.h"
#include "sensor/sensor_vector.h"
#include "sensor/sensor_zone.h"

enum { REAL = 0, POSITIVE = 1 };  // values of sensor_datatype that a cutoff bounds

static bool silent(const cr_model* m, int i) {
  return m->sensor_skip[i] != 0 || (m->disableflags & CR_DSBL_SENSOR) != 0;
}

static bool is_inside(const cr_model* m, const cr_data* d, int i) {
  cri_object o = cri_object_of(m, d, m->sensor_objtype[i], m->sensor_objid[i]);
  return cri_sensor_zone_holds(m, d, m->sensor_refid[i], o.pos);
}

// ---- the three functions of a sensor without cutoff

static void value(const cr_model* m, const cr_data* d, int i, cr_real* y) {
  int type = m->sensor_type[i];
  cr_zero(y, m->sensor_dim[i]);
  if (cri_is_sensor_scalar(type)) {
    cri_sensor_scalar(m, d, i, y);
  } else if (cri_is_sensor_vector(type)) {
    cri_sensor_vector(m, d, i, y);
  } else if (cri_is_sensor_quat(type)) {
    cri_sensor_quat(m, d, i, y);
  } else if (type == CR_SENS_TOUCH) {
    y[0] = cri_sensor_touch(m, d, i);
  } else if (type == CR_SENS_INSIDESITE) {
    y[0] = is_inside(m, d, i);
  } else if (type == CR_SENS_CONTACT) {
    cri_contacts(m, d, i, y);
  } else if (cri_is_sensor_distance(type)) {
    cri_sensor_distance(m, d, i, y);
  }
}

static void value_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                      cr_real* y_tan) {
  int type = m->sensor_type[i];
  cr_zero(y_tan, m->sensor_dim[i]);
  if (cri_is_sensor_scalar(type)) {
    cri_sensor_scalar_tan(m, d, tan, i, y_tan);
  } else if (cri_is_sensor_vector(type)) {
    cri_sensor_vector_tan(m, d, tan, i, y_tan);
  } else if (cri_is_sensor_quat(type)) {
    cri_sensor_quat_tan(m, d, tan, i, y_tan);
  } else if (type == CR_SENS_TOUCH) {
    y_tan[0] = cri_sensor_touch_tan(m, d, tan, i);
  } else if (type == CR_SENS_CONTACT) {
    cri_contacts_tan(m, d, tan, i, y_tan);
  } else if (cri_is_sensor_distance(type)) {
    cri_sensor_distance_tan(m, d, tan, i, y_tan);
  }
}

static void value_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                      const cr_real* y_bar) {
  int type = m->sensor_type[i];
  if (cri_is_sensor_scalar(type)) {
    cri_sensor_scalar_bar(m, d, bar, i, y_bar);
  } else if (cri_is_sensor_vector(type)) {
    cri_sensor_vector_bar(m, d, bar, i, y_bar);
  } else if (cri_is_sensor_quat(type)) {
    cri_sensor_quat_bar(m, d, bar, i, y_bar);
  } else if (type == CR_SENS_TOUCH) {
    cri_sensor_touch_bar(m, d, bar, i, y_bar[0]);
  } else if (type == CR_SENS_CONTACT) {
    cri_contacts_bar(m, d, bar, i, y_bar);
  } else if (cri_is_sensor_distance(type)) {
    cri_sensor_distance_bar(m, d, bar, i, y_bar);
  }
}

// ---- cutoff

typedef struct {
  cr_real low, high;
} bounds;

static bounds bounds_of(const cr_model* m, int i) {
  cr_real cutoff = m->sensor_cutoff[i];
  int data = m->sensor_datatype[i];
  bool fixed = m->sensor_type[i] == CR_SENS_CONTACT || m->sensor_type[i] == CR_SENS_GEOMFROMTO;
  bounds b = {-CR_MAX, CR_MAX};
  if (cutoff > 0 && !fixed && (data == REAL || data == POSITIVE)) {
    b.high = cutoff;
    b.low = data == REAL ? -cutoff : -CR_MAX;
  }
  return b;
}

// y with zeros where the numbers of the sensor are clipped
static void drop_clipped(const cr_model* m, cr_data* work, const cr_data* d, int i, cr_real* y) {
  size_t mark = cri_mark(work);
  bounds b = bounds_of(m, i);
  cr_real* x = cri_push(work, (size_t)m->sensor_dim[i]);
  if (b.high < CR_MAX) {
    value(m, d, i, x);
    for (int k = 0; k < m->sensor_dim[i]; k++) {
      y[k] = x[k] > b.low && x[k] < b.high ? y[k] : 0;
    }
  }
  cri_pop(work, mark);
}

// ---- the stage

cr_status cr_sensor(const cr_model* m, cr_data* d) {
  cr_zero(d->sensordata, m->nsensordata);
  for (int i = 0; i < m->nsensor; i++) {
    cr_real* y = d->sensordata + m->sensor_adr[i];
    bounds b = bounds_of(m, i);
    if (silent(m, i)) {
      continue;
    }
    value(m, d, i, y);
    for (int k = 0; k < m->sensor_dim[i]; k++) {
      y[k] = cr_clip(y[k], b.low, b.high);
    }
  }
  return CR_OK;
}

cr_status cr_sensor_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  cr_zero(tan->sensordata, m->nsensordata);
  for (int i = 0; i < m->nsensor; i++) {
    cr_real* y_tan = tan->sensordata + m->sensor_adr[i];
    if (!silent(m, i)) {
      value_tan(m, d, tan, i, y_tan);
      drop_clipped(m, tan, d, i, y_tan);
    }
  }
  return CR_OK;
}

cr_status cr_sensor_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  for (int i = 0; i < m->nsensor; i++) {
    int n = m->sensor_dim[i];
    const cr_real* y_bar = bar->sensordata + m->sensor_adr[i];
    if (silent(m, i) || cr_is_zero(y_bar, n)) {
      continue;
    }
    size_t mark = cri_mark(bar);
    cr_real* kept = cri_push(bar, (size_t)n);
    cr_copy(kept, y_bar, n);
    drop_clipped(m, bar, d, i, kept);
    value_bar(m, d, bar, i, kept);
    cri_pop(bar, mark);
  }
  return CR_OK;
}
