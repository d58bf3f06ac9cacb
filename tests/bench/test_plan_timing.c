// SPDX-License-Identifier: Apache-2.0
// An iteration of a planner and its Jacobians: every round has its times, and a model that MuJoCo's differences refuse is refused.
#include "bench/plan_timing.h"

#include "bench/scene.h"
#include "carom/mujoco.h"
#include "support/close.h"
#include "tools/clock.h"

enum { STEPS = 12, ROUNDS = 3, ITERATIONS = 2 };

typedef struct {
  mjModel* mj;
  cr_model* m;
  cr_data* start;
  cr_cost* cost;
  cr_planner* planner;
} fixture;

static const char xml[] =
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom size='.1' pos='0 0 .5'/>"
    "<body pos='0 0 1'><joint name='b' axis='0 1 0'/><geom size='.1' pos='0 0 "
    ".5'/></body></body></worldbody>"
    "<actuator><motor joint='b' ctrlrange='-1 1'/></actuator></mujoco>";

static fixture make(void) {
  fixture f = {.mj = NULL};
  cr_error error = {.text = ""};
  char why[300] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, why, sizeof why);
  assert_non_null(spec);
  f.mj = mj_compile(spec, NULL);
  mj_deleteSpec(spec);
  assert_int_equal(cr_model_from_mujoco(&f.m, f.mj, NULL, &error), CR_OK);
  assert_int_equal(cr_data_create(&f.start, f.m, &error), CR_OK);
  assert_int_equal(cr_cost_create(&f.cost, f.m, &error), CR_OK);
  const cr_cost_term term = {.size = sizeof term,
                             .kind = CR_RESIDUAL_EXPRESSION,
                             .text = "1 - cos(qpos[a])",
                             .weight = 1,
                             .terminal = 1};
  assert_int_equal(cr_cost_add(f.cost, &term, &error), CR_OK);
  const cr_plan_options options = {
      .size = sizeof options, .method = CR_PLAN_ILQR, .nstep = STEPS, .nthread = 1};
  assert_int_equal(cr_planner_create(&f.planner, f.m, f.cost, &options, &error), CR_OK);
  return f;
}

static void let_go(fixture* f) {
  cr_planner_destroy(f->planner);
  cr_cost_destroy(f->cost);
  cr_data_destroy(f->start);
  cr_model_destroy(f->m);
  mj_deleteModel(f->mj);
}

TEST(every_round_has_its_times) {
  fixture f = make();
  cr_error error = {.text = ""};
  cr_plan_measurement x;
  const cr_plan_bench_case what = {f.planner, f.m, f.mj, f.start, STEPS};
  double from = cri_microseconds(), sum = 0;
  assert_int_equal(cr_plan_measure(&what, ITERATIONS, ROUNDS, &x, &error), CR_OK);
  double whole = cri_microseconds() - from;
  const cr_timing* all[] = {&x.iteration, &x.jacobians, &x.differences};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(all[i]->n, ROUNDS);
    for (int r = 0; r < ROUNDS; r++) {
      assert_true(all[i]->round[r] > STEPS * 50e-3);
      sum += all[i]->round[r] * (i == 0 ? ITERATIONS : 1);
    }
  }
  assert_true(sum <= whole);
  for (int r = 0; r < ROUNDS; r++) {
    double with = x.iteration.round[r] - x.jacobians.round[r] + x.differences.round[r];
    assert_true(x.instead.round[r] == with);
  }
  let_go(&f);
}

TEST(runge_kutta_is_refused) {
  fixture f = make();
  cr_error error = {.text = ""};
  cr_plan_measurement x;
  const cr_plan_bench_case what = {f.planner, f.m, f.mj, f.start, STEPS};
  f.mj->opt.integrator = mjINT_RK4;
  assert_int_equal(cr_plan_measure(&what, 1, 1, &x, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "Runge-Kutta"));
  let_go(&f);
}
