// SPDX-License-Identifier: Apache-2.0
// DC motors: their two ends, what settles, and the slopes that MuJoCo 4.0.0 takes.
#include "actuator/controller.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;

static void begin(void) { assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK); }

// a motor at the voltage u turns at u / K without force, and stalls at K u / R
TEST(motor_has_two_ends) {
  begin();
  m.actuator_gaintype[0] = CR_GAIN_DCMOTOR;
  m.actuator_biastype[0] = CR_BIAS_DCMOTOR;
  m.actuator_dyntype[0] = CR_DYN_DCMOTOR;
  m.actuator_ctrlspec[0] = 8;
  cr_zero(m.actuator_dynprm, 10);
  m.actuator_gainprm[0] = 2;
  m.actuator_gainprm[1] = CR_R(0.5);
  const cr_real u[1] = {6}, l[1] = {0};
  cr_real v[1] = {12};
  cri_law law;
  cri_law_of(&m, 0, u, NULL, l, v, &law);
  assert_close(law.row[CR_LAW_FORCE].value, 0, 10 * ROUND_OFF);
  v[0] = 0;
  cri_law_of(&m, 0, u, NULL, l, v, &law);
  assert_close(law.row[CR_LAW_FORCE].value, CR_R(1.5), 10 * ROUND_OFF);
  assert_close(law.row[CR_LAW_FORCE].by[CR_LAW_V], CR_R(-0.125), 10 * ROUND_OFF);
  cri_model_free(&m);
}

// a hot motor with a current that builds up and a controller; numbers of MuJoCo 4.0.0
static void make_hot_motor(void) {
  begin();
  m.timestep = CR_R(0.01);
  m.actuator_gaintype[0] = CR_GAIN_DCMOTOR;
  m.actuator_biastype[0] = CR_BIAS_DCMOTOR;
  m.actuator_dyntype[0] = CR_DYN_DCMOTOR;
  m.actuator_ctrlspec[0] = 3;
  m.actuator_ctrlnum[0] = 2;
  m.actuator_actnum[0] = 3;
  m.actuator_actearly[0] = 1;
  cr_zero(m.actuator_dynprm, 10);
  const cr_real gain[] = {2, CR_R(0.1), CR_R(0.04), 25, 1, CR_R(0.3), CR_R(0.1)};
  const cr_real dyn[] = {CR_R(0.1), 0, 2, 3, 20};
  cr_copy(m.actuator_gainprm, gain, 7);
  cr_copy(m.actuator_dynprm, dyn, 5);
}

TEST(hot_motor_matches_mujoco) {
  make_hot_motor();
  const cr_real u[2] = {CR_R(0.5), CR_R(0.4)}, l[1] = {CR_R(0.2)}, v[1] = {CR_R(0.3)};
  const cr_real act[3] = {CR_R(0.1), CR_R(0.11), CR_R(0.12)};
  cri_law law;
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.row[CR_LAW_RATE].value, CR_R(0.3), 10 * ROUND_OFF);
  assert_close(law.row[CR_LAW_RATE + 1].value, CR_R(-0.010611093333333333), CR_R(1e-16));
  assert_close(law.row[CR_LAW_RATE + 2].value, CR_R(41.067528592739926), CR_R(1e-13));
  assert_close(law.row[CR_LAW_FORCE].value, CR_R(0.051080920557671855), CR_R(1e-16));
  assert_close(law.row[CR_LAW_FORCE_SLOPE].value, CR_R(-0.0118302563357), CR_R(1e-13));
  assert_close(law.row[CR_LAW_FORCE_SLOPE + 1].value, CR_R(-0.118302563357), CR_R(1e-12));
  // a current that cannot grow faster has no slopes
  m.actuator_dynprm[1] = 1;
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.row[CR_LAW_RATE + 2].value, 1, 0);
  assert_close(law.row[CR_LAW_FORCE_SLOPE].value, 0, 0);
  cri_model_free(&m);
}

// cogging repeats with its poles; bristles pull back, whatever the windings do
TEST(mechanics_come_on_top) {
  make_hot_motor();
  m.actuator_actnum[0] = 4;
  m.actuator_dynprm[5] = 10;
  m.actuator_dynprm[6] = CR_R(0.1);
  const cr_real bias[] = {CR_R(0.2), 5, CR_R(0.3), CR_R(0.2), CR_R(0.3), CR_R(0.4)};
  cr_copy(m.actuator_biasprm, bias, 6);
  const cr_real u[2] = {0}, l[1] = {CR_R(0.7)}, v[1] = {CR_R(0.3)};
  const cr_real act[4] = {0, 0, CR_R(0.1), 0};
  cri_law law;
  cri_law_of(&m, 0, u, act, l, v, &law);
  cr_real z_dot = CR_R(-0.86741382623028639), cogging = CR_R(0.2) * cr_sin(CR_R(3.8));
  assert_close(law.row[CR_LAW_RATE + 2].value, z_dot, CR_R(1e-15));
  assert_close(law.row[CR_LAW_FREE].value, cogging - 1 - CR_R(0.1) * z_dot, CR_R(1e-15));
  assert_close(law.row[CR_LAW_FREE_SLOPE].value, CR_R(-0.1), 0);
  assert_close(law.row[CR_LAW_FREE_SLOPE + 1].value, cr_cos(CR_R(3.8)), CR_R(1e-15));
  cri_model_free(&m);
}
