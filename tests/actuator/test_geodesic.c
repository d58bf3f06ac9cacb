// SPDX-License-Identifier: Apache-2.0
// Orientation servos in closed form.
#include "actuator/controller.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;

static void begin(void) { assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK); }

// turns about one axis add
TEST(orientation_is_geodesic) {
  begin();
  m.actuator_gaintype[0] = CR_GAIN_SO3;
  m.actuator_biastype[0] = CR_BIAS_SO3;
  m.actuator_ctrlspec[0] = 1;
  m.actuator_ctrlnum[0] = m.actuator_outnum[0] = 3;
  m.actuator_gainprm[0] = 2;
  m.actuator_biasprm[2] = CR_R(-0.1);
  const cr_real u[3] = {0, CR_R(1.5), 0}, l[3] = {0, CR_R(0.25), 0}, v[3] = {1, 0, 0};
  cri_law law;
  cri_law_of(&m, 0, u, NULL, l, v, &law);
  assert_close(law.row[CR_LAW_FORCE].value, CR_R(-0.1), 10 * ROUND_OFF);
  assert_close(law.row[CR_LAW_FORCE + 1].value, CR_R(2.5), 20 * ROUND_OFF);
  // the same as a quaternion of any length, and of either sign
  m.actuator_ctrlspec[0] = 2;
  m.actuator_ctrlnum[0] = 4;
  const cr_real q[4] = {-3 * cr_cos(CR_R(0.75)), 0, -3 * cr_sin(CR_R(0.75)), 0};
  cri_law_of(&m, 0, q, NULL, l, v, &law);
  assert_close(law.row[CR_LAW_FORCE + 1].value, CR_R(2.5), 20 * ROUND_OFF);
  cri_model_free(&m);
}

// states move with the inputs and are what the servo turns to, the next ones where it acts early
TEST(orientation_remembers) {
  begin();
  m.timestep = CR_R(0.1);
  m.actuator_gaintype[0] = CR_GAIN_SO3;
  m.actuator_biastype[0] = CR_BIAS_SO3;
  m.actuator_dyntype[0] = CR_DYN_INTEGRATOR;
  m.actuator_ctrlspec[0] = 1;
  m.actuator_ctrlnum[0] = m.actuator_outnum[0] = m.actuator_actnum[0] = 3;
  m.actuator_gainprm[0] = 2;
  const cr_real u[3] = {1, 2, 3}, act[3] = {0, CR_R(0.5), 0}, l[3] = {0}, v[3] = {0};
  cri_law law;
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.row[1].value, 2, 0);
  assert_close(law.row[CR_LAW_FORCE + 1].value, 1, 20 * ROUND_OFF);
  m.actuator_actearly[0] = 1;
  cri_law_of(&m, 0, u, act, l, v, &law);
  const cr_real next[3] = {CR_R(0.1), CR_R(0.7), CR_R(0.3)};
  for (int k = 0; k < 3; k++) {
    assert_close(law.row[CR_LAW_FORCE + k].value, 2 * next[k], 20 * ROUND_OFF);
    // the torque is along the setpoint, so that it grows with it
    assert_close(law.row[CR_LAW_FORCE + k].by_prm[CR_LAW_GAIN], next[k], 20 * ROUND_OFF);
  }
  cri_model_free(&m);
}
