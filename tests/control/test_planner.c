// SPDX-License-Identifier: Apache-2.0
// What holds for every planner: the plan never gets worse, the digits depend on the seed and not on threads, nothing
// allocates, motions that diverge cost themselves; and mistakes are named.
#include "control/planner.h"

#include "carom/step.h"
#include "checks/plan_scene.h"
#include "support/allocation.h"
#include "support/close.h"

enum { STEPS = 30, ROUNDS = 6 };

static cr_model model;
static cr_cost* cost;

static void setup(void) { plan_pendulum(&model, &cost); }
static void teardown(void) {
  cr_cost_destroy(cost);
  cri_model_free(&model);
}
AROUND_FILE(setup, teardown)

static const cr_plan_options options[] = {
    {.method = CR_PLAN_GRADIENT, .nstep = STEPS, .rate = 0.5},
    {.method = CR_PLAN_GRADIENT,
     .nstep = STEPS,
     .shape = CR_CONTROLS_LINEAR,
     .knots = 6,
     .rate = 0.5,
     .clip = 1},
    {.method = CR_PLAN_GRADIENT, .nstep = STEPS, .descent = CR_DESCENT_LBFGS},
    {.method = CR_PLAN_GRADIENT,
     .nstep = STEPS,
     .descent = CR_DESCENT_LBFGS,
     .shape = CR_CONTROLS_CUBIC,
     .knots = 5},
    {.method = CR_PLAN_ILQR, .nstep = STEPS},
    {.method = CR_PLAN_ILQR, .nstep = STEPS, .shape = CR_CONTROLS_ZERO, .knots = 6},
    {.method = CR_PLAN_SAMPLING,
     .nstep = STEPS,
     .samples = 24,
     .shape = CR_CONTROLS_CUBIC,
     .knots = 5},
    {.method = CR_PLAN_SAMPLING,
     .nstep = STEPS,
     .samples = 24,
     .colour = CR_NOISE_BROWN,
     .wide_noise = 0.6},
    {.method = CR_PLAN_CEM, .nstep = STEPS, .samples = 24, .shape = CR_CONTROLS_ZERO, .knots = 5},
    {.method = CR_PLAN_MPPI, .nstep = STEPS, .samples = 24, .colour = CR_NOISE_PINK},
    {.method = CR_PLAN_MIXED, .nstep = STEPS, .samples = 24, .elite = 4, .rate = 0.3},
};
enum { N_OPTION = (int)(sizeof options / sizeof options[0]) };

TEST(plans_never_get_worse) {
  for (int k = 0; k < N_OPTION; k++) {
    cr_planner* p = plan_make(&model, cost, &options[k]);
    cr_plan_result first = plan_improve(p), last = first;
    for (int i = 1; i < ROUNDS; i++) {
      cr_plan_result next = plan_improve(p);
      assert_true(next.cost <= last.cost && next.before == last.cost);
      assert_true(next.improved == (next.cost < last.cost));
      assert_int_equal(next.iterations, i + 1);
      last = next;
    }
    assert_true(last.cost < first.cost && isfinite(last.cost));
    // the plan has the cost that is told, and keeps its limits
    cr_real again;
    assert_int_equal(cri_plan_cost(p, 0, cr_planner_knots(p, NULL), &again), CR_OK);
    assert_true(again == last.cost);
    for (int i = 0; i < STEPS; i++) {
      assert_true(cr_planner_ctrl(p)[i] >= -20 && cr_planner_ctrl(p)[i] <= 15);
    }
    cr_planner_destroy(p);
  }
}

static void run(const cr_plan_options* o, int nthread, uint64_t seed, cr_real* ctrl) {
  cr_plan_options all = *o;
  all.nthread = nthread;
  all.seed = seed;
  cr_planner* p = plan_make(&model, cost, &all);
  cr_data* d = test_data(&model);
  for (int i = 0; i < 3; i++) {
    (void)plan_improve(p);
  }
  d->qpos[0] = CR_R(0.1);
  assert_int_equal(cr_planner_shift(p, 4, NULL), CR_OK);
  assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
  (void)plan_improve(p);
  cr_copy(ctrl, cr_planner_ctrl(p), STEPS);
  cr_planner_destroy(p);
}

TEST(digits_depend_on_the_seed_alone) {
  cr_real one[STEPS], other[STEPS];
  for (int k = 0; k < N_OPTION; k++) {
    run(&options[k], 1, 7, one);
    for (int nthread = 2; nthread < 5; nthread++) {
      run(&options[k], nthread, 7, other);
      assert_all_close(other, one, STEPS, 0);
    }
    run(&options[k], 2, 8, other);
    bool draws = options[k].method >= CR_PLAN_SAMPLING;
    assert_true((one[STEPS / 2] != other[STEPS / 2]) == draws);
  }
}

TEST(nothing_allocates) {
  if (allocation_count() < 0) {
    skip();
  }
  for (int k = 0; k < N_OPTION; k++) {
    cr_plan_options o = options[k];
    o.nthread = 2;
    cr_planner* p = plan_make(&model, cost, &o);
    long before = allocation_count();
    for (int i = 0; i < 3; i++) {
      (void)plan_improve(p);
      assert_int_equal(cr_planner_shift(p, 2, NULL), CR_OK);
    }
    assert_true(allocation_count() == before);
    cr_planner_destroy(p);
  }
}

