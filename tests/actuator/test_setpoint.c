// SPDX-License-Identifier: Apache-2.0
// Setpoints on a circle, and orientations that come back to the shorter turn.
#include "actuator/setpoint.h"

#include "math/quat.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_BALL, CR_JNT_HINGE};

static cr_model m;

static void make_servo(int i) {
  m.actuator_trnid[2 * i] = 0;
  m.actuator_biastype[i] = CR_BIAS_AFFINE;
  m.actuator_gainprm[10 * i] = 5;
  m.actuator_biasprm[10 * i + 1] = -5;
  m.actuator_gear[6 * i] = CR_R(0.6);
  m.actuator_gear[6 * i + 2] = CR_R(0.9);
}

TEST(servos_on_ball_joints_have_a_period) {
  assert_int_equal(chain_model(&m, 2, joints, 3, NULL), CR_OK);
  assert_close(cri_servo_period(&m, 0), 0, 0);
  make_servo(0);
  cr_real period = 2 * CR_PI * cr_sqrt(CR_R(0.36) + CR_R(0.81));
  assert_close(cri_servo_period(&m, 0), period, 10 * ROUND_OFF);
  m.actuator_biasprm[1] = CR_R(-5.1);
  assert_close(cri_servo_period(&m, 0), 0, 0);
  m.actuator_biasprm[1] = -5;
  m.actuator_gaintype[0] = CR_GAIN_AFFINE;
  assert_close(cri_servo_period(&m, 0), 0, 0);
  m.actuator_gaintype[0] = CR_GAIN_FIXED;
  m.actuator_trnid[0] = 1;
  assert_close(cri_servo_period(&m, 0), 0, 0);
  assert_close(cri_servo_turns(9, CR_R(1.9), period), 1, 0);
  assert_close(cri_servo_turns(-9, CR_R(1.9), period), -2, 0);
  assert_close(cri_servo_turns(9, 0, 0), 0, 0);
  cri_model_free(&m);
}

static void rotation_of(const cr_real w[3], cr_real R[9]) {
  cr_real q[4] = {1, 0, 0, 0};
  cr_quat_integrate(q, w, 1);
  cr_quat_to_mat(R, q);
}

// the anchored setpoint is the same orientation, within half a turn, and its Jacobian is one
TEST(anchor_is_the_shorter_turn) {
  static const cr_real direction[3] = {CR_R(0.48), CR_R(-0.6), CR_R(0.64)};
  for (int k = 0; k < 12; k++) {
    cr_real w[3], next[3], J[9], R[9], R_next[9], h = CR_R(1e-4);
    cr_scl3(w, direction, CR_R(0.3) + CR_R(1.1) * (cr_real)k);
    cri_setpoint_anchor(w, next, J);
    assert_true(cr_norm3(next) <= CR_PI * (1 + 4 * CR_EPS));
    rotation_of(w, R);
    rotation_of(next, R_next);
    assert_all_close(R_next, R, 9, 200 * CR_EPS);
    for (int c = 0; c < 3; c++) {
      cr_real moved[3], plus[3], minus[3], unused[9];
      cr_copy3(moved, w);
      moved[c] += h;
      cri_setpoint_anchor(moved, plus, unused);
      moved[c] -= 2 * h;
      cri_setpoint_anchor(moved, minus, unused);
      for (int r = 0; r < 3; r++) {
        assert_close(J[3 * r + c], (plus[r] - minus[r]) / (2 * h), CR_R(1e-7));
      }
    }
    // in place
    cri_setpoint_anchor(w, w, J);
    assert_all_close(w, next, 3, 0);
  }
}
