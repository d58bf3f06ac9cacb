// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Motions of a policy: random starts on the manifold, random parameters, noise with its moments, each the same whoever asks.
#include "policy/policy_motions.h"

#include "carom/carom.h"
#include "rollout/trajectory.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_model[] =
    "<mujoco><option timestep='0.02' gravity='0 0 0'/><worldbody><body name='b'><freejoint "
    "name='f'/>"
    "<geom size='.1' mass='1'/></body><body name='c' pos='0 2 0'><joint name='x' type='slide' "
    "axis='1 0 0'/>"
    "<geom size='.1' mass='1'/></body></worldbody>"
    "<actuator><motor name='u' joint='x'/><motor name='v' joint='x' gear='2'/></actuator></mujoco>";

enum { NSTEP = 6, EVERY = 2, NX = 14 };

static cr_error error;
static cr_model* m;
static cr_data* start;
static cr_cost* cost;
static cri_motions s;
static cr_real spread[NX];
static const cr_real noise[] = {CR_R(0.5), 2};

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void setup(void) {
  static const cr_observation x = {.size = sizeof x, .text = "qpos[x]"};
  static const cr_observation* const all[] = {&x};
  static const cr_varied mass = {.size = sizeof mass, .name = "body_mass[c]", .sigma = CR_R(0.4)};
  static const cr_varied* const varied[] = {&mass};
  const cr_cost_term term = {.size = sizeof term, .text = "qpos[x]", .terminal = 1};
  const cr_policy_options policy = {
      .size = sizeof policy, .observations = all, .nobservation = 1, .every = EVERY};
  for (int i = 0; i < NX; i++) {
    spread[i] = CR_R(0.1) * (cr_real)(i % 3);
  }
  const cr_policy_training_options o = {.size = sizeof o,
                                        .nstep = NSTEP,
                                        .estimator = CR_ESTIMATOR_ALPHA,
                                        .samples = 8,
                                        .starts = 2,
                                        .antithetic = true,
                                        .noise = noise,
                                        .spread = spread,
                                        .varied = varied,
                                        .nvaried = 1,
                                        .nthread = 2,
                                        .seed = 9};
  ok(cr_model_open(&m, scratch_write("motions.xml", text_of_model), &error));
  ok(cr_data_create(&start, m, &error));
  ok(cr_cost_create(&cost, m, &error));
  ok(cr_cost_add(cost, &term, &error));
  ok(cri_motions_make(&s, m, start, cost, &policy, &o, &error));
  cri_motions_begin(&s, 1);
}

static void teardown(void) {
  cri_motions_free(&s);
  cr_cost_destroy(cost);
  cr_data_destroy(start);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static cr_real run(int k, int at, int sample, int worker) {
  cr_real loss;
  ok(cri_motions_run(&s, &(cri_motion){.k = k, .start = at, .sample = sample}, worker, &loss,
                     &error));
  return loss;
}

TEST(a_motion_is_the_same_on_every_worker) {
  for (int sample = -1; sample < 4; sample++) {
    assert_true(run(3, 1, sample, 0) == run(3, 1, sample, 1));
  }
  assert_true(run(3, 1, 0, 0) != run(4, 1, 0, 0));
  assert_true(run(3, 1, -1, 0) != run(3, 0, -1, 0));
}

// coordinates of the start of the last motion, mean and variance over many
TEST(starts_spread_as_asked) {
  enum { N = 4000 };
  cr_real sum[NX] = {0}, square[NX] = {0};
  for (int i = 0; i < N; i++) {
    cr_real qpos[8], qvel[7];
    (void)run(i, 0, -1, 0);
    ok(cr_rollout_get_states(s.workers[0].rollout, s.workers[0].m, 0, 1, NULL, qpos, qvel, NULL,
                             &error));
    assert_close(qpos[3] * qpos[3] + qpos[4] * qpos[4] + qpos[5] * qpos[5] + qpos[6] * qpos[6], 1,
                 CR_R(1e-12));
    for (int j = 0; j < NX; j++) {
      cr_real x = j < 3 ? qpos[j] : j < 6 ? 2 * qpos[j + 1] : j < 7 ? qpos[7] : qvel[j - 7];
      sum[j] += x;
      square[j] += x * x;
    }
  }
  for (int j = 0; j < NX; j++) {
    assert_close(sum[j] / N, 0, 5 * spread[j] / cr_sqrt(N));
    assert_close(cr_sqrt(square[j] / N), spread[j], CR_R(0.06) * spread[j]);
  }
}

TEST(parameters_vary_as_asked) {
  enum { N = 3000 };
  cr_real sum = 0, square = 0;
  for (int i = 0; i < N; i++) {
    cr_real mass;
    (void)run(i, 1, -1, 1);
    ok(cr_model_get(s.workers[1].m, "body_mass[c]", &mass, 1, &error));
    sum += cr_log(mass);
    square += cr_log(mass) * cr_log(mass);
  }
  assert_close(sum / N, 0, CR_R(0.03));
  assert_close(cr_sqrt(square / N), CR_R(0.4), CR_R(0.02));
}

// controls are the policy's, 0 here, plus noise that is held for EVERY steps; pairs have opposite signs
TEST(noise_is_held_and_comes_in_pairs) {
  cr_real first[2 * NSTEP];
  (void)run(7, 0, 2, 0);
  const cr_real* ctrl = cr_rollout_ctrl(s.workers[0].rollout);
  memcpy(first, ctrl, sizeof first);
  (void)run(7, 0, 3, 0);
  for (int i = 0; i < NSTEP; i++) {
    for (int j = 0; j < 2; j++) {
      assert_true(first[2 * i + j] != 0 && first[2 * i + j] == -ctrl[2 * i + j]);
      assert_true(first[2 * i + j] == first[2 * (i - i % EVERY) + j]);
    }
  }
  cri_motions_begin(&s, CR_R(0.25));
  (void)run(7, 0, 2, 0);
  assert_close(ctrl[1], first[1] / 4, CR_R(1e-15));
  cri_motions_begin(&s, 1);
}

// the score of a sample: sum of w / sigma^2 by the bias, times the observation by the gain
TEST(scores_are_those_of_the_noise) {
  (void)run(5, 0, 1, 0);
  const cr_rollout* r = s.workers[0].rollout;
  const cr_real *ctrl = r->ctrl, *score = s.workers[0].policy->score;
  cr_real expected[4] = {0};
  for (int i = 0; i < NSTEP; i += EVERY) {
    cr_real qpos[8];
    ok(cr_rollout_get_states(r, s.workers[0].m, i, 1, NULL, qpos, NULL, NULL, &error));
    for (int j = 0; j < 2; j++) {
      cr_real w = ctrl[2 * i + j] / (noise[j] * noise[j]);
      expected[j] += w * qpos[7];
      expected[2 + j] += w;
    }
  }
  for (int i = 0; i < 4; i++) {
    assert_close(score[i], expected[i], CR_R(1e-12) * (1 + cr_abs(expected[i])));
  }
}