// controls that throw the pendulum out of all bounds
TEST(motions_that_diverge_cost_themselves) {
  const cr_real far[1] = {CR_R(1e12)}, back[1] = {CR_R(-1e12)};
  const cr_plan_options wild = {.method = CR_PLAN_SAMPLING,
                                .nstep = STEPS,
                                .samples = 20,
                                .noise = 1,
                                .lower = back,
                                .upper = far};
  model.actuator_ctrllimited[0] = 0;
  cr_planner* p = plan_make(&model, cost, &wild);
  cr_plan_result result = plan_improve(p);
  assert_int_equal(result.failed, 19);
  assert_int_equal(result.rollouts, 20);
  assert_true(isfinite(result.cost));
  // and if the plan does too, the sentence is its own
  cr_planner_knots(p, NULL)[0] = CR_R(1e12);
  cr_planner_restart(p);
  cr_error error = {0};
  assert_int_equal(cr_planner_improve(p, NULL, &error), CR_ERR_DIVERGED);
  assert_non_null(strstr(error.text, "nothing that was tried has a cost; the plan itself: step"));
  cr_planner_destroy(p);
  model.actuator_ctrllimited[0] = 1;
}

TEST(costs_that_are_no_numbers) {
  cr_cost* bad = NULL;
  const cr_cost_term term = {.size = sizeof term,
                             .name = "broken",
                             .kind = CR_RESIDUAL_EXPRESSION,
                             .text = "log(-1 - qvel[0] ^ 2)",
                             .weight = 1};
  assert_int_equal(cr_cost_create(&bad, &model, NULL), CR_OK);
  assert_int_equal(cr_cost_add(bad, &term, NULL), CR_OK);
  for (int k = 0; k < N_OPTION; k++) {
    cr_error error = {0};
    cr_planner* p = plan_make(&model, bad, &options[k]);
    assert_int_equal(cr_planner_improve(p, NULL, &error), CR_ERR_DIVERGED);
    assert_non_null(strstr(error.text, "broken"));
    cr_planner_destroy(p);
  }
  cr_cost_destroy(bad);
}

// from another start the plan's cost is another, and the plan stays until then
TEST(starts_and_shifts) {
  for (int k = 0; k < N_OPTION; k++) {
    cr_planner* p = plan_make(&model, cost, &options[k]);
    cr_data* d = test_data(&model);
    (void)plan_improve(p);
    cr_plan_result here = plan_improve(p);
    cr_real kept[STEPS];
    cr_copy(kept, cr_planner_ctrl(p), STEPS);
    d->qpos[0] = CR_R(-0.5);
    d->time = 1;
    assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
    assert_all_close(cr_planner_ctrl(p), kept, STEPS, 0);
    cr_plan_result there = plan_improve(p);
    assert_true(isnan(there.before) && there.improved && there.cost > here.cost);
    assert_int_equal(cr_planner_shift(p, STEPS + 5, NULL), CR_OK);
    for (int i = 1; i < STEPS; i++) {
      assert_close(cr_planner_ctrl(p)[i], cr_planner_ctrl(p)[0], CR_R(1e-12));
    }
    (void)plan_improve(p);
    cr_planner_destroy(p);
  }
}

static void refused(cr_plan_options o, const char* because) {
  cr_planner* p = NULL;
  cr_error error = {0};
  o.size = sizeof o;
  assert_int_equal(cr_planner_create(&p, &model, cost, &o, &error), CR_ERR_ARG);
  assert_null(p);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
}

TEST(mistakes_are_named) {
  const cr_real high[1] = {1}, low[1] = {-1}, nan[1] = {(cr_real)NAN};
  const cr_adaptive adaptive = {.size = sizeof adaptive, .rtol = CR_R(1e-3), .atol = CR_R(1e-6)};
  cr_adaptive linear = adaptive;
  linear.linear = true;
  refused((cr_plan_options){.nstep = 0}, "a horizon of 0 steps is none");
  refused((cr_plan_options){.nstep = 5, .backward_iterations = 2},
          "backward_iterations: only of gradient, with a backward model");
  refused((cr_plan_options){.nstep = 5, .lower = high, .upper = low},
          "limits of control 'ctrl[0]' are 1 and -1");
  refused((cr_plan_options){.nstep = 5, .lower = nan}, "limits of control");
  refused((cr_plan_options){.nstep = 5, .method = (cr_plan_method)9}, "no method 9");
  refused((cr_plan_options){.nstep = 5, .method = CR_PLAN_CEM, .samples = 4, .elite = 5},
          "best 5 of 4");
  refused((cr_plan_options){.nstep = 5, .rate = -1}, "rate is -1");
  refused((cr_plan_options){.nstep = 5, .noise = (cr_real)NAN}, "noise is nan");
  refused((cr_plan_options){.nstep = 5, .shape = CR_CONTROLS_LINEAR},
          "0 knots of controls 'linear'");
  refused(
      (cr_plan_options){
          .nstep = 5, .method = CR_PLAN_ILQR, .shape = CR_CONTROLS_LINEAR, .knots = 3},
      "ilqr has");
  refused((cr_plan_options){.nstep = 5, .method = CR_PLAN_ILQR, .adaptive = &adaptive},
          "ilqr needs steps of one");
  refused((cr_plan_options){.nstep = 5, .adaptive = &linear}, "held over a step");
  refused((cr_plan_options){.nstep = 5, .adaptive = &adaptive}, "tolerances need an integrator");
}

TEST(a_task_without_terms_or_controls) {
  cr_planner* p = NULL;
  cr_cost* empty = NULL;
  cr_error error = {0};
  const cr_plan_options o = {.size = sizeof o, .nstep = 5};
  assert_int_equal(cr_cost_create(&empty, &model, NULL), CR_OK);
  assert_int_equal(cr_planner_create(&p, &model, empty, &o, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "the cost has no terms"));
  cr_cost_destroy(empty);
  assert_int_equal(cr_planner_shift(NULL, 1, NULL), CR_ERR_ARG);
}
