// SPDX-License-Identifier: Apache-2.0
// What controllers are made of: inputs in their order, a limited rate, an integral, early states.
#include "actuator/drive.h"

#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_HINGE};

static cr_model m;
static cri_law law;

static cri_drive begin(const cr_real* u, const cr_real* act, const cr_real* l, const cr_real* v) {
  assert_int_equal(chain_model(&m, 1, joints, 1, NULL), CR_OK);
  m.timestep = CR_R(0.1);
  memset(&law, 0, sizeof law);
  law.nu = 2;
  return (cri_drive){.m = &m,
                     .u = u,
                     .act = act,
                     .l = l,
                     .v = v,
                     .dyn = m.actuator_dynprm,
                     .gain = m.actuator_gainprm,
                     .bias = m.actuator_biasprm,
                     .law = &law};
}

TEST(inputs_come_in_their_order) {
  const cr_real u[2] = {3, 4}, act[1] = {1};
  cri_drive b = begin(u, act, NULL, NULL);
  m.actuator_ctrlspec[0] = CR_INPUT_VEL | CR_INPUT_VOLTAGE;
  cr_zero(m.actuator_dynprm, 10);
  cri_drive_inputs(&b, 7);
  assert_true(b.pos.value == 0 && b.ff.value == 0 && b.slot == 0);
  assert_true(b.vel.value == 3 && b.vel.by[0] == 1);
  assert_true(b.voltage.value == 4 && b.voltage.by[1] == 1);
  // the first of them, whichever it is, follows at a limited rate
  m.actuator_dynprm[7] = 5;
  cri_drive_inputs(&b, 7);
  assert_close(b.vel.value, CR_R(1.5), 4 * CR_EPS);
  assert_true(b.vel.by[0] == 0 && b.vel.by[CR_LAW_U] == 1 && b.slot == 1);
  assert_close(b.vel.by_prm[CR_LAW_DYN + 7], m.timestep, 0);
  assert_close(law.row[CR_LAW_RATE].value, 5, 40 * CR_EPS);
  assert_close(b.voltage.value, 4, 0);
  cri_model_free(&m);
}

TEST(integral_stops_when_full) {
  const cr_real l[1] = {2};
  cr_real act[1] = {CR_R(0.5)};
  cri_drive b = begin(NULL, act, l, NULL);
  b.pos = cri_dual_column(0, 5);
  m.actuator_dynprm[0] = CR_R(0.5);
  cri_drive_integrate(&b, 0);
  assert_close(law.row[CR_LAW_RATE].value, 0, 0);
  act[0] = -CR_R(0.5);
  b.slot = 0;
  cri_drive_integrate(&b, 0);
  assert_close(law.row[CR_LAW_RATE].value, 3, 0);
  assert_true(law.row[CR_LAW_RATE].by[0] == 1 && law.row[CR_LAW_RATE].by[CR_LAW_L] == -1);
  cri_model_free(&m);
}

TEST(states_act_early) {
  const cr_real act[1] = {2}, v[1] = {0};
  cri_drive b = begin(NULL, act, NULL, v);
  law.row[CR_LAW_RATE] = cri_dual_column(0, 7);
  assert_close(cri_drive_state(&b, 0).value, 2, 0);
  m.actuator_actearly[0] = 1;
  cri_dual x = cri_drive_state(&b, 0);
  assert_close(x.value, CR_R(2.7), 4 * CR_EPS);
  assert_true(x.by[CR_LAW_U] == 1 && x.by[0] == m.timestep);
  m.actuator_actlimited[0] = 1;
  m.actuator_actrange[1] = CR_R(2.5);
  x = cri_drive_state(&b, 0);
  assert_true(x.value == CR_R(2.5) && x.by[CR_LAW_U] == 0 && x.by_prm[CR_LAW_RANGE + 1] == 1);
  cri_model_free(&m);
}

TEST(setpoints_wrap) {
  cri_drive b = {.period = 2};
  cri_dual x = cri_dual_column(0, CR_R(5.5));
  cri_drive_wrap(&b, &x, 0);
  assert_close(x.value, CR_R(-0.5), 0);
  assert_close(x.by_period, -3, 0);
}
