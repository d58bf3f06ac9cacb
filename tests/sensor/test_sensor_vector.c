// SPDX-License-Identifier: Apache-2.0
// Vectors seen from frames: relative motion against differences of what the reference sees, an
// accelerometer in free fall, and how they turn with the world.
#include "sensor/sensor_vector.h"

#include "checks/measured.h"
#include "engine/forward.h"
#include "kinematics/object_frame.h"
#include "math/vec3.h"
#include "model/sensors.h"
#include "scenes/chain_model.h"
#include "support/close.h"

// the velocity relative to a reference is the rate of the position that it sees
TEST(relative_velocity_is_the_rate_of_what_is_seen) {
  const cr_real h = CR_R(1e-4);
  for (int seed = 0; seed < 8; seed++) {
    measured s;
    cr_data* at[2];
    cr_real v[3], x[2][3];
    measured_open(&s, seed, STATE_FLIGHT);
    int object = s.m.nbody - 1, reference = 1;
    for (int k = 0; k < 2; k++) {
      at[k] = test_data(&s.m);
      measured_move(&s, k == 0 ? -h : h, at[k]);
    }
    measured_sensor(&s, CR_SENS_FRAMELINVEL, CR_OBJ_BODY, object, CR_OBJ_XBODY, reference);
    cri_sensor_vector(&s.m, s.d, 0, v);
    measured_sensor(&s, CR_SENS_FRAMEPOS, CR_OBJ_BODY, object, CR_OBJ_XBODY, reference);
    for (int k = 0; k < 2; k++) {
      cri_sensor_vector(&s.m, at[k], 0, x[k]);
    }
    for (int i = 0; i < 3; i++) {
      assert_close(v[i], (x[1][i] - x[0][i]) / (2 * h), CR_R(1e-4));
    }
    measured_close(&s);
  }
}

// the centre of mass of a loose body that nothing touches feels nothing
TEST(free_fall_is_weightless) {
  measured s;
  cr_real a[3];
  measured_open(&s, 1, STATE_FLIGHT);  // a heap of free bodies
  cr_zero(s.d->xfrc_applied, 6 * s.m.nbody);
  cr_zero(s.d->qfrc_applied, s.m.nv);
  cr_zero(s.d->ctrl, s.m.nu);
  s.m.density[0] = s.m.viscosity[0] = 0;
  s.m.disableflags |= CR_DSBL_CONSTRAINT | CR_DSBL_SPRING | CR_DSBL_DAMPER | CR_DSBL_ACTUATION;
  cr_zero(s.m.body_gravcomp, s.m.nbody);
  cr_zero(s.m.dof_armature, s.m.nv);
  cr_zero(s.m.actuator_armature, s.m.nactuator);
  assert_int_equal(cr_forward(&s.m, s.d), CR_OK);
  for (int b = 1; b < s.m.nbody; b++) {
    measured_sensor(&s, CR_SENS_FRAMELINACC, CR_OBJ_BODY, b, 0, -1);
    cri_sensor_vector(&s.m, s.d, 0, a);
    assert_close(cr_norm3(a), 0, 1000 * ROUND_OFF);
  }
  measured_close(&s);
}

// the torque at another site of the same body differs by the arm times the force
TEST(torque_depends_on_the_point) {
  measured s;
  cr_real f[3], n[2][3], expected[3], arm[3], R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  measured_open(&s, 0, STATE_CONTACT);
  int body = s.m.nbody - 1;
  assert_true(s.m.nsite >= 2);
  for (int k = 0; k < 2; k++) {
    s.m.site_bodyid[k] = body;
    cr_copy(s.d->site_xmat + 9 * k, R, 9);
    measured_sensor(&s, CR_SENS_TORQUE, CR_OBJ_SITE, k, 0, -1);
    cri_sensor_vector(&s.m, s.d, 0, n[k]);
  }
  measured_sensor(&s, CR_SENS_FORCE, CR_OBJ_SITE, 0, 0, -1);
  cri_sensor_vector(&s.m, s.d, 0, f);
  cr_sub3(arm, s.d->site_xpos, s.d->site_xpos + 3);
  cr_cross3(expected, arm, f);
  cr_acc3(expected, n[0]);
  assert_true(cr_norm3(f) > CR_R(0.1));
  assert_all_close(n[1], expected, 3, 1000 * ROUND_OFF);
  measured_close(&s);
}

// axes and flux: columns and rows of the frame
TEST(axes_are_columns) {
  measured s;
  cr_real y[3];
  measured_open(&s, 0, STATE_CONTACT);
  for (int k = 0; k < 3; k++) {
    cr_real column[3];
    measured_sensor(&s, (cr_sensor_type)(CR_SENS_FRAMEXAXIS + k), CR_OBJ_XBODY, 1, 0, -1);
    cri_sensor_vector(&s.m, s.d, 0, y);
    cr_col3(column, s.d->xmat + 9, k);
    assert_all_close(y, column, 3, 0);
  }
  measured_sensor(&s, CR_SENS_MAGNETOMETER, CR_OBJ_SITE, 0, 0, -1);
  cri_sensor_vector(&s.m, s.d, 0, y);
  assert_close(cr_norm3(y), cr_norm3(s.m.magnetic), 10 * ROUND_OFF);
  measured_close(&s);
}
