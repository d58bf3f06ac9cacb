// SPDX-License-Identifier: Apache-2.0
// Planning by gradients: both methods come to the minimum of a linear problem; a long gradient is shortened; the best iterate stays.
#include <stdlib.h>

#include "checks/plan_scene.h"
#include "control/planner.h"
#include "support/close.h"

enum { STEPS = 20 };

static cr_model m;
static cr_cost* cost;
static void setup(void) { plan_slide(&m, &cost); }
static void teardown(void) {
  cr_cost_destroy(cost);
  cri_model_free(&m);
}
AROUND_FILE(setup, teardown)

static cr_planner* make(const cr_plan_options* o) {
  cr_planner* p = plan_make(&m, cost, o);
  cr_data* d = test_data(&m);
  d->qpos[0] = CR_R(0.1);
  assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
  return p;
}

static cr_real lowest(void) {
  cr_planner* p = make(
      &(cr_plan_options){.method = CR_PLAN_ILQR, .nstep = STEPS, .regularisation = CR_R(1e-12)});
  cr_real value = plan_improve(p).cost;
  cr_planner_destroy(p);
  return value;
}

TEST(lbfgs_comes_to_the_minimum) {
  cr_planner* p = make(&(cr_plan_options){.nstep = STEPS, .descent = CR_DESCENT_LBFGS, .rate = 1});
  cr_real best = lowest(), first = plan_improve(p).cost, last = first;
  for (int i = 0; i < 150; i++) {
    last = plan_improve(p).cost;
  }
  assert_true(first - best > CR_R(1e-3));
  assert_close(last, best, CR_R(1e-9) * (1 + best));
  cr_planner_destroy(p);
}

TEST(adam_comes_near_it) {
  cr_planner* p = make(&(cr_plan_options){.nstep = STEPS, .rate = CR_R(0.3)});
  cr_real best = lowest(), first = plan_improve(p).cost, last = first;
  for (int i = 0; i < 300; i++) {
    last = plan_improve(p).cost;
  }
  assert_true(last - best < CR_R(0.02) * (first - best));
  cr_planner_destroy(p);
}

// Adam's rule does not see the length of gradients; a limit of their length is seen in L-BFGS's curvature and told as it was
TEST(lengths_are_told_before_they_are_cut) {
  cr_planner* p = make(&(cr_plan_options){.nstep = STEPS, .rate = CR_R(0.3)});
  cr_planner* q = make(&(cr_plan_options){.nstep = STEPS, .rate = CR_R(0.3), .clip = CR_R(1e-3)});
  cr_real length = plan_improve(p).gradient;
  assert_true(length > CR_R(0.01) && plan_improve(q).gradient == length);
  cr_planner_destroy(p);
  cr_planner_destroy(q);
}

// steps that are too long do not lose what was found
TEST(the_best_iterate_stays) {
  cr_planner* p = make(&(cr_plan_options){.nstep = STEPS, .rate = 40});
  cr_real best = plan_improve(p).cost;
  int worse = 0;
  for (int i = 0; i < 20; i++) {
    cr_plan_result r = plan_improve(p);
    worse += !r.improved;
    assert_true(r.cost <= best);
    best = r.cost;
  }
  assert_true(worse > 3);
  cr_planner_destroy(p);
}

// with a gradient that points the wrong way for some iterations: nothing improves, then the model's own comes to the minimum; what is
// kept of the planner goes on as it would have
TEST(another_model_has_the_first_gradients) {
  enum { WRONG = 4 };
  cr_model turned;
  cr_cost* unused;
  plan_slide(&turned, &unused);
  for (int i = 0; i < 6 * turned.nu; i++) {
    turned.actuator_gear[i] *= -1;
  }
  const cr_plan_options o = {
      .nstep = STEPS, .rate = CR_R(0.3), .backward = &turned, .backward_iterations = WRONG};
  cr_planner* p = make(&o);
  cr_planner* q = make(&o);
  cr_real best = lowest(), first = plan_improve(p).cost, last = first;
  for (int i = 1; i < WRONG; i++) {
    assert_false(plan_improve(p).improved);
  }
  size_t n = cr_planner_memory_size(p);
  cr_real* memory = calloc(n, sizeof *memory);
  assert_non_null(memory);
  for (int i = 0; i < 300; i++) {
    last = plan_improve(p).cost;
    if (i == 1) {
      assert_int_equal(cr_planner_get_memory(p, memory, NULL), CR_OK);
      assert_int_equal(cr_planner_set_memory(q, memory, n, NULL), CR_OK);
    }
    assert_true(i < 2 || plan_improve(q).cost == last);
  }
  assert_true(last - best < CR_R(0.02) * (first - best));
  cr_planner_shift(p, 1, NULL);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_planner_set_start(p, d, NULL), CR_OK);
  (void)plan_improve(p);
  assert_ptr_equal(p->backward, &turned);  // the next plan begins anew
  cr_planner_destroy(p);
  cr_planner_destroy(q);
  free(memory);
  cr_cost_destroy(unused);
  cri_model_free(&turned);
}
