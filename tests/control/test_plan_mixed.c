// SPDX-License-Identifier: Apache-2.0
// The mixed planner: no worse than its samples, and than these with the gradient of the best alone.
#include "checks/plan_scene.h"
#include "control/planner.h"
#include "support/close.h"

enum { STEPS = 20 };

TEST(gradient_steps_lower_the_best_samples) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  cr_plan_options o = {.method = CR_PLAN_SAMPLING, .nstep = STEPS, .samples = 16, .seed = 3};
  cr_planner* samples = plan_make(&m, cost, &o);
  o.method = CR_PLAN_MIXED;
  o.elite = 1;
  o.rate = CR_R(0.3);
  cr_planner* one = plan_make(&m, cost, &o);
  o.elite = 6;
  cr_planner* six = plan_make(&m, cost, &o);
  cr_plan_result a = plan_improve(samples), b = plan_improve(one), c = plan_improve(six);
  assert_true(b.cost < a.cost && c.cost <= b.cost);
  assert_int_equal(c.rollouts, 16 + 6 * 5);
  cr_planner_destroy(samples);
  cr_planner_destroy(one);
  cr_planner_destroy(six);
  cr_cost_destroy(cost);
  cri_model_free(&m);
}
