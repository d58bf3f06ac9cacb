// SPDX-License-Identifier: Apache-2.0
// Orientations of frames come from their matrices, which carry the derivative. The quaternions of
// kinematics only choose between q and -q.
#include "sensor/sensor_quat.h"

#include "kinematics/object_frame.h"
#include "math/quat.h"
#include "model/sensors.h"

bool cri_is_sensor_quat(int type) { return type == CR_SENS_BALLQUAT || type == CR_SENS_FRAMEQUAT; }

static bool has_reference(const cr_model* m, int i) { return m->sensor_refid[i] >= 0; }

static void conjugate(cr_real r[4], const cr_real q[4]) {
  r[0] = q[0];
  cr_scl3(r + 1, q + 1, -1);
}

void cri_sensor_quat(const cr_model* m, const cr_data* d, int i, cr_real y[4]) {
  if (m->sensor_type[i] == CR_SENS_BALLQUAT) {
    // [sensor.t1]
    cr_copy(y, d->qpos + m->jnt_qposadr[m->sensor_objid[i]], 4);
    cr_quat_normalize(y);
    return;
  }
  // [sensor.t2]
  cri_object_quat(m, d, m->sensor_objtype[i], m->sensor_objid[i], y);
  if (has_reference(m, i)) {
    cr_real q[4], inverse[4];
    cri_object_quat(m, d, m->sensor_reftype[i], m->sensor_refid[i], q);
    conjugate(inverse, q);
    cr_quat_mul(y, inverse, y);
  }
}

static cri_object object(const cr_model* m, const cr_data* x, int i) {
  return cri_object_of(m, x, m->sensor_objtype[i], m->sensor_objid[i]);
}

static cri_object reference(const cr_model* m, const cr_data* x, int i) {
  return cri_object_of(m, x, m->sensor_reftype[i], m->sensor_refid[i]);
}

void cri_sensor_quat_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int i,
                         cr_real y_tan[4]) {
  cr_real y[4], t[4] = {0, 0, 0, 0};
  cri_sensor_quat(m, d, i, y);
  if (m->sensor_type[i] == CR_SENS_BALLQUAT) {
    // [sensor.t1]
    cr_copy3(t + 1, tan->qpos + m->jnt_dofadr[m->sensor_objid[i]]);
    cr_quat_mul(y_tan, y, t);
  } else {
    // [sensor.t2]
    cr_rot_vec(t + 1, object(m, d, i).mat, object(m, tan, i).mat);
    if (has_reference(m, i)) {
      const cr_real* R = reference(m, d, i).mat;
      cr_real w[3];
      cr_rot_vec(w, R, reference(m, tan, i).mat);
      cr_sub3(w, t + 1, w);
      cr_multmat3(t + 1, R, w);
    }
    cr_quat_mul(y_tan, t, y);
  }
  for (int k = 0; k < 4; k++) {
    y_tan[k] /= 2;
  }
}

// a cotangent of the world rotation w as an ambient one: cr_rot_bar of [w]x R / 2 is w again
static void add_rotation(cr_real* R_bar, const cr_real* R, const cr_real w[3], cr_real sign) {
  cr_real half[3], ambient[9];
  cr_scl3(half, w, sign / 2);
  cr_rot_tan(ambient, half, R);
  for (int k = 0; k < 9; k++) {
    R_bar[k] += ambient[k];
  }
}

void cri_sensor_quat_bar(const cr_model* m, const cr_data* d, cr_data* bar, int i,
                         const cr_real y_bar[4]) {
  cr_real y[4], inverse[4], t_bar[4], w_bar[3];
  cri_sensor_quat(m, d, i, y);
  conjugate(inverse, y);
  if (m->sensor_type[i] == CR_SENS_BALLQUAT) {
    // [sensor.t1]' delta_bar = vector part of q^-1 y_bar / 2
    cr_quat_mul(t_bar, inverse, y_bar);
    cr_accscl3(bar->qpos + m->jnt_dofadr[m->sensor_objid[i]], t_bar + 1, CR_R(0.5));
    return;
  }
  // [sensor.t2]' t_bar = vector part of y_bar q^-1 / 2
  cr_quat_mul(t_bar, y_bar, inverse);
  cr_scl3(w_bar, t_bar + 1, CR_R(0.5));
  if (has_reference(m, i)) {
    const cr_real* R = reference(m, d, i).mat;
    cr_real turned[3];
    cr_mulmat3(turned, R, w_bar);
    cr_copy3(w_bar, turned);
    add_rotation(reference(m, bar, i).mat, R, w_bar, -1);
  }
  add_rotation(object(m, bar, i).mat, object(m, d, i).mat, w_bar, 1);
}
