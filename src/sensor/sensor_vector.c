// SPDX-License-Identifier: Apache-2.0
// The vector z, its tangent and its transpose, type by type; then the frame from which it is seen.
#include "sensor/sensor_vector.h"

#include "kinematics/object_frame.h"
#include "math/spatial.h"
#include "model/sensors.h"

// kind of vector of a type: the function below that makes it, and the part of six numbers
typedef enum { NOT_ONE, MAGNETIC, POSITION, AXIS, VELOCITY, ACCELERATION, REACTION } vector_kind;

typedef struct {
  vector_kind kind;
  int part;  // axis; or first of three numbers out of six, angular first
} vector_type;

static vector_type type_of(int type) {
  static const vector_type types[CR_N_SENSOR_TYPE] = {
      [CR_SENS_MAGNETOMETER] = {MAGNETIC, 0},    [CR_SENS_FRAMEPOS] = {POSITION, 0},
      [CR_SENS_FRAMEXAXIS] = {AXIS, 0},          [CR_SENS_FRAMEYAXIS] = {AXIS, 1},
      [CR_SENS_FRAMEZAXIS] = {AXIS, 2},          [CR_SENS_GYRO] = {VELOCITY, 0},
      [CR_SENS_VELOCIMETER] = {VELOCITY, 3},     [CR_SENS_FRAMEANGVEL] = {VELOCITY, 0},
      [CR_SENS_FRAMELINVEL] = {VELOCITY, 3},     [CR_SENS_ACCELEROMETER] = {ACCELERATION, 3},
      [CR_SENS_FRAMEANGACC] = {ACCELERATION, 0}, [CR_SENS_FRAMELINACC] = {ACCELERATION, 3},
      [CR_SENS_TORQUE] = {REACTION, 0},          [CR_SENS_FORCE] = {REACTION, 3}};
  return types[type];
}

bool cri_is_sensor_vector(int type) { return type_of(type).kind != NOT_ONE; }

// the objects of sensor i in one block
typedef struct {
  vector_type type;
  bool referred;    // seen from another object
  cri_object o, q;  // the object; the reference, if there is one
  cr_real* Q;       // orientation of the frame, NULL the world
} view;

static view view_of(const cr_model* m, const cr_data* x, int i) {
  bool frame = cri_sensor_info(m->sensor_type[i])->of == CR_OF_FRAME;
  view s = {.type = type_of(m->sensor_type[i])};
  s.o = cri_object_of(m, x, frame ? m->sensor_objtype[i] : CR_OBJ_SITE, m->sensor_objid[i]);
  s.referred = frame && m->sensor_refid[i] >= 0 && s.type.kind != ACCELERATION;
  s.Q = frame ? NULL : s.o.mat;
  if (s.referred) {
    s.q = cri_object_of(m, x, m->sensor_reftype[i], m->sensor_refid[i]);
    s.Q = s.q.mat;
  }
  return s;
}

// ---- velocity, relative to the reference

static void velocity(const cr_model* m, const cr_data* d, const view* s, cr_real z[3]) {
  cr_real v[6], v_ref[6], offset[3];
  cri_object_velocity(m, d, &s->o, v);
  cr_copy3(z, v + s->type.part);
  if (s->referred) {
    cri_object_velocity(m, d, &s->q, v_ref);
    cr_accscl3(z, v_ref + s->type.part, -1);
    cr_sub3(offset, s->o.pos, s->q.pos);
    if (s->type.part == 3) {
      cr_acccross3(z, offset, v_ref);
    }
  }
}

static void velocity_tan(const cr_model* m, const cr_data* d, const cr_data* tan, const view* s,
                         const view* s_tan, cr_real z_tan[3]) {
  cr_real v_tan[6], v_ref[6], v_ref_tan[6], offset[3], offset_tan[3];
  cri_object_velocity_tan(m, d, tan, &s->o, &s_tan->o, v_tan);
  cr_copy3(z_tan, v_tan + s->type.part);
  if (s->referred) {
    cri_object_velocity(m, d, &s->q, v_ref);
    cri_object_velocity_tan(m, d, tan, &s->q, &s_tan->q, v_ref_tan);
    cr_accscl3(z_tan, v_ref_tan + s->type.part, -1);
    cr_sub3(offset, s->o.pos, s->q.pos);
    cr_sub3(offset_tan, s_tan->o.pos, s_tan->q.pos);
    if (s->type.part == 3) {
      cr_acccross3(z_tan, offset_tan, v_ref);
      cr_acccross3(z_tan, offset, v_ref_tan);
    }
  }
}

