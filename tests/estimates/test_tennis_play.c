// SPDX-License-Identifier: Apache-2.0
// The ball and the racket: starts that are the same for all policies, costs from the motion itself, and a training that is that of the task file.
#include "estimates/tennis_play.h"

#include <stdio.h>
#include <string.h>

#include "base/real.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

enum { WEIGHTS = 24, WIDTH = 5, LAST = CR_TENNIS_STEPS * WIDTH };

static cr_error error;
static cr_model* m;

static void setup(void) {
  cr_notebook book = {.nclaim = 0};
  (void)snprintf(book.folder, sizeof book.folder, "%s", scratch_path(""));
  must(cri_tennis_open(&book, &m, &error));
}

static void teardown(void) { cr_model_destroy(m); }

AROUND_FILE(setup, teardown)

// a racket that rises at half a meter a second, whatever it sees
static void rise(cr_real* weights) {
  memset(weights, 0, WEIGHTS * sizeof *weights);
  weights[WEIGHTS - 2] = CR_R(0.5);
}

// at rest the racket lets a free ball pass or reflects it; its speed at the end is then that of the start
TEST(a_racket_at_rest_keeps_the_energy_of_the_ball) {
  static cr_real qpos[LAST + WIDTH];
  const cr_real weights[WEIGHTS] = {0};
  for (int start = 0; start < 5; start++) {
    must(cri_tennis_run(m, weights, start, qpos, &error));
    const cr_real *first = qpos, *end = qpos + LAST;
    for (int i = 2; i < WIDTH; i++) {
      assert_close(end[i], first[i], CR_R(0.05));
    }
    cr_real before = 0, after = 0;
    for (int i = 0; i < 2; i++) {
      const cr_real v0 = (qpos[WIDTH + i] - first[i]) / CR_R(0.01);
      const cr_real v1 = (end[i] - end[i - WIDTH]) / CR_R(0.01);
      before += v0 * v0;
      after += v1 * v1;
    }
    assert_close(after, before, CR_R(0.25) * before);
  }
}

// 100 (place^2) and 10 (speed^2) at the end, 0.02 (control^2) a second, of each control
TEST(the_cost_is_that_of_the_motion) {
  static cr_real qpos[LAST + WIDTH];
  cr_real weights[WEIGHTS], mean, sum = 0;
  rise(weights);
  enum { STARTS = 4 };
  for (int start = 0; start < STARTS; start++) {
    must(cri_tennis_run(m, weights, start, qpos, &error));
    const cr_real* end = qpos + LAST;
    const cr_real x = end[0], y = end[1] - CR_R(2.5);
    const cr_real vx = (end[0] - end[-WIDTH]) / CR_R(0.01),
                  vy = (end[1] - end[1 - WIDTH]) / CR_R(0.01);
    sum += 100 * (x * x + y * y) + 10 * (vx * vx + vy * vy) + CR_R(0.02) * 10 * CR_R(0.25);
    assert_close(end[3] - qpos[3], 5, CR_R(0.1));
  }
  must(cri_tennis_judge(m, weights, STARTS, NULL, &mean, &error));
  assert_close(mean, sum / STARTS, CR_R(1e-6) * sum);
}

static bool at_once(void) { return true; }

TEST(training_lowers_the_cost_and_stops_when_asked) {
  cr_tennis_setting setting = {
      .kind = CR_ESTIMATOR_FIRST, .iterations = 100, .samples = 8, .starts = 4, .seed = 1};
  cr_tennis tennis;
  cr_real before, after;
  must(cri_tennis_make(&tennis, m, &setting, &error));
  cr_policy* policy = cr_policy_training_policy(tennis.training);
  assert_int_equal(cr_policy_nweight(policy), WEIGHTS);
  must(cri_tennis_judge(m, cr_policy_weights(policy), 10, NULL, &before, &error));
  for (int k = 0; k < 10; k++) {
    must(cr_policy_training_step(tennis.training, NULL, &error));
  }
  must(cri_tennis_judge(m, cr_policy_weights(policy), 10, NULL, &after, &error));
  assert_true(after < CR_R(0.9) * before);
  cri_tennis_close(&tennis);
  setting.stop = at_once;
  must(cri_tennis_make(&tennis, m, &setting, &error));
  assert_int_equal(cr_policy_training_step(tennis.training, NULL, &error), CR_ERR_INTERRUPTED);
  cri_tennis_close(&tennis);
  const cr_real weights[WEIGHTS] = {0};
  assert_int_equal(cri_tennis_judge(m, weights, 1, at_once, &before, &error), CR_ERR_INTERRUPTED);
}
