// SPDX-License-Identifier: Apache-2.0
// Sampling planners: what they make of their samples, in closed form.
#include "checks/plan_scene.h"
#include "control/plan_samples.h"
#include "support/close.h"

enum { STEPS = 8, SAMPLES = 30, ELITE = 5 };

static cr_model m;
static cr_cost* cost;
static void setup(void) { plan_pendulum(&m, &cost); }
static void teardown(void) {
  cr_cost_destroy(cost);
  cri_model_free(&m);
}
AROUND_FILE(setup, teardown)

TEST(predictive_sampling_takes_the_best) {
  const cr_plan_options o = {.method = CR_PLAN_SAMPLING, .nstep = STEPS, .samples = SAMPLES};
  cr_planner* p = plan_make(&m, cost, &o);
  cr_plan_result r = plan_improve(p);
  const cri_samples* s = p->memory;
  int best = cri_plan_lowest(s->costs, SAMPLES);
  assert_true(r.cost == s->costs[best] && r.rollouts == SAMPLES);
  assert_all_close(p->knots, s->rows + best * STEPS, STEPS, 0);
  cr_planner_destroy(p);
}

TEST(cross_entropy_takes_mean_and_spread_of_the_best) {
  const cr_plan_options o = {
      .method = CR_PLAN_CEM, .nstep = STEPS, .samples = SAMPLES, .elite = ELITE};
  cr_planner* p = plan_make(&m, cost, &o);
  cr_plan_result r = plan_improve(p);
  const cri_samples* s = p->memory;
  for (int j = 0; j < STEPS; j++) {
    cr_real mean = 0, square = 0;
    for (int k = 0; k < ELITE; k++) {
      cr_real x = s->rows[s->order[k] * STEPS + j];
      mean += x / ELITE;
      square += x * x / ELITE;
    }
    assert_close(s->centre[j], mean, CR_R(1e-12));
    assert_close(s->deviation[j], cr_sqrt(square - mean * mean), CR_R(1e-9));
  }
  assert_true(r.rollouts == SAMPLES + 1 && r.cost <= s->costs[s->order[0]]);
  cr_planner_destroy(p);
}

TEST(path_integral_weighs_by_cost) {
  const cr_plan_options o = {
      .method = CR_PLAN_MPPI, .nstep = STEPS, .samples = SAMPLES, .temperature = CR_R(0.02)};
  cr_planner* p = plan_make(&m, cost, &o);
  (void)plan_improve(p);
  const cri_samples* s = p->memory;
  for (int j = 0; j < STEPS; j++) {
    cr_real total = 0, mean = 0;
    for (int k = 0; k < SAMPLES; k++) {
      cr_real w = cr_exp(-(s->costs[k] - s->costs[s->order[0]]) / CR_R(0.02));
      total += w;
      mean += w * s->rows[k * STEPS + j];
    }
    assert_close(s->centre[j], mean / total, CR_R(1e-12));
  }
  cr_planner_destroy(p);
}
