// SPDX-License-Identifier: Apache-2.0
// Quaternions and units of places.
#include "measure/measured_place.h"

#include <stdio.h>

#include "kinematics/joint.h"
#include "model/sensors.h"

// ---- owners of numbers

int cri_joint_of_coordinate(const cr_model* m, int i) {
  for (int j = 0; j < m->njnt; j++) {
    int k = i - m->jnt_qposadr[j];
    if (k >= 0 && k < cri_joint_numbers(m->jnt_type[j])) {
      return j;
    }
  }
  return -1;
}

int cri_joint_of_dof(const cr_model* m, int i) {
  for (int j = 0; j < m->njnt; j++) {
    int k = i - m->jnt_dofadr[j];
    if (k >= 0 && k < cri_joint_dofs(m->jnt_type[j])) {
      return j;
    }
  }
  return -1;
}

int cri_sensor_of_number(const cr_model* m, int i) {
  for (int s = 0; s < m->nsensor; s++) {
    int k = i - m->sensor_adr[s];
    if (k >= 0 && k < m->sensor_dim[s]) {
      return s;
    }
  }
  return -1;
}

// ---- quaternions

// first number of the quaternion that number i of a field belongs to, -1 none
static int quaternion_at(const cr_model* m, cr_field_id field, int i) {
  const char* name = cri_field(field)->name;
  size_t length = strlen(name);
  if (field == CR_FIELD_qpos) {
    int j = cri_joint_of_coordinate(m, i);
    cri_joint_space p = j >= 0 ? cri_joint_space_of(m, j) : (cri_joint_space){.rotates = false};
    return p.rotates && i >= p.q + p.nflat ? p.q + p.nflat : -1;
  }
  if (field == CR_FIELD_sensordata) {
    int s = cri_sensor_of_number(m, i);
    bool turns =
        s >= 0 && (m->sensor_type[s] == CR_SENS_FRAMEQUAT || m->sensor_type[s] == CR_SENS_BALLQUAT);
    return turns ? m->sensor_adr[s] : -1;
  }
  bool turns =
      length >= 4 && strcmp(name + length - 4, "quat") == 0 && cri_field_width(m, field) == 4;
  return turns ? i - i % 4 : -1;
}

int cri_place_quaternions(const cr_model* m, const cr_place* place, int* start) {
  int n = 0, end = place->first + place->count;
  for (int i = place->first; i < end; i++) {
    int q = quaternion_at(m, place->field, i);
    if (q >= 0 && (q < place->first || q + 4 > end)) {
      return -1;
    }
    if (q == i) {
      if (start != NULL) {
        start[n] = q - place->first;
      }
      n++;
    }
  }
  return n;
}

// ---- names

cr_status cri_measured_place(cr_place* place, const cr_model* m, const char* name, bool part,
                             cr_error* error) {
  CR_TRY(cri_place_find(place, m, name, error));
  if (place->geom1 >= 0) {
    return cri_fail(error, CR_ERR_NAME,
                    "'%s': contacts come and go, so none can be measured; a touch or contact "
                    "sensor can",
                    name);
  }
  const cr_field* f = cri_field(place->field);
  if (place->of_tangent || cri_field_of_model(place->field)) {
    return cri_fail(error, CR_ERR_NAME, "'%s' is %s, not a signal that can be measured", name,
                    place->of_tangent ? "a direction" : "of the model");
  }
  bool signal = f->kind == CR_KIND_REAL || place->field == CR_FIELD_qpos ||
                place->field == CR_FIELD_qvel || place->field == CR_FIELD_act ||
                place->field == CR_FIELD_plugin_state || place->field == CR_FIELD_ctrl;
  if (!signal || place->count < 1) {
    return cri_fail(error, CR_ERR_NAME, "'%s' %s", name,
                    signal ? "has no numbers in this model"
                           : "is an input of the step; of inputs only ctrl can be recorded");
  }
  return part || cri_place_quaternions(m, place, NULL) >= 0
             ? CR_OK
             : cri_fail(error, CR_ERR_NAME,
                        "'%s' is a part of a quaternion; all four numbers are needed", name);
}

// ---- units

