// SPDX-License-Identifier: Apache-2.0
// A planner that gets the memory of another, made alike, goes on to the same digits.
#include <stdlib.h>

#include "checks/plan_scene.h"
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
    {.method = CR_PLAN_GRADIENT, .nstep = STEPS, .descent = CR_DESCENT_LBFGS},
    {.method = CR_PLAN_ILQR, .nstep = STEPS},
    {.method = CR_PLAN_ILQR, .nstep = STEPS, .shape = CR_CONTROLS_ZERO, .knots = 6},
    {.method = CR_PLAN_SAMPLING, .nstep = STEPS, .samples = 24, .colour = CR_NOISE_BROWN},
    {.method = CR_PLAN_CEM, .nstep = STEPS, .samples = 24, .shape = CR_CONTROLS_CUBIC, .knots = 5},
    {.method = CR_PLAN_MPPI, .nstep = STEPS, .samples = 24},
    {.method = CR_PLAN_MIXED, .nstep = STEPS, .samples = 24, .elite = 4, .rate = 0.3},
};
enum { N_OPTION = (int)(sizeof options / sizeof options[0]) };

static void improve(cr_planner* p, int rounds) {
  for (int i = 0; i < rounds; i++) {
    (void)plan_improve(p);
  }
}

TEST(memory_goes_on_to_the_same_digits) {
  cr_error error = {0};
  for (int k = 0; k < N_OPTION; k++) {
    cr_planner *whole = plan_make(&model, cost, &options[k]),
               *first = plan_make(&model, cost, &options[k]),
               *second = plan_make(&model, cost, &options[k]);
    improve(whole, ROUNDS);
    improve(first, ROUNDS / 2);
    size_t n = cr_planner_memory_size(first);
    cr_real* memory = calloc(n, sizeof *memory);
    assert_non_null(memory);
    assert_int_equal(cr_planner_get_memory(first, memory, &error), CR_OK);
    assert_int_equal(cr_planner_set_memory(second, memory, n, &error), CR_OK);
    assert_all_close(cr_planner_ctrl(second), cr_planner_ctrl(first), STEPS, 0);
    improve(second, ROUNDS - ROUNDS / 2);
    assert_all_close(cr_planner_ctrl(second), cr_planner_ctrl(whole), STEPS, 0);
    free(memory);
    cr_planner_destroy(whole);
    cr_planner_destroy(first);
    cr_planner_destroy(second);
  }
}

TEST(the_memory_of_another_planner_is_refused) {
  cr_error error = {0};
  cr_real one[1] = {0};
  cr_planner* p = plan_make(&model, cost, &options[0]);
  assert_int_equal(cr_planner_set_memory(p, one, 1, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "a memory of 1 numbers is of another planner"));
  assert_int_equal(cr_planner_set_memory(NULL, one, 1, &error), CR_ERR_ARG);
  assert_int_equal(cr_planner_get_memory(p, NULL, &error), CR_ERR_ARG);
  assert_int_equal((int)cr_planner_memory_size(NULL), 0);
  cr_planner_destroy(p);
}

// the same numbers from another start: the plan would never be improved where its cost there is higher
TEST(the_memory_of_another_start_is_refused) {
  cr_error error = {0};
  cr_planner *p = plan_make(&model, cost, &options[0]),
             *other = plan_make(&model, cost, &options[0]);
  cr_data* d = test_data(&model);
  improve(p, 2);
  size_t n = cr_planner_memory_size(p);
  cr_real* memory = calloc(n, sizeof *memory);
  assert_non_null(memory);
  assert_int_equal(cr_planner_get_memory(p, memory, &error), CR_OK);
  d->qpos[0] = CR_R(-0.5);
  assert_int_equal(cr_planner_set_start(other, d, NULL), CR_OK);
  assert_int_equal(cr_planner_set_memory(other, memory, n, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "model, start or cost is another"));
  assert_true(isnan(plan_improve(other).before));
  free(memory);
  cr_planner_destroy(p);
  cr_planner_destroy(other);
}
