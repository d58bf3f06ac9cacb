// SPDX-License-Identifier: Apache-2.0
// Costs of candidates and their gradients by the knots, against differences, with every shape of controls and adaptive steps.
#include "checks/plan_scene.h"
#include "control/planner.h"
#include "support/close.h"

enum { STEPS = 12, MOST = 12 };

static void check(const cr_model* m, const cr_cost* cost, const cr_plan_options* o) {
  cr_planner* p = plan_make(m, cost, o);
  cr_real x[MOST], gradient[MOST], value;
  for (int i = 0; i < p->n; i++) {
    x[i] = (cr_real)((i * 5) % 7) - 3;
  }
  assert_int_equal(cri_plan_gradient(p, 0, x, &value, gradient), CR_OK);
  const cr_real h = CR_R(1e-3), steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  for (int i = 0; i < p->n; i++) {
    cr_real sum = 0, at, kept = x[i];
    for (int k = 0; k < 4; k++) {
      x[i] = kept + steps[k] * h;
      assert_int_equal(cri_plan_cost(p, 0, x, &at), CR_OK);
      sum += weights[k] * at / (12 * h);
    }
    x[i] = kept;
    assert_close(gradient[i], sum, CR_R(1e-9));
  }
  cr_planner_destroy(p);
}

TEST(gradients_by_knots_match_differences) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  check(&m, cost, &(cr_plan_options){.nstep = STEPS});
  check(&m, cost, &(cr_plan_options){.nstep = STEPS, .shape = CR_CONTROLS_ZERO, .knots = 4});
  check(&m, cost, &(cr_plan_options){.nstep = STEPS, .shape = CR_CONTROLS_LINEAR, .knots = 4});
  check(&m, cost, &(cr_plan_options){.nstep = STEPS, .shape = CR_CONTROLS_CUBIC, .knots = 4});
  cr_cost_destroy(cost);
  cri_model_free(&m);
}

TEST(adaptive_steps) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  assert_int_equal(cr_model_set_choice(&m, "integrator", "tsit5", NULL), CR_OK);
  const cr_adaptive adaptive = {
      .size = sizeof adaptive, .rtol = CR_R(1e-9), .atol = CR_R(1e-11), .grid = CR_R(0.02)};
  cr_plan_options o = {.nstep = STEPS, .adaptive = &adaptive, .rate = CR_R(0.5)};
  cr_planner* p = plan_make(&m, cost, &o);
  cr_real first = plan_improve(p).cost, last = first;
  for (int i = 0; i < 5; i++) {
    last = plan_improve(p).cost;
  }
  assert_true(last < first);
  cr_planner_destroy(p);
  cr_cost_destroy(cost);
  cri_model_free(&m);
}

TEST(the_first_of_the_lowest) {
  const cr_real costs[] = {3, (cr_real)INFINITY, 1, 2, 1};
  assert_int_equal(cri_plan_lowest(costs, 5), 2);
  assert_int_equal(cri_plan_lowest(costs, 1), 0);
}
