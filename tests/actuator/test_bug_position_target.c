// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A bug seen elsewhere: the gradient of a position servo's force kp (u - q) - kv v never came back to
// q. For one joint of inertia I and steps h the next velocity is v + h (kp (u - q) - kv v) / I, and all
// its derivatives are known.
#include "carom/step.h"
#include "checks/io_bug.h"
#include "rollout/trajectory.h"
#include "support/close.h"

static const char* const scene =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><joint name='j' "
    "type='slide' "
    "axis='1 0 0'/><geom size='.1' mass='2'/></body></worldbody><actuator>"
    "<position joint='j' kp='30' kv='4'/></actuator></mujoco>";

static const cr_real KP = 30, KV = 4, MASS = 2, H = CR_R(0.01);

TEST(bug_position_target_comes_back_to_qpos) {
  bug_scene s;
  bug_open(&s, scene, CR_R(0.3));
  s.d->ctrl[0] = CR_R(0.8);
  assert_int_equal(cr_step(&s.m, s.d), CR_OK);
  s.bar->qvel_next[0] = 1;
  assert_int_equal(cr_step_vjp(&s.m, &s.m, s.d, NULL, s.bar), CR_OK);
  assert_close(s.bar->qpos[0], -H * KP / MASS, CR_R(1e-14));
  assert_close(s.bar->qvel[0], 1 - H * KV / MASS, CR_R(1e-14));
  assert_close(s.bar->ctrl[0], H * KP / MASS, CR_R(1e-14));
  bug_check_step(&s);
  bug_close(&s);
}

// over n steps: powers of the 2 x 2 matrix of one step
TEST(bug_position_target_over_many_steps) {
  enum { STEPS = 40 };
  bug_scene s;
  cr_rollout* r;
  cr_expression* last;
  bug_open(&s, scene, CR_R(0.3));
  assert_int_equal(cri_rollout_create(&r, &s.m, STEPS, cri_no_params, NULL), CR_OK);
  assert_int_equal(cr_expression_create(&last, &s.m, "qpos[0]", NULL), CR_OK);
  cr_loss loss = cr_expression_loss(last, false);
  cr_copy(r->d->qpos, s.d->qpos, 1);
  cr_copy(r->d->qvel, s.d->qvel, 1);
  for (int i = 0; i < STEPS; i++) {
    r->ctrl[i] = CR_R(0.5);
  }
  assert_int_equal(cr_rollout_run(r, &s.m, STEPS, &loss, NULL), CR_OK);
  assert_int_equal(cr_rollout_gradient(r, &s.m, &s.m, &loss, NULL), CR_OK);

  // cotangents (q, v) back through q' = q + h v', v' = v + h (kp (u - q) - kv v) / m
  cr_real q_bar = 1, v_bar = 0, u_bar = 0;
  for (int i = 0; i < STEPS; i++) {
    v_bar += H * q_bar;
    u_bar = H * KP / MASS * v_bar;
    q_bar -= H * KP / MASS * v_bar;
    v_bar -= H * KV / MASS * v_bar;
  }
  assert_close(r->bar->qpos[0], q_bar, CR_R(1e-13));
  assert_close(r->bar->qvel[0], v_bar, CR_R(1e-13));
  assert_close(r->ctrl_bar[0], u_bar, CR_R(1e-13));
  assert_true(cr_abs(q_bar - 1) > CR_R(0.3));
  cr_expression_destroy(last);
  cr_rollout_destroy(r);
  bug_close(&s);
}
