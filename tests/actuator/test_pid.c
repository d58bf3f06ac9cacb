// SPDX-License-Identifier: Apache-2.0
// PID controllers in closed form.
#include "actuator/controller.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;

static void begin(void) { assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK); }

TEST(pid_gathers_and_follows) {
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
  assert_close(law.row[0].value, 2, 100 * ROUND_OFF);
  assert_close(law.row[1].value, q - l[0], 10 * ROUND_OFF);
  cr_real f = CR_R(0.1) + 3 * (q - l[0]) + CR_R(0.2) * (u[1] - v[0]) + u[2] + 4 * act[1];
  assert_close(law.row[CR_LAW_FORCE].value, f, 10 * ROUND_OFF);
  // full: only errors that empty it count
  act[1] = CR_R(0.5);
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.row[1].value, 0, 0);
  act[1] = CR_R(-0.5);
  cri_law_of(&m, 0, u, act, l, v, &law);
  assert_close(law.row[1].value, q - l[0], 10 * ROUND_OFF);
  cri_model_free(&m);
}
