// SPDX-License-Identifier: Apache-2.0
// Laws of controllers in closed form.
#include "dynamics/controller.h"

#include "support/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;

static void begin(void) { assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK); }

static void pid_gathers_and_follows(void** state) {
  begin();
  m.actuator_gaintype[0] = CR_GAIN_PID;
  m.actuator_biastype[0] = CR_BIAS_AFFINE;
  m.actuator_dyntype[0] = CR_DYN_PID;
  m.actuator_ctrlspec[0] = 7;
  m.actuator_ctrlnum[0] = 3;
  m.actuator_actnum[0] = 2;
  const cr_real dyn[2] = {CR_R(0.5), 2}, bias[3] = {CR_R(0.1), -3, CR_R(-0.2)};
  const cr_real u[3] = {1, CR_R(0.5), CR_R(0.25)}, l[1] = {CR_R(0.2)}, v[1] = {CR_R(-0.1)};
  cr_real act[2] = {CR_R(0.4), CR_R(0.3)}, q = CR_R(0.4) + 2 * m.timestep;
  cr_copy(m.actuator_dynprm, dyn, 2);
  cr_copy(m.actuator_biasprm, bias, 3);
  m.actuator_gainprm[0] = 4;
  cri_law law;
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.value[0], 2, 100 * ROUND_OFF);
  assert_close(law.value[1], q - l[0], 10 * ROUND_OFF);
  cr_real f = CR_R(0.1) + 3 * (q - l[0]) + CR_R(0.2) * (u[1] - v[0]) + u[2] + 4 * act[1];
  assert_close(law.value[CR_LAW_FORCE], f, 10 * ROUND_OFF);
  // full: only errors that empty it count
  act[1] = CR_R(0.5);
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.value[1], 0, 0);
  act[1] = CR_R(-0.5);
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.value[1], q - l[0], 10 * ROUND_OFF);
  cri_model_free(&m);
}

// a motor at the voltage u turns at u / K without force, and stalls at K u / R
static void motor_has_two_ends(void** state) {
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
  assert_close(law.value[CR_LAW_FORCE], 0, 10 * ROUND_OFF);
  v[0] = 0;
  cri_law_of(&m, 0, u, NULL, l, v, &law);
  assert_close(law.value[CR_LAW_FORCE], CR_R(1.5), 10 * ROUND_OFF);
  assert_close(law.by[CR_LAW_FORCE][CR_LAW_V], CR_R(-0.125), 10 * ROUND_OFF);
  cri_model_free(&m);
}

// turns about one axis add
static void orientation_is_geodesic(void** state) {
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
  assert_close(law.value[CR_LAW_FORCE], CR_R(-0.1), 10 * ROUND_OFF);
  assert_close(law.value[CR_LAW_FORCE + 1], CR_R(2.5), 20 * ROUND_OFF);
  // the same as a quaternion of any length, and of either sign
  m.actuator_ctrlspec[0] = 2;
  m.actuator_ctrlnum[0] = 4;
  const cr_real q[4] = {-3 * cr_cos(CR_R(0.75)), 0, -3 * cr_sin(CR_R(0.75)), 0};
  cri_law_of(&m, 0, q, NULL, l, v, &law);
  assert_close(law.value[CR_LAW_FORCE + 1], CR_R(2.5), 20 * ROUND_OFF);
  cri_model_free(&m);
}

int test_controller(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pid_gathers_and_follows),
                                     cmocka_unit_test(motor_has_two_ends),
                                     cmocka_unit_test(orientation_is_geodesic)};
  return cmocka_run_group_tests_name("controller", tests, NULL, NULL);
}
