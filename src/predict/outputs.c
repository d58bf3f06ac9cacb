// SPDX-License-Identifier: Apache-2.0
// Places taken apart into numbers and orientations.
#include "predict/outputs.h"

#include "engine/added_stage.h"
#include "engine/pipeline.h"
#include "kinematics/joint.h"
#include "math/quat.h"
#include "model/sensors.h"
#include "model/state_vector.h"

// first tangent number of part k of the state
static int state_offset(const cr_model* m, int k) {
  const cri_state sizes = cri_state_tangent_sizes(m);
  int at = 0;
  for (int i = 0; i < k; i++) {
    at += sizes.part[i].n;
  }
  return at;
}

static cri_output of_state(const cr_model* m, cr_field_id field, int at, int tangent, bool turns) {
  return (cri_output){.kind = CRI_OUTPUT_STATE,
                      .turns = turns,
                      .field = field,
                      .at = at,
                      .tangent_at = state_offset(m, cri_state_find(field)) + tangent};
}

// ---- coordinates: number i of qpos belongs to a joint

static bool of_coordinate(const cr_model* m, int i, cri_output* o) {
  for (int j = 0; j < m->njnt; j++) {
    cri_joint_space p = cri_joint_space_of(m, j);
    if (i >= p.q && i < p.q + p.nflat) {
      *o = of_state(m, CR_FIELD_qpos, i, p.v + i - p.q, false);
      return true;
    }
    if (p.rotates && i == p.q + p.nflat) {
      *o = of_state(m, CR_FIELD_qpos, i, p.v + p.nflat, true);
      return true;
    }
  }
  return false;  // inside a quaternion
}

// ---- sensors: number i of sensordata belongs to one

static int sensor_of(const cr_model* m, int i) {
  int s = 0;
  while (i >= m->sensor_adr[s] + m->sensor_dim[s]) {
    s++;
  }
  return s;
}

static cri_output number_of(cr_field_id field, int at) {
  return (cri_output){
      .kind = CRI_OUTPUT_NUMBER, .field = field, .at = at, .tangent = field, .tangent_at = at};
}

static bool of_sensor(const cr_model* m, int i, cri_output* o) {
  int s = sensor_of(m, i), k = i - m->sensor_adr[s], id = m->sensor_objid[s];
  bool plain = m->sensor_cutoff[s] == 0 && !cri_added_changes(m, CR_FIELD_sensordata);
  switch (m->sensor_type[s]) {
    case CR_SENS_JOINTPOS:
      *o = plain ? of_state(m, CR_FIELD_qpos, m->jnt_qposadr[id], m->jnt_dofadr[id], false)
                 : number_of(CR_FIELD_sensordata, i);
      return true;
    case CR_SENS_JOINTVEL:
    case CR_SENS_BALLANGVEL:
      *o = plain ? of_state(m, CR_FIELD_qvel, m->jnt_dofadr[id] + k, m->jnt_dofadr[id] + k, false)
                 : number_of(CR_FIELD_sensordata, i);
      return true;
    case CR_SENS_BALLQUAT:
    case CR_SENS_FRAMEQUAT:
      *o = number_of(CR_FIELD_sensordata, i);
      o->turns = true;
      o->kind = CRI_OUTPUT_AMBIENT;
      return k == 0;
    default:
      *o = number_of(CR_FIELD_sensordata, i);
      return true;
  }
}

// ---- computed fields

// the matrix that carries the derivative of a quaternion
static cr_field_id matrix_of(cr_field_id field) {
  return field == CR_FIELD_xquat        ? CR_FIELD_xmat
         : field == CR_FIELD_site_xquat ? CR_FIELD_site_xmat
                                        : CR_N_FIELD;
}

static bool of_number(const cr_model* m, cr_field_id field, int i, cri_output* o) {
  if (field == CR_FIELD_qpos) {
    return of_coordinate(m, i, o);
  }
  if (field == CR_FIELD_sensordata) {
    return of_sensor(m, i, o);
  }
  if (cri_state_find(field) >= 0) {
    *o = of_state(m, field, i, i, false);
    return true;
  }
  *o = number_of(field, i);
  cr_field_id matrix = matrix_of(field);
  if (matrix != CR_N_FIELD) {
    o->turns = true;
    o->kind = CRI_OUTPUT_MATRIX;
    o->tangent = matrix;
    o->tangent_at = i / 4 * 9;
    return i % 4 == 0;
  }
  return true;
}

static bool has_derivative(cr_field_id field) {
  const cr_field* f = cri_field(field);
  bool computed = f->kind == CR_KIND_REAL && f->tangent != CR_TANGENT_NONE;
  return computed || matrix_of(field) != CR_N_FIELD || cri_state_find(field) >= 0;
}

