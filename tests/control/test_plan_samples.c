// SPDX-License-Identifier: Apache-2.0
// Samples around a plan: their spread, their limits, their order, and that each depends on its number alone.
#include "control/plan_samples.h"

#include "checks/plan_scene.h"
#include "support/close.h"

enum { STEPS = 10, SAMPLES = 2000 };

static cr_model m;
static cr_cost* cost;
static void setup(void) { plan_pendulum(&m, &cost); }
static void teardown(void) {
  cr_cost_destroy(cost);
  cri_model_free(&m);
}
AROUND_FILE(setup, teardown)

TEST(spread_is_as_asked_for) {
  const cr_plan_options o = {.method = CR_PLAN_SAMPLING,
                             .nstep = STEPS,
                             .samples = SAMPLES,
                             .noise = CR_R(0.1),
                             .wide_noise = CR_R(0.2)};
  cr_planner* p = plan_make(&m, cost, &o);
  cri_samples* s = p->memory;
  p->knots[3] = 2;
  cri_samples_restart(s, p);
  cri_samples_draw(s, p);
  assert_all_close(s->rows, p->knots, STEPS, 0);
  double sums[2] = {0};
  int n[2] = {0};
  for (int k = 1; k < SAMPLES; k++) {
    for (int j = 0; j < STEPS; j++) {
      cr_real e = s->rows[k * STEPS + j] - p->knots[j];
      sums[k % 5 == 0] += (double)(e * e);
      n[k % 5 == 0]++;
    }
  }
  // half the range is 17.5
  assert_close((cr_real)sqrt(sums[0] / n[0]), CR_R(1.75), CR_R(0.03));
  assert_close((cr_real)sqrt(sums[1] / n[1]), CR_R(3.5), CR_R(0.1));
  cr_planner_destroy(p);
}

TEST(limits_hold) {
  const cr_plan_options o = {.method = CR_PLAN_SAMPLING, .nstep = STEPS, .samples = 50, .noise = 5};
  cr_planner* p = plan_make(&m, cost, &o);
  cri_samples* s = p->memory;
  cri_samples_draw(s, p);
  int held = 0;
  for (int i = 0; i < 50 * STEPS; i++) {
    assert_true(s->rows[i] >= -20 && s->rows[i] <= 15);
    held += s->rows[i] == -20 || s->rows[i] == 15;
  }
  assert_true(held > 100);
  cr_planner_destroy(p);
}

TEST(a_sample_depends_on_its_number) {
  const cr_plan_options few = {.method = CR_PLAN_SAMPLING,
                               .nstep = STEPS,
                               .samples = 10,
                               .seed = 4},
                        many = {
                            .method = CR_PLAN_SAMPLING, .nstep = STEPS, .samples = 30, .seed = 4};
  cr_planner *p = plan_make(&m, cost, &few), *q = plan_make(&m, cost, &many);
  cri_samples *a = p->memory, *b = q->memory;
  cri_samples_draw(a, p);
  cri_samples_draw(b, q);
  assert_all_close(a->rows, b->rows, 10 * STEPS, 0);
  cr_real first = a->rows[STEPS];
  cri_samples_draw(a, p);
  assert_true(a->rows[STEPS] != first);
  cr_planner_destroy(p);
  cr_planner_destroy(q);
}

TEST(order_is_that_of_costs) {
  const cr_plan_options o = {.method = CR_PLAN_SAMPLING, .nstep = STEPS, .samples = 40};
  cr_planner* p = plan_make(&m, cost, &o);
  cri_samples* s = p->memory;
  cri_samples_draw(s, p);
  assert_int_equal(cri_samples_evaluate(s, p), CR_OK);
  for (int k = 1; k < 40; k++) {
    assert_true(s->costs[s->order[k - 1]] <= s->costs[s->order[k]]);
  }
  assert_int_equal(s->order[0], cri_plan_lowest(s->costs, 40));
  cr_planner_destroy(p);
}
