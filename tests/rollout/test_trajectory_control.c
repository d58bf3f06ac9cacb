// SPDX-License-Identifier: Apache-2.0
// The control callback of a rollout.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/real.h"
#include "carom/rollout.h"
#include "rollout/trajectory.h"
#include "support/chain_model.h"

enum { STEPS = 20 };

typedef struct {
  int calls, fail_at;
  cr_real gain;
} controller;

// ctrl = - gain velocity + step
static cr_status damp(void* context, const cr_model* m, const cr_data* d, int step, cr_real* ctrl) {
  controller* c = context;
  assert_int_equal(step, c->calls++);
  for (int i = 0; i < m->nu; i++) {
    ctrl[i] = -c->gain * d->qvel[0] + CR_R(0.01) * (cr_real)step;
  }
  return step == c->fail_at ? CR_ERR_ARG : CR_OK;
}

static cr_model model;

static cr_rollout* open_rollout(void) {
  const int32_t types[] = {CR_JNT_HINGE, CR_JNT_HINGE};
  cr_rollout* r;
  assert_int_equal(chain_model(&model, 2, types, 2, NULL), CR_OK);
  assert_int_equal(cr_rollout_create(&r, &model, STEPS, NULL, 0, NULL), CR_OK);
  cr_rollout_data(r)->qvel[0] = 1;
  return r;
}

static void close_rollout(cr_rollout* r) {
  cr_rollout_free(r);
  cri_model_free(&model);
}

// what the callback wrote, set beforehand, gives the same bits
static void controls_are_kept(void** state) {
  cr_rollout* r = open_rollout();
  controller c = {.gain = 2, .fail_at = -1};
  cr_real ctrl[2 * STEPS], q[2];
  cr_rollout_set_control(r, damp, &c);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, NULL), CR_OK);
  assert_int_equal(c.calls, STEPS);
  cr_copy(ctrl, cr_rollout_ctrl(r), 2 * STEPS);
  cr_copy(q, cr_rollout_data(r)->qpos, 2);
  assert_true(ctrl[0] == -2 && ctrl[2 * STEPS - 1] != -2);
  close_rollout(r);
  r = open_rollout();
  cr_copy(cr_rollout_ctrl(r), ctrl, 2 * STEPS);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, NULL), CR_OK);
  assert_memory_equal(q, cr_rollout_data(r)->qpos, sizeof q);
  // and without a callback again
  cr_rollout_set_control(r, NULL, NULL);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, NULL), CR_OK);
  close_rollout(r);
}

static void a_controller_can_end_a_run(void** state) {
  cr_rollout* r = open_rollout();
  controller c = {.fail_at = 3};
  cr_error error = {0};
  cr_rollout_set_control(r, damp, &c);
  assert_int_equal(cr_rollout_run(r, &model, STEPS, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "the control of step 4"));
  close_rollout(r);
}

int test_trajectory_control(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(controls_are_kept),
      cmocka_unit_test(a_controller_can_end_a_run),
  };
  return cmocka_run_group_tests_name("trajectory_control", tests, NULL, NULL);
}
