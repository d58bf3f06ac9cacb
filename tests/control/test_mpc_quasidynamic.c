// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A pusher that a gap keeps from its box: the exact Jacobian moves nothing, all smoothed ones find the way, with the same bits for any number of threads.
#include "carom/quasidynamic.h"
#include "scenes/io_mjcf.h"
#include "support/close.h"

static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static const char pusher[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='box'><joint name='box' type='slide' "
    "axis='1 0 0'/><geom size='.1' mass='1'/></body><body pos='-.3 0 0'><joint name='finger' "
    "type='slide' axis='1 0 0'/><geom size='.05' mass='1'/></body></worldbody><actuator><position "
    "joint='finger' kp='500' ctrllimited='true' ctrlrange='-1 2'/></actuator></mujoco>";
enum { STEPS = 15 };

typedef struct {
  cr_estimator_kind kind;
  int samples, threads;
  cr_real weight;
  bool decoupled;
  cr_real first;  // all first controls, 0: those that hold the start
} smoothing;

static cr_smoothed_mpc* open(const cr_model* m, smoothing s) {
  cr_real to[2 * (STEPS + 1)];
  for (int k = 0; k <= STEPS; k++) {
    to[2 * (ptrdiff_t)k] = CR_R(0.2);
    to[2 * (ptrdiff_t)k + 1] = 0;
  }
  const cr_real weights[2] = {10, 0}, effort[1] = {1}, change[1] = {CR_R(0.1)},
                sigma[3] = {0, 0, CR_R(0.2)};
  const cr_quasidynamic_options steps = {.size = sizeof steps, .weight = s.weight, .reach = 1};
  const cr_mpc_options o = {.size = sizeof o,
                            .nstep = STEPS,
                            .goal = to,
                            .Q = weights,
                            .R = effort,
                            .changes = true,
                            .change = change,
                            .kind = s.kind,
                            .samples = s.samples,
                            .sigma = sigma,
                            .power = 1,
                            .nthread = s.threads,
                            .decoupled = s.decoupled};
  cr_smoothed_mpc* mpc = NULL;
  ok(cr_smoothed_mpc_create_quasidynamic(&mpc, m, &steps, &o, &error));
  const cr_real at[2] = {0, 0};
  ok(cr_smoothed_mpc_set_start(mpc, at, &error));
  for (int k = 0; k < STEPS && s.first != 0; k++) {
    cr_smoothed_mpc_ctrl(mpc)[k] = s.first;
  }
  return mpc;
}

static cr_real push(const cr_model* m, smoothing s, cr_real* end) {
  cr_smoothed_mpc* mpc = open(m, s);
  for (int k = 0; k < 6; k++) {
    ok(cr_smoothed_mpc_improve(mpc, NULL, &error));
  }
  const cr_real best = cr_smoothed_mpc_best(mpc, NULL, NULL);
  *end = cr_smoothed_mpc_states(mpc)[2 * STEPS];
  cr_smoothed_mpc_destroy(mpc);
  return best;
}

TEST(smoothed_models_cross_a_gap) {
  mjModel* mj = mjcf_compile(pusher);
  cr_model m = mjcf_model(mj);
  cr_real end, again;
  assert_close(push(&m, (smoothing){.samples = 0}, &end), 10 * CR_R(0.04) * (STEPS + 1),
               CR_R(1e-9));
  assert_close(end, 0, 0);
  const smoothing all[] = {{.weight = 100},
                           {.kind = CR_ESTIMATOR_FIRST, .samples = 40},
                           {.kind = CR_ESTIMATOR_ZEROTH, .samples = 40},
                           {.weight = 100, .decoupled = true}};
  for (int i = 0; i < 4; i++) {
    smoothing s = all[i];
    s.threads = 1;
    const cr_real best = push(&m, s, &end);
    assert_true(best < 3 && cr_abs(end - CR_R(0.2)) < CR_R(0.02));
    s.threads = 3;
    assert_close(push(&m, s, &again), best, 0);
    assert_close(again, end, 0);
  }
  cri_model_free(&m);
  mj_deleteModel(mj);
}

// noise goes beyond the range of setpoints, where the joint ends; plans do not
TEST(noise_may_leave_the_range_of_setpoints) {
  mjModel* mj = mjcf_compile(pusher);
  cr_model m = mjcf_model(mj);
  m.actuator_ctrlrange[0] = CR_R(-0.05);
  m.actuator_ctrlrange[1] = CR_R(0.4);
  for (int kind = CR_ESTIMATOR_FIRST; kind <= CR_ESTIMATOR_ZEROTH; kind++) {
    cr_smoothed_mpc* mpc = open(&m, (smoothing){.kind = (cr_estimator_kind)kind, .samples = 40});
    for (int k = 0; k < 6; k++) {
      cr_mpc_result result = {.size = sizeof result};
      ok(cr_smoothed_mpc_improve(mpc, &result, &error));
      assert_int_equal(result.failed, 0);
    }
    for (int k = 0; k < STEPS; k++) {
      const cr_real u = cr_smoothed_mpc_ctrl(mpc)[k];
      assert_true(u >= CR_R(-0.05) && u <= CR_R(0.4));
    }
    cr_smoothed_mpc_destroy(mpc);
  }
  cr_smoothed_mpc* mpc = open(&m, (smoothing){.first = CR_R(0.5)});
  assert_int_equal(cr_smoothed_mpc_improve(mpc, NULL, &error), CR_ERR_ARG);
  assert_non_null(
      strstr(error.text, "control 0 of step 0 is 0.5, outside its limits -0.05 to 0.4"));
  cr_smoothed_mpc_destroy(mpc);
  cri_model_free(&m);
  mj_deleteModel(mj);
}