cr_status cri_outputs_of(const cr_model* m, const char* name, cri_output* outputs, int room, int* n,
                         cr_error* error) {
  cr_place place;
  CR_TRY(cri_place_find(&place, m, name, error));
  if (place.geom1 >= 0 || place.of_tangent || !has_derivative(place.field)) {
    return cri_fail(error, CR_ERR_NAME, "%s: a model cannot be fitted to it: %s", name,
                    place.geom1 >= 0   ? "contacts come and go"
                    : place.of_tangent ? "it is a direction"
                                       : "it has no derivative");
  }
  int errors = 0;
  *n = 0;
  for (int i = 0; i < place.count; i += cri_output_numbers(&outputs[(*n)++])) {
    cri_output* o = &outputs[*n];
    if (*n == room) {
      return cri_fail(error, CR_ERR_NAME, "%s: %d numbers are too many for one channel", name,
                      place.count);
    }
    if (!of_number(m, place.field, place.first + i, o) || i + cri_output_numbers(o) > place.count) {
      return cri_fail(error, CR_ERR_NAME, "%s: part of a quaternion; name the whole of it", name);
    }
    o->in_place = i;
    o->in_errors = errors;
    errors += cri_output_errors(o);
  }
  return CR_OK;
}

const cr_real* cri_output_value(const cri_output* o, const cr_model* m, const cr_data* d) {
  return cri_field_real(m, d, o->field) + o->at;
}

void cri_output_error(const cri_output* o, const cr_real* value, const cr_real* seen, cr_real* e) {
  if (o->turns) {
    cr_quat_sub(e, value, seen);
  } else {
    e[0] = value[0] - seen[0];
  }
}

// ---- derivatives

static bool senses_forces(const cri_output* o, const cr_model* m) {
  if (o->field != CR_FIELD_sensordata) {
    return true;
  }
  switch (m->sensor_type[sensor_of(m, o->at)]) {
    case CR_SENS_VELOCIMETER:
    case CR_SENS_GYRO:
    case CR_SENS_MAGNETOMETER:
    case CR_SENS_JOINTPOS:
    case CR_SENS_JOINTVEL:
    case CR_SENS_TENDONPOS:
    case CR_SENS_TENDONVEL:
    case CR_SENS_ACTUATORPOS:
    case CR_SENS_ACTUATORVEL:
    case CR_SENS_BALLQUAT:
    case CR_SENS_BALLANGVEL:
    case CR_SENS_FRAMEPOS:
    case CR_SENS_FRAMEQUAT:
    case CR_SENS_FRAMEXAXIS:
    case CR_SENS_FRAMEYAXIS:
    case CR_SENS_FRAMEZAXIS:
    case CR_SENS_FRAMELINVEL:
    case CR_SENS_FRAMEANGVEL:
      return false;
    default:
      return true;
  }
}

void cri_output_reach(const cri_output* o, const cr_model* m, bool* stages) {
  // only sensors of forces and accelerations read these
  bool without[CR_N_FIELD] = {[CR_FIELD_cacc] = true,
                              [CR_FIELD_cfrc_int] = true,
                              [CR_FIELD_efc_force] = true,
                              [CR_FIELD_actuator_force] = true,
                              [CR_FIELD_qfrc_actuator] = true};
  cri_stages_behind(m, o->tangent, senses_forces(o, m) ? NULL : without, stages);
}

// the turn about axis i is number i of 2 vec(q* dq)
static void seed_quaternion(const cr_real* q, int i, cr_real weight, cr_real* bar) {
  const cr_real rows[3][4] = {
      {-q[1], q[0], q[3], -q[2]}, {-q[2], -q[3], q[0], q[1]}, {-q[3], q[2], -q[1], q[0]}};
  for (int k = 0; k < 4; k++) {
    bar[k] += 2 * weight * rows[i][k];
  }
}

// a turn d changes R by R [d]x, and <R [e_i]x / 2, R [d]x> = d_i
static void seed_matrix(const cr_real* R, int i, cr_real weight, cr_real* bar) {
  int j = (i + 1) % 3, k = (i + 2) % 3;
  for (int row = 0; row < 3; row++) {
    bar[3 * row + j] += weight * R[3 * row + k] / 2;
    bar[3 * row + k] -= weight * R[3 * row + j] / 2;
  }
}

void cri_output_seed(const cri_output* o, const cr_model* m, const cr_data* d, int i,
                     cr_real weight, cr_data* bar) {
  cr_real* to = cri_field_real(m, bar, o->tangent) + o->tangent_at;
  if (o->kind == CRI_OUTPUT_AMBIENT) {
    seed_quaternion(cri_output_value(o, m, d), i, weight, to);
  } else if (o->kind == CRI_OUTPUT_MATRIX) {
    seed_matrix(cri_field_real(m, d, o->tangent) + o->tangent_at, i, weight, to);
  } else {
    to[0] += weight;
  }
}
