// SPDX-License-Identifier: Apache-2.0
// The table of sensor types as rows, and the check of a sensor's objects.
#include "model/sensors.h"

#include <assert.h>

#include "model/names.h"

static const cr_sensor_info infos[] = {
#define CR_SENSOR(type, word, dim, of) {word, dim, CR_OF_##of},
#include "model/sensor_types.h"
};

const cr_sensor_info* cri_sensor_info(int type) {
  assert(type >= 0 && type < CR_N_SENSOR_TYPE);
  return &infos[type];
}

bool cri_sensor_known(int type) {
  cr_sensor_of of = cri_sensor_info(type)->of;
  return of != CR_OF_NONE || cri_sensor_info(type)->dim == 1;
}

static bool in_range(int id, int n) { return id >= 0 && id < n; }

static bool is_of_type(const cr_model* m, int objtype, int id) {
  return cri_object_is(m, cri_object_of_type(objtype), id);
}

static bool framed(const cr_model* m, int objtype, int id) {
  return cri_has_frame(objtype) && is_of_type(m, objtype, id);
}

// a geom, or a body with all of its geoms
static bool shaped(const cr_model* m, int objtype, int id) {
  return (objtype == CR_OBJ_GEOM || objtype == CR_OBJ_BODY) && is_of_type(m, objtype, id);
}

static bool joint_is(const cr_model* m, int id, bool ball) {
  return cri_object_is(m, CRI_OBJECT_joint, id) &&
         (ball ? m->jnt_type[id] == CR_JNT_BALL : m->jnt_type[id] >= CR_JNT_SLIDE);
}

// the numbers must be whole slots of the contents in its bits
static bool contact_fits(const cr_model* m, int i) {
  static const int widths[] = {1, 3, 3, 1, 3, 3, 3, 3, 3};
  int bits = m->sensor_intprm[3 * i], reduce = m->sensor_intprm[3 * i + 1], size = 0;
  for (int k = 0; k < 9; k++) {
    size += (bits >> k & 1) != 0 ? widths[k] : 0;
  }
  return bits > 0 && bits < 1 << 9 && in_range(reduce, 4) && m->sensor_dim[i] % size == 0;
}

static bool object_fits(const cr_model* m, int i) {
  int id = m->sensor_objid[i], type = m->sensor_objtype[i];
  int ref = m->sensor_refid[i], reftype = m->sensor_reftype[i];
  switch (cri_sensor_info(m->sensor_type[i])->of) {
    case CR_OF_SITE:
      return cri_object_is(m, CRI_OBJECT_site, id);
    case CR_OF_SCALAR:
      return joint_is(m, id, false);
    case CR_OF_BALL:
      return joint_is(m, id, true);
    case CR_OF_TENDON:
      return cri_object_is(m, CRI_OBJECT_tendon, id);
    case CR_OF_ACTUATOR:
      return cri_object_is(m, CRI_OBJECT_actuator, id) &&
             m->sensor_dim[i] <= m->nout - m->actuator_outadr[id];
    case CR_OF_BODY:
      return cri_object_is(m, CRI_OBJECT_body, id);
    case CR_OF_FRAME:
      return framed(m, type, id) && (ref == -1 || framed(m, reftype, ref));
    case CR_OF_INSIDE:
      return framed(m, type, id) && cri_object_is(m, CRI_OBJECT_site, ref);
    case CR_OF_PAIR:
      return shaped(m, type, id) && shaped(m, reftype, ref);
    case CR_OF_CONTACT:
      return contact_fits(m, i) && (type == CR_OBJ_UNKNOWN || framed(m, type, id)) &&
             (reftype == CR_OBJ_UNKNOWN || framed(m, reftype, ref));
    default:
      return true;
  }
}

static cr_status bad(const cr_model* m, int i, const char* what, cr_error* error) {
  return cri_fail(error, CR_ERR_MODEL, "sensor %d \"%s\": %s", i, cri_name(m, m->name_sensoradr, i),
                  what);
}

cr_status cri_sensors_check(const cr_model* m, cr_error* error) {
  int next = 0;
  if (m->nsensordata > CRI_MOST_SENSORDATA) {
    return cri_fail(error, CR_ERR_MODEL, "nsensordata: the sensors have %d numbers, %d at most",
                    m->nsensordata, CRI_MOST_SENSORDATA);
  }
  for (int i = 0; i < m->nsensor; i++) {
    int type = m->sensor_type[i], dim = m->sensor_dim[i];
    if (type < 0 || type >= CR_N_SENSOR_TYPE) {
      return bad(m, i, "sensor_type is no choice", error);
    }
    if (m->sensor_adr[i] != next || dim < 0 || dim > m->nsensordata - next) {
      return bad(m, i, "its numbers do not follow those of the sensor before it", error);
    }
    next += dim;
    int wanted = cri_sensor_info(type)->dim;
    if (wanted > 0 && dim != wanted) {
      return bad(m, i, "sensor_dim does not fit its type", error);
    }
    if (m->sensor_skip[i] == 0 && !cri_sensor_known(type)) {
      return bad(m, i, "its type is not computed, sensor_skip must be 1", error);
    }
    if (m->sensor_skip[i] == 0 && !object_fits(m, i)) {
      return bad(m, i, "its object or reference does not exist", error);
    }
  }
  return next == m->nsensordata
             ? CR_OK
             : cri_fail(error, CR_ERR_MODEL, "nsensordata: %d, the sensors have %d numbers",
                        m->nsensordata, next);
}
