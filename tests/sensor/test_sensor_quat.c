// SPDX-License-Identifier: Apache-2.0
// Quaternions of frames against the matrices they stand for.
#include "sensor/sensor_quat.h"

#include "checks/measured.h"
#include "kinematics/object_frame.h"
#include "math/quat.h"
#include "model/sensors.h"
#include "scenes/chain_model.h"
#include "support/close.h"

// R_ref' R_obj is the matrix of the sensor's quaternion
TEST(a_frame_seen_from_another) {
  measured s;
  measured_open(&s, 4, STATE_CONTACT);
  for (int a = 0; a < s.m.nbody; a++) {
    for (int b = -1; b < s.m.nbody; b++) {
      cr_real y[4], R[9], seen[9], world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      measured_sensor(&s, CR_SENS_FRAMEQUAT, CR_OBJ_BODY, a, CR_OBJ_XBODY, b);
      cri_sensor_quat(&s.m, s.d, 0, y);
      cr_quat_to_mat(R, y);
      const cr_real *Q = b < 0 ? world : s.d->xmat + 9 * b, *P = s.d->ximat + 9 * a;
      for (int i = 0; i < 3; i++) {
        cr_real column[3], turned[3];
        cr_col3(column, P, i);
        cr_multmat3(turned, Q, column);
        for (int k = 0; k < 3; k++) {
          seen[3 * k + i] = turned[k];
        }
      }
      assert_all_close(R, seen, 9, 10 * ROUND_OFF);
    }
  }
  measured_close(&s);
}

// an object seen from itself does not turn: (1, 0, 0, 0), and no tangent
TEST(nothing_turns_against_itself) {
  measured s;
  cr_real y[4], y_tan[4];
  const cr_real w[3] = {1, 2, 3};
  measured_open(&s, 4, STATE_CONTACT);
  measured_sensor(&s, CR_SENS_FRAMEQUAT, CR_OBJ_XBODY, 2, CR_OBJ_XBODY, 2);
  cri_sensor_quat(&s.m, s.d, 0, y);
  assert_close(y[0], 1, ROUND_OFF);
  cr_rot_tan(s.tan->xmat + 18, w, s.d->xmat + 18);
  cri_sensor_quat_tan(&s.m, s.d, s.tan, 0, y_tan);
  for (int k = 0; k < 4; k++) {
    assert_close(y_tan[k], 0, 10 * ROUND_OFF);
  }
  // seen from the world it does: (0, w) q / 2
  measured_sensor(&s, CR_SENS_FRAMEQUAT, CR_OBJ_XBODY, 2, 0, -1);
  cri_sensor_quat(&s.m, s.d, 0, y);
  cri_sensor_quat_tan(&s.m, s.d, s.tan, 0, y_tan);
  cr_real turn[4] = {0, CR_R(0.5), 1, CR_R(1.5)}, expected[4];
  cr_quat_mul(expected, turn, y);
  assert_all_close(y_tan, expected, 4, 10 * ROUND_OFF);
  measured_close(&s);
}

TEST(a_ball_joint_has_unit_length) {
  for (int seed = 0; seed < 12; seed++) {
    measured s;
    measured_open(&s, seed, STATE_FLIGHT);
    for (int j = 0; j < s.m.njnt && s.m.nsensor > 0; j++) {
      if (s.m.jnt_type[j] == CR_JNT_BALL) {
        cr_real y[4], *q = s.d->qpos + s.m.jnt_qposadr[j], before[4];
        cr_copy(before, q, 4);
        for (int k = 0; k < 4; k++) {
          q[k] *= 3;
        }
        measured_sensor(&s, CR_SENS_BALLQUAT, 0, j, 0, -1);
        cri_sensor_quat(&s.m, s.d, 0, y);
        assert_all_close(y, before, 4, ROUND_OFF);
      }
    }
    measured_close(&s);
  }
}
