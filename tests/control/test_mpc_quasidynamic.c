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
} smoothing;

static cr_real push(const cr_model* m, smoothing s, cr_real* end) {
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
                            .nthread = s.threads};
  cr_smoothed_mpc* mpc = NULL;
  ok(cr_smoothed_mpc_create_quasidynamic(&mpc, m, &steps, &o, &error));
  const cr_real at[2] = {0, 0};
  ok(cr_smoothed_mpc_set_start(mpc, at, &error));
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
                           {.kind = CR_ESTIMATOR_ZEROTH, .samples = 40}};
  for (int i = 0; i < 3; i++) {
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