static void velocity_bar(const cr_model* m, const cr_data* d, cr_data* bar, const view* s,
                         const view* s_bar, const cr_real z_bar[3]) {
  cr_real v_bar[6] = {0}, v_ref[6], v_ref_bar[6] = {0}, offset[3], offset_bar[3];
  cr_copy3(v_bar + s->type.part, z_bar);
  cri_object_velocity_bar(m, d, bar, &s->o, &s_bar->o, v_bar);
  if (s->referred) {
    cri_object_velocity(m, d, &s->q, v_ref);
    cr_accscl3(v_ref_bar + s->type.part, z_bar, -1);
    if (s->type.part == 3) {
      // z_bar . (offset x w)
      cr_sub3(offset, s->o.pos, s->q.pos);
      cr_acccross3(v_ref_bar, z_bar, offset);
      cr_cross3(offset_bar, v_ref, z_bar);
      cr_acc3(s_bar->o.pos, offset_bar);
      cr_accscl3(s_bar->q.pos, offset_bar, -1);
    }
    cri_object_velocity_bar(m, d, bar, &s->q, &s_bar->q, v_ref_bar);
  }
}

// ---- the force of the parent on the site's body, at the site

static void reaction_arm(cr_real r[3], const cr_model* m, const cr_data* x, const view* s) {
  cr_sub3(r, s->o.pos, x->subtree_com + 3 * m->body_rootid[s->o.body]);
}

static void reaction(const cr_model* m, const cr_data* d, const view* s, cr_real z[3]) {
  const cr_real* F = d->cfrc_int + 6 * s->o.body;
  cr_real r[3], turn[3];
  cr_copy3(z, F + s->type.part);
  if (s->type.part == 0) {
    reaction_arm(r, m, d, s);
    cr_cross3(turn, r, F + 3);
    cr_sub3(z, z, turn);
  }
}

static void reaction_tan(const cr_model* m, const cr_data* d, const cr_data* tan, const view* s,
                         const view* s_tan, cr_real z_tan[3]) {
  const cr_real *F = d->cfrc_int + 6 * s->o.body, *F_tan = tan->cfrc_int + 6 * s->o.body;
  cr_real r[3], r_tan[3], turn[3];
  cr_copy3(z_tan, F_tan + s->type.part);
  if (s->type.part == 0) {
    reaction_arm(r, m, d, s);
    reaction_arm(r_tan, m, tan, s_tan);
    cr_cross3(turn, r, F_tan + 3);
    cr_acccross3(turn, r_tan, F + 3);
    cr_sub3(z_tan, z_tan, turn);
  }
}

static void reaction_bar(const cr_model* m, const cr_data* d, cr_data* bar, const view* s,
                         const view* s_bar, const cr_real z_bar[3]) {
  const cr_real* F = d->cfrc_int + 6 * s->o.body;
  cr_real *F_bar = bar->cfrc_int + 6 * s->o.body, r[3], turn[3];
  cr_acc3(F_bar + s->type.part, z_bar);
  if (s->type.part == 0) {
    // z_bar . (r x f) = f . (z_bar x r) = r . (f x z_bar)
    reaction_arm(r, m, d, s);
    cr_cross3(turn, z_bar, r);
    cr_accscl3(F_bar + 3, turn, -1);
    cr_cross3(turn, F + 3, z_bar);
    cr_accscl3(s_bar->o.pos, turn, -1);
    cr_acc3(bar->subtree_com + 3 * m->body_rootid[s->o.body], turn);
  }
}

// ---- the world vector z

