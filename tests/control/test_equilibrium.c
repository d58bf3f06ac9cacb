// SPDX-License-Identifier: Apache-2.0
// Equilibria: the torque that holds a pendulum is known; a free pose moves to where no torque is needed beyond its limit; what falls
// is named.
#include "carom/feedback.h"
#include "carom/step.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static cr_model m;
static cr_data* d;

static void pendulum(int n, cr_real limit) {
  const int32_t types[3] = {CR_JNT_HINGE, CR_JNT_HINGE, CR_JNT_HINGE};
  assert_int_equal(chain_model(&m, n, types, 1, NULL), CR_OK);
  if (limit > 0) {
    m.actuator_ctrllimited[0] = 1;
    m.actuator_ctrlrange[0] = -limit;
    m.actuator_ctrlrange[1] = limit;
  }
  d = test_data(&m);
}

static void rests(void) {
  assert_int_equal(cr_forward(&m, d), CR_OK);
  for (int i = 0; i < m.nv; i++) {
    assert_close(d->qacc[i], 0, CR_R(1e-7));
    assert_true(d->qvel[i] == 0);
  }
}

TEST(a_pose_is_held_by_its_torque) {
  const cr_equilibrium_options hold = {.size = sizeof hold, .hold_pose = true};
  pendulum(1, 0);
  d->qpos[0] = CR_R(0.7);
  d->qvel[0] = 3;
  assert_int_equal(cr_equilibrium(&m, d, &hold, NULL), CR_OK);
  assert_true(d->qpos[0] == CR_R(0.7));
  rests();
  assert_close(d->ctrl[0], d->qfrc_bias[0], CR_R(1e-7));
  assert_true(cr_abs(d->ctrl[0]) > CR_R(0.1));
  cri_model_free(&m);
}

TEST(a_free_pose_goes_where_it_can_be_held) {
  pendulum(2, 0);
  d->qpos[0] = CR_R(0.4);
  d->qpos[1] = CR_R(-0.3);
  assert_int_equal(cr_equilibrium(&m, d, NULL, NULL), CR_OK);
  rests();
  cri_model_free(&m);
}

TEST(limits_hold) {
  pendulum(1, CR_R(0.05));
  d->qpos[0] = CR_R(0.7);
  assert_int_equal(cr_equilibrium(&m, d, NULL, NULL), CR_OK);
  assert_true(cr_abs(d->ctrl[0]) <= CR_R(0.05));
  rests();
  cri_model_free(&m);
}

TEST(what_cannot_be_held_is_named) {
  const cr_equilibrium_options hold = {.size = sizeof hold, .hold_pose = true};
  cr_error error = {0};
  pendulum(2, 0);
  d->qpos[1] = CR_R(0.5);
  assert_int_equal(cr_equilibrium(&m, d, &hold, &error), CR_ERR_DIVERGED);
  assert_non_null(strstr(error.text, "still accelerates by"));
  assert_non_null(strstr(error.text, "a free pose may have one"));
  cri_model_free(&m);
}

// without a control it swings down, and stays where it hangs
TEST(what_moves_settles_first) {
  const cr_equilibrium_options settle = {.size = sizeof settle, .settle = 20},
                               never = {.size = sizeof never, .settle = -1};
  cr_error error = {0};
  pendulum(1, 0);
  d->qpos[0] = CR_R(0.7);
  assert_int_equal(cr_equilibrium(&m, d, &settle, NULL), CR_OK);
  rests();
  assert_close(d->ctrl[0], 0, CR_R(1e-4));
  const cr_real hanging = d->qpos[0];
  d->qpos[0] = CR_R(-0.4);
  d->ctrl[0] = 0;
  assert_int_equal(cr_equilibrium(&m, d, &settle, NULL), CR_OK);
  assert_close(d->qpos[0], hanging, CR_R(1e-4));
  assert_int_equal(cr_equilibrium(&m, d, &never, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "settles for -1 s"));
  cri_model_free(&m);
}
