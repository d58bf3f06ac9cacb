// SPDX-License-Identifier: Apache-2.0
// A planner in a thread of its own beside a control loop: it follows the plant, the loop never waits, and what goes
// wrong in the thread is told.
#include "carom/live_plan.h"

#include <time.h>

#include "carom/step.h"
#include "checks/plan_scene.h"
#include "support/allocation.h"
#include "support/close.h"

enum { STEPS = 30 };

static cr_model model;
static cr_cost* cost;

static void setup(void) { plan_pendulum(&model, &cost); }
static void teardown(void) {
  cr_cost_destroy(cost);
  cri_model_free(&model);
}
AROUND_FILE(setup, teardown)

static const cr_plan_options options[] = {
    {.method = CR_PLAN_ILQR, .nstep = STEPS},
    {.method = CR_PLAN_SAMPLING,
     .nstep = STEPS,
     .samples = 64,
     .shape = CR_CONTROLS_CUBIC,
     .knots = 4,
     .nthread = 2},
    {.method = CR_PLAN_GRADIENT, .nstep = STEPS, .rate = 0.5},
};
enum { N_OPTION = (int)(sizeof options / sizeof options[0]) };

static cr_live_plan* begin(cr_planner* p, int first) {
  const cr_live_options o = {.size = sizeof o, .first = first};
  cr_live_plan* live = NULL;
  cr_error error = {0};
  if (cr_live_plan_create(&live, p, &o, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return live;
}

static cr_live_report report_of(const cr_live_plan* live) {
  cr_live_report report = {.size = sizeof report};
  assert_int_equal(cr_live_plan_get_report(live, &report, NULL), CR_OK);
  return report;
}

static void rest(void) {
  const struct timespec nap = {.tv_nsec = 1000000};
  (void)nanosleep(&nap, NULL);
}

// the control of a step once a plan from a state `late` steps before it or less is there; half a minute is for a stuck one
static void take(cr_live_plan* live, const cr_data* d, int step, int late, cr_real* ctrl) {
  assert_int_equal(cr_live_plan_observe(live, d, step, NULL), CR_OK);
  for (int tries = 0; tries < 30000; tries++) {
    assert_int_equal(cr_live_plan_control(live, step, d, ctrl, NULL), CR_OK);
    if (report_of(live).age <= late) {
      return;
    }
    rest();
  }
  fail_msg("no plan from step %d after half a minute", step - late);
}

// how far the pendulum is from where it shall be: the mean of 120 steps
static cr_real distance(cr_live_plan* live) {
  cr_data* d = test_data(&model);
  cr_real sum = 0;
  for (int step = 0; step < 120; step++) {
    d->ctrl[0] = 0;
    if (live != NULL) {
      take(live, d, step, 5, d->ctrl);
      assert_true(d->ctrl[0] >= -20 && d->ctrl[0] <= 15);
    }
    assert_int_equal(cr_step(&model, d), CR_OK);
    assert_int_equal(cr_advance(&model, d), CR_OK);
    sum += cr_abs(d->qpos[0] - CR_R(0.8)) + cr_abs(d->qpos[1] + CR_R(0.4));
  }
  return sum / 120;
}

TEST(a_plant_is_followed) {
  cr_real without = distance(NULL);
  for (int k = 0; k < N_OPTION; k++) {
    cr_planner* p = plan_make(&model, cost, &options[k]);
    cr_live_plan* live = begin(p, 3);
    cr_real with = distance(live);
    cr_live_report report = report_of(live);
    assert_true(report.plans > 10 && report.failed == 0 && report.stale == 0);
    // one iteration of sampling a plan may find nothing better
    assert_true(options[k].method == CR_PLAN_SAMPLING || with < CR_R(0.7) * without);
    cr_live_plan_destroy(live);
    (void)plan_improve(p);  // the planner is its owner's again
    cr_planner_destroy(p);
  }
}

// a loop that tells nothing gets the old plan to its end, then its last control
TEST(plans_grow_old) {
  cr_planner* p = plan_make(&model, cost, &options[0]);
  cr_data* d = test_data(&model);
  cr_live_plan* live = begin(p, 1);
  cr_real ctrl[1];
  for (int step = 0; step < STEPS + 3; step++) {
    assert_int_equal(cr_live_plan_control(live, step, d, ctrl, NULL), CR_OK);
    assert_int_equal(report_of(live).age, step);
  }
  assert_int_equal(report_of(live).oldest, STEPS + 2);
  assert_int_equal(report_of(live).stale, 3);
  cr_live_plan_destroy(live);
  cr_planner_destroy(p);
}

TEST(the_loop_allocates_nothing) {
  if (allocation_count() < 0) {
    skip();
  }
  cr_planner* p = plan_make(&model, cost, &options[0]);
  cr_data* d = test_data(&model);
  cr_live_plan* live = begin(p, 1);
  cr_real ctrl[1];
  take(live, d, 0, 0, ctrl);
  long before = allocation_count();
  for (int step = 1; step < 20; step++) {
    take(live, d, step, 5, ctrl);
  }
  assert_true(allocation_count() == before);
  cr_live_plan_destroy(live);
  cr_planner_destroy(p);
}

// the plant leaves the world: the thread says so and goes on when it is back
TEST(failures_are_told) {
  cr_planner* p = plan_make(&model, cost, &options[1]);
  cr_data* d = test_data(&model);
  cr_live_plan* live = begin(p, 1);
  cr_real ctrl[1];
  take(live, d, 0, 0, ctrl);
  d->qvel[0] = (cr_real)NAN;
  assert_int_equal(cr_live_plan_observe(live, d, 1, NULL), CR_OK);
  d->qvel[0] = 0;
  for (int tries = 0; tries < 30000 && report_of(live).failed == 0; tries++) {
    rest();
    assert_int_equal(cr_live_plan_control(live, 1, d, ctrl, NULL), CR_OK);
  }
  cr_live_report report = report_of(live);
  assert_true(report.failed > 0);
  assert_non_null(strstr(report.reason.text, "nothing that was tried has a cost"));
  take(live, d, 2, 0, ctrl);
  cr_live_plan_destroy(live);
  cr_planner_destroy(p);
}

TEST(mistakes_are_named) {
  cr_planner* p = plan_make(&model, cost, &options[0]);
  cr_data* d = test_data(&model);
  cr_live_plan* live = NULL;
  cr_error error = {0};
  cr_real ctrl[1];
  const cr_live_options negative = {.size = sizeof negative, .first = -1}, small = {.size = 3};
  assert_int_equal(cr_live_plan_create(&live, p, &negative, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "-1 and 0 iterations"));
  assert_int_equal(cr_live_plan_create(&live, p, &small, &error), CR_ERR_ARG);
  assert_int_equal(cr_live_plan_create(&live, NULL, &small, &error), CR_ERR_ARG);
  assert_int_equal(cr_live_plan_observe(NULL, d, 0, &error), CR_ERR_ARG);
  live = begin(p, 1);
  assert_int_equal(cr_live_plan_observe(live, d, 4, &error), CR_OK);
  assert_int_equal(cr_live_plan_observe(live, d, 3, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "the state of step 3 comes after that of 4"));
  take(live, d, 4, 0, ctrl);
  assert_int_equal(cr_live_plan_control(live, 3, d, ctrl, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "step 3 is before the plan, which begins at step 4"));
  assert_int_equal(cr_live_plan_control(live, 4, NULL, ctrl, &error), CR_ERR_ARG);
  assert_int_equal(cr_live_plan_get_report(live, NULL, &error), CR_ERR_ARG);
  cr_live_plan_destroy(live);
  cr_live_plan_destroy(NULL);
  cr_planner_destroy(p);
}