// what a sensor's numbers are, "" where its type does not say
static const char* unit_of_sensor(const cr_model* m, int s) {
  static const char* const units[CR_N_SENSOR_TYPE] = {[CR_SENS_TOUCH] = "N",
                                                      [CR_SENS_ACCELEROMETER] = "m/s^2",
                                                      [CR_SENS_VELOCIMETER] = "m/s",
                                                      [CR_SENS_GYRO] = "rad/s",
                                                      [CR_SENS_FORCE] = "N",
                                                      [CR_SENS_TORQUE] = "N m",
                                                      [CR_SENS_RANGEFINDER] = "m",
                                                      [CR_SENS_JOINTPOS] = "m|rad",
                                                      [CR_SENS_JOINTVEL] = "m/s|rad/s",
                                                      [CR_SENS_TENDONPOS] = "m|rad",
                                                      [CR_SENS_TENDONVEL] = "m/s|rad/s",
                                                      [CR_SENS_ACTUATORPOS] = "m|rad",
                                                      [CR_SENS_ACTUATORVEL] = "m/s|rad/s",
                                                      [CR_SENS_ACTUATORFRC] = "N|N m",
                                                      [CR_SENS_JOINTACTFRC] = "N|N m",
                                                      [CR_SENS_TENDONACTFRC] = "N|N m",
                                                      [CR_SENS_BALLQUAT] = "1",
                                                      [CR_SENS_BALLANGVEL] = "rad/s",
                                                      [CR_SENS_JOINTLIMITPOS] = "m|rad",
                                                      [CR_SENS_JOINTLIMITVEL] = "m/s|rad/s",
                                                      [CR_SENS_JOINTLIMITFRC] = "N|N m",
                                                      [CR_SENS_TENDONLIMITPOS] = "m|rad",
                                                      [CR_SENS_TENDONLIMITVEL] = "m/s|rad/s",
                                                      [CR_SENS_TENDONLIMITFRC] = "N|N m",
                                                      [CR_SENS_FRAMEPOS] = "m",
                                                      [CR_SENS_FRAMEQUAT] = "1",
                                                      [CR_SENS_FRAMEXAXIS] = "1",
                                                      [CR_SENS_FRAMEYAXIS] = "1",
                                                      [CR_SENS_FRAMEZAXIS] = "1",
                                                      [CR_SENS_FRAMELINVEL] = "m/s",
                                                      [CR_SENS_FRAMEANGVEL] = "rad/s",
                                                      [CR_SENS_FRAMELINACC] = "m/s^2",
                                                      [CR_SENS_FRAMEANGACC] = "rad/s^2",
                                                      [CR_SENS_SUBTREECOM] = "m",
                                                      [CR_SENS_SUBTREELINVEL] = "m/s",
                                                      [CR_SENS_SUBTREEANGMOM] = "kg m^2/s",
                                                      [CR_SENS_INSIDESITE] = "1",
                                                      [CR_SENS_GEOMDIST] = "m",
                                                      [CR_SENS_GEOMNORMAL] = "1",
                                                      [CR_SENS_GEOMFROMTO] = "m",
                                                      [CR_SENS_E_POTENTIAL] = "J",
                                                      [CR_SENS_E_KINETIC] = "J",
                                                      [CR_SENS_CLOCK] = "s"};
  const char* unit = units[m->sensor_type[s]];
  return unit != NULL ? unit : "-";
}

static int joint_of_sensor(const cr_model* m, int s) {
  return cri_sensor_info(m->sensor_type[s])->of == CR_OF_SCALAR ? m->sensor_objid[s] : -1;
}

// which of "m|rad" it is: 0, 1, or -1 where the model does not say
static int alternative(const cr_model* m, cr_field_id field, int i) {
  const char* rows = cri_field(field)->rows;
  int j = -1, k = 0;
  if (strcmp(rows, "nq") == 0 && (j = cri_joint_of_coordinate(m, i)) >= 0) {
    k = i - m->jnt_qposadr[j];
  } else if (strcmp(rows, "nv") == 0 && cri_field_width(m, field) == 1 &&
             (j = cri_joint_of_dof(m, i)) >= 0) {
    k = i - m->jnt_dofadr[j];
  } else if (field == CR_FIELD_sensordata) {
    int s = cri_sensor_of_number(m, i);
    j = s >= 0 ? joint_of_sensor(m, s) : -1;
  }
  if (j < 0) {
    return -1;
  }
  int type = m->jnt_type[j];
  return type == CR_JNT_SLIDE || (type == CR_JNT_FREE && k < 3) ? 0 : 1;
}

void cri_number_unit(const cr_model* m, cr_field_id field, int i, char unit[CRI_UNIT]) {
  int s = field == CR_FIELD_sensordata ? cri_sensor_of_number(m, i) : -1;
  const char* all = quaternion_at(m, field, i) >= 0 ? "1"
                    : s >= 0                        ? unit_of_sensor(m, s)
                                                    : cri_field(field)->unit;
  const char* bar = strchr(all, '|');
  int which = bar != NULL ? alternative(m, field, i) : -1;
  if (which == 0) {
    (void)snprintf(unit, CRI_UNIT, "%.*s", (int)(bar - all), all);
  } else {
    (void)snprintf(unit, CRI_UNIT, "%s", which == 1 ? bar + 1 : all);
  }
}