static void world(const cr_model* m, const cr_data* d, const view* s, cr_real z[3]) {
  cr_real six[6];
  switch (s->type.kind) {
    case MAGNETIC:
      cr_copy3(z, m->magnetic);
      break;
    case POSITION:
      cr_copy3(z, s->o.pos);
      cr_accscl3(z, s->referred ? s->q.pos : z, s->referred ? -1 : 0);
      break;
    case AXIS:
      cr_col3(z, s->o.mat, s->type.part);
      break;
    case VELOCITY:
      velocity(m, d, s, z);
      break;
    case ACCELERATION:
      cri_object_acceleration(m, d, &s->o, six);
      cr_copy3(z, six + s->type.part);
      break;
    default:
      reaction(m, d, s, z);
      break;
  }
}

static void world_tan(const cr_model* m, const cr_data* d, const cr_data* tan, const view* s,
                      const view* s_tan, cr_real z_tan[3]) {
  cr_real six[6];
  switch (s->type.kind) {
    case MAGNETIC:
      cr_copy3(z_tan, cri_par_tan(tan->par.magnetic, 0, 3));
      break;
    case POSITION:
    case AXIS:
      world(m, tan, s_tan, z_tan);  // linear
      break;
    case VELOCITY:
      velocity_tan(m, d, tan, s, s_tan, z_tan);
      break;
    case ACCELERATION:
      cri_object_acceleration_tan(m, d, tan, &s->o, &s_tan->o, six);
      cr_copy3(z_tan, six + s->type.part);
      break;
    default:
      reaction_tan(m, d, tan, s, s_tan, z_tan);
      break;
  }
}

static void world_bar(const cr_model* m, const cr_data* d, cr_data* bar, const view* s,
                      const view* s_bar, const cr_real z_bar[3]) {
  cr_real six[6] = {0};
  switch (s->type.kind) {
    case MAGNETIC:
      if (bar->par.magnetic != NULL) {
        cr_acc3(bar->par.magnetic, z_bar);
      }
      break;
    case POSITION:
      cr_acc3(s_bar->o.pos, z_bar);
      if (s->referred) {
        cr_accscl3(s_bar->q.pos, z_bar, -1);
      }
      break;
    case AXIS:
      cr_acccol3(s_bar->o.mat, z_bar, s->type.part);
      break;
    case VELOCITY:
      velocity_bar(m, d, bar, s, s_bar, z_bar);
      break;
    case ACCELERATION:
      cr_copy3(six + s->type.part, z_bar);
      cri_object_acceleration_bar(m, d, bar, &s->o, &s_bar->o, six);
      break;
    default:
      reaction_bar(m, d, bar, s, s_bar, z_bar);
      break;
  }
}

// ---- seen from the frame

void cri_sensor_vector(const cr_model* m, const cr_data* d, int i, cr_real y[3]) {
  view s = view_of(m, d, i);
  cr_real z[3];
  world(m, d, &s, z);
  // [sensor.v1]
  cr_copy3(y, z);
  if (s.Q != NULL) {
    cr_multmat3(y, s.Q, z);
  }
}

void cri_sensor_vector_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                           cr_real y_tan[3]) {
  view s = view_of(m, d, i), s_tan = view_of(m, tan, i);
  cr_real z[3], z_tan[3];
  world(m, d, &s, z);
  world_tan(m, d, tan, &s, &s_tan, z_tan);
  // [sensor.v1] Q' z_tan + Q_tan' z
  cr_copy3(y_tan, z_tan);
  if (s.Q != NULL) {
    cr_multmat3(y_tan, s.Q, z_tan);
    cr_acctmat3(y_tan, s_tan.Q, z);
  }
}

void cri_sensor_vector_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                           const cr_real y_bar[3]) {
  view s = view_of(m, d, i), s_bar = view_of(m, bar, i);
  cr_real z[3], z_bar[3];
  // [sensor.v1]' z_bar = Q y_bar, Q_bar += z y_bar'
  cr_copy3(z_bar, y_bar);
  if (s.Q != NULL) {
    world(m, d, &s, z);
    cr_accouter3(s_bar.Q, z, y_bar);
    cr_mulmat3(z_bar, s.Q, y_bar);
  }
  world_bar(m, d, bar, &s, &s_bar, z_bar);
}
