// SPDX-License-Identifier: Apache-2.0
// iLQR: a linear problem is solved by one iteration; its feedback is that of the gains; a pendulum within limits
// ends where no change of a control helps; contacts from distance go through its Jacobians.
#include "carom/step.h"
#include "checks/plan_scene.h"
#include "control/planner.h"
#include "kinematics/state_minus.h"
#include "support/close.h"

enum { STEPS = 40 };

// gradient of the cost by the knots, where no limit holds them
static cr_real slope_left(cr_planner* p) {
  cr_real gradient[STEPS], cost, largest = 0;
  const cr_real* knots = cr_planner_knots(p, NULL);
  assert_int_equal(cri_plan_gradient(p, 0, knots, &cost, gradient), CR_OK);
  for (int i = 0; i < p->n; i++) {
    bool held = (knots[i] <= p->controls.lower[0] && gradient[i] > 0) ||
                (knots[i] >= p->controls.upper[0] && gradient[i] < 0);
    largest = cr_max(largest, held ? 0 : cr_abs(gradient[i]));
  }
  return largest;
}

TEST(a_linear_problem_takes_one_iteration) {
  cr_model m;
  cr_cost* cost;
  plan_slide(&m, &cost);
  const cr_plan_options o[] = {
      {.method = CR_PLAN_ILQR, .nstep = STEPS, .regularisation = CR_R(1e-12)},
      {.method = CR_PLAN_ILQR,
       .nstep = STEPS,
       .shape = CR_CONTROLS_ZERO,
       .knots = 7,
       .regularisation = CR_R(1e-12)}};
  for (int k = 0; k < 2; k++) {
    cr_planner* p = plan_make(&m, cost, &o[k]);
    cr_data* d = test_data(&m);
    d->qpos[0] = CR_R(0.4);
    d->qvel[0] = 1;
    assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
    assert_true(slope_left(p) > CR_R(0.01));
    (void)plan_improve(p);
    assert_close(slope_left(p), 0, CR_R(1e-9));
    cr_planner_destroy(p);
  }
  cr_cost_destroy(cost);
  cri_model_free(&m);
}

TEST(limits_hold_and_nothing_else_helps) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  m.actuator_ctrlrange[1] = 6;
  const cr_plan_options o = {.method = CR_PLAN_ILQR, .nstep = STEPS};
  cr_planner* p = plan_make(&m, cost, &o);
  for (int i = 0; i < 60; i++) {
    (void)plan_improve(p);
  }
  int held = 0;
  for (int k = 0; k < STEPS; k++) {
    held += cr_planner_ctrl(p)[k] == -20 || cr_planner_ctrl(p)[k] == 6;
  }
  assert_true(held > 2 && held < STEPS);
  assert_close(slope_left(p), 0, CR_R(1e-6));
  cr_planner_destroy(p);
  cr_cost_destroy(cost);
  cri_model_free(&m);
}

TEST(feedback_is_that_of_the_gains) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  m.actuator_ctrllimited[0] = 0;
  const cr_plan_options o = {.method = CR_PLAN_ILQR, .nstep = STEPS};
  cr_planner* p = plan_make(&m, cost, &o);
  assert_null(cr_planner_gain(p, 0));
  for (int i = 0; i < 5; i++) {
    (void)plan_improve(p);
  }
  cr_data* d = test_data(&m);
  const int nx = cri_state_tangent_size(&m);
  cr_real plain, with, expected;
  assert_int_equal(cr_planner_control(p, 0, NULL, &plain, NULL), CR_OK);
  assert_true(plain == cr_planner_ctrl(p)[0]);
  assert_int_equal(cr_planner_control(p, 0, d, &with, NULL), CR_OK);
  assert_true(with == plain);  // at the plan's own state
  d->qpos[0] += CR_R(1e-3);
  d->qvel[1] -= CR_R(2e-3);
  const cr_real* K = cr_planner_gain(p, 0);
  expected = plain + K[0] * CR_R(1e-3) - K[m.nv + 1] * CR_R(2e-3);
  assert_int_equal(cr_planner_control(p, 0, d, &with, NULL), CR_OK);
  assert_close(with, expected, CR_R(1e-12));
  assert_true(with != plain && nx == 2 * m.nv + m.na);
  assert_null(cr_planner_gain(p, STEPS));
  assert_int_equal(cr_planner_control(p, STEPS, d, &with, NULL), CR_ERR_ARG);
  cr_planner_destroy(p);
  cr_cost_destroy(cost);
  cri_model_free(&m);
}

// feedback holds a plan that was disturbed nearer to it than the controls alone
TEST(feedback_helps_from_another_start) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  const cr_plan_options o = {.method = CR_PLAN_ILQR, .nstep = STEPS};
  cr_planner* p = plan_make(&m, cost, &o);
  for (int i = 0; i < 20; i++) {
    (void)plan_improve(p);
  }
  cr_data* d = test_data(&m);
  d->qpos[1] = CR_R(0.2);
  assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
  cr_real open;
  assert_int_equal(cri_plan_cost(p, 0, cr_planner_knots(p, NULL), &open), CR_OK);
  assert_true(plan_improve(p).cost < open);
  cr_planner_destroy(p);
  cr_cost_destroy(cost);
  cri_model_free(&m);
}

TEST(many_iterations_at_an_optimum_do_not_stop_the_next_start) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  const cr_plan_options o = {.method = CR_PLAN_ILQR, .nstep = STEPS};
  cr_planner* p = plan_make(&m, cost, &o);
  for (int i = 0; i < 200; i++) {
    (void)plan_improve(p);
  }
  assert_true(p->regularisation > 1e6);
  cr_data* d = test_data(&m);
  d->qpos[0] += CR_R(0.5);
  assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
  assert_true(slope_left(p) > CR_R(1e-3));
  for (int i = 0; i < 40; i++) {
    (void)plan_improve(p);
  }
  assert_close(slope_left(p), 0, CR_R(1e-6));
  cr_planner_destroy(p);
  cr_cost_destroy(cost);
  cri_model_free(&m);
}

// a fifth of the horizon a time, one iteration each: controls that end a plan well are no good ones to hold
TEST(a_shifted_plan_stays_good) {
  cr_model m;
  cr_cost* cost;
  plan_pendulum(&m, &cost);
  const cr_plan_options o = {.method = CR_PLAN_ILQR, .nstep = 30};
  cr_planner* p = plan_make(&m, cost, &o);
  cr_data* d = test_data(&m);
  for (int i = 0; i < 3; i++) {
    (void)plan_improve(p);
  }
  for (int round = 0; round < 12; round++) {
    for (int k = 0; k < 6; k++) {
      d->ctrl[0] = cr_planner_ctrl(p)[k];
      assert_int_equal(cr_step(&m, d), CR_OK);
      assert_int_equal(cr_advance(&m, d), CR_OK);
    }
    assert_int_equal(cr_planner_shift(p, 6, NULL), CR_OK);
    assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
    assert_true(plan_improve(p).cost < CR_R(0.15));
  }
  cr_planner_destroy(p);
  cr_cost_destroy(cost);
  cri_model_free(&m);
}
