// SPDX-License-Identifier: Apache-2.0
// Ends of controls and activations.
#include "actuator/range_ends.h"

#include "actuator/actuation_parts.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static cr_model m;
static const int32_t hinge[] = {CR_JNT_HINGE};

static void setup(void) { assert_true(chain_model(&m, 1, hinge, 1, NULL) == CR_OK); }

static void teardown(void) { cri_model_free(&m); }

AROUND_EACH(setup, teardown)

TEST(controls_end_at_their_range) {
  m.actuator_ctrlrange[0] = -2;
  m.actuator_ctrlrange[1] = CR_R(0.5);
  m.actuator_ctrllimited[0] = 0;
  assert_int_equal(cri_control_end(&m, 0, -2), 0);
  m.actuator_ctrllimited[0] = 1;
  assert_int_equal(cri_control_end(&m, 0, -2), 1);
  assert_int_equal(cri_control_end(&m, 0, CR_R(0.5)), -1);
  assert_int_equal(cri_control_end(&m, 0, 0), 0);
  assert_int_equal(cri_control_end(&m, 0, -3), 0);  // beyond it nothing moves
  m.disableflags = CR_DSBL_CLAMPCTRL;
  assert_int_equal(cri_control_end(&m, 0, -2), 0);
}

TEST(muscles_end_at_zero_and_one) {
  m.actuator_dyntype[0] = CR_DYN_MUSCLE;
  m.actuator_actnum[0] = 1;
  m.actuator_actadr[0] = 0;
  assert_int_equal(cri_control_end(&m, 0, 0), 1);
  assert_int_equal(cri_control_end(&m, 0, 1), -1);
  assert_int_equal(cri_activation_end(&m, 0, 0), 1);
  assert_int_equal(cri_activation_end(&m, 0, 1), -1);
  assert_int_equal(cri_activation_end(&m, 0, CR_R(0.5)), 0);
  m.actuator_ctrlrange[0] = -1;
  m.actuator_ctrlrange[1] = CR_R(0.8);
  m.actuator_ctrllimited[0] = 1;
  assert_int_equal(cri_control_end(&m, 0, 0), 1);
  assert_int_equal(cri_control_end(&m, 0, -1), 0);
  assert_int_equal(cri_control_end(&m, 0, CR_R(0.8)), -1);
}

TEST(activations_end_at_their_range) {
  m.actuator_dyntype[0] = CR_DYN_FILTER;
  m.actuator_actnum[0] = 1;
  m.actuator_actadr[0] = 0;
  m.actuator_actrange[0] = -1;
  m.actuator_actrange[1] = 3;
  assert_int_equal(cri_activation_end(&m, 0, -1), 0);
  m.actuator_actlimited[0] = 1;
  assert_int_equal(cri_activation_end(&m, 0, -1), 1);
  assert_int_equal(cri_activation_end(&m, 0, 3), -1);
  assert_int_equal(cri_activation_end(&m, 0, 0), 0);
}
