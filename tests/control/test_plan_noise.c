// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Plans by the gradient of the mean cost under noise: a push over a gap, which the plain gradient does not see; the same bits for any
// number of threads, nothing allocated, and the digits after a resume; the mean's gradient of a square; mistakes are named.
#include "carom/carom.h"
#include "support/allocation.h"
#include "support/close.h"
#include "support/scratch.h"

// a pusher, and a puck that waits 0.3 m ahead
static const char text_of_model[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>"
    "<body><joint name='pusher' type='slide' axis='1 0 0'/><geom type='sphere' size='.1' "
    "mass='1'/></body>"
    "<body pos='.5 0 0'><joint name='puck' type='slide' axis='1 0 0' damping='1'/>"
    "<geom type='sphere' size='.1' mass='1'/></body></worldbody><actuator><motor joint='pusher' "
    "ctrlrange='-5 5' ctrllimited='true'/></actuator></mujoco>";
enum { STEPS = 100, KNOTS = 4 };

static cr_model* m;
static cr_cost* cost;
static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void add(const char* name, const char* text, cr_real weight, cr_real terminal) {
  const cr_cost_term term = {.size = sizeof term,
                             .name = name,
                             .kind = CR_RESIDUAL_EXPRESSION,
                             .text = text,
                             .norm = CR_NORM_QUADRATIC,
                             .weight = weight,
                             .terminal = terminal};
  ok(cr_cost_add(cost, &term, &error));
}

static void setup(void) {
  ok(cr_model_open(&m, scratch_write("push.xml", text_of_model), &error));
  ok(cr_cost_create(&cost, m, &error));
  add("goal", "qpos[puck] - 0.4", 0, 10);
  add("effort", "ctrl[0]", CR_R(1e-3), 0);
}

static void teardown(void) {
  cr_cost_destroy(cost);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static const cr_real sigma[1] = {CR_R(1.5)};

static cr_plan_options options_of(cr_plan_method method, const cr_estimator_options* e) {
  return (cr_plan_options){.size = sizeof(cr_plan_options),
                           .method = method,
                           .nstep = STEPS,
                           .shape = CR_CONTROLS_LINEAR,
                           .knots = KNOTS,
                           .rate = CR_R(0.1),
                           .samples = 8,
                           .elite = 2,
                           .noise = CR_R(0.05),
                           .seed = 3,
                           .estimator = e};
}

static cr_planner* make(cr_plan_options o, int nthread) {
  cr_planner* p = NULL;
  o.nthread = nthread;
  ok(cr_planner_create(&p, m, cost, &o, &error));
  return p;
}

static cr_plan_result improve(cr_planner* p, int times) {
  cr_plan_result result = {.size = sizeof result};
  for (int i = 0; i < times; i++) {
    ok(cr_planner_improve(p, &result, &error));
  }
  return result;
}

static cr_estimator_options estimator(int kind, int draws) {
  return (cr_estimator_options){.size = sizeof(cr_estimator_options),
                                .kind = (cr_estimator_kind)kind,
                                .draws = (cr_draws)draws,
                                .samples = 32,
                                .sigma = sigma,
                                .bias = kind == CR_ESTIMATOR_ALPHA ? (cr_real)INFINITY : 0};
}

// ---- the push

// a plan of zeros touches nothing: its gradient is that of the effort, 0
TEST(the_plain_gradient_stays_where_nothing_touches) {
  cr_planner* p = make(options_of(CR_PLAN_GRADIENT, NULL), 1);
  cr_plan_result result = improve(p, 120);
  assert_close(result.cost, CR_R(0.8), CR_R(1e-12));
  assert_true(result.gradient == 0);
  cr_planner_destroy(p);
}

TEST(the_mean_under_noise_finds_the_push) {
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    const cr_estimator_options e = estimator(kind, CR_DRAWS_ANTITHETIC);
    cr_planner* p = make(options_of(CR_PLAN_GRADIENT, &e), 2);
    cr_plan_result result = improve(p, 120);
    assert_true(result.cost < CR_R(0.05));
    assert_int_equal(result.rollouts, 33);
    cr_planner_destroy(p);
  }
}

// ---- what holds for every planner

static void digits(const cr_plan_options* o, int nthread, cr_real* ctrl) {
  int n;
  cr_planner* p = make(*o, nthread);
  cr_real* knots = cr_planner_knots(p, &n);
  for (int i = 0; i < n; i++) {
    knots[i] = 1;  // pushes too softly, so that plans become better at once
  }
  cr_planner_restart(p);
  (void)improve(p, 2);
  cr_copy(ctrl, cr_planner_ctrl(p), STEPS);
  cr_planner_destroy(p);
}

TEST(digits_depend_on_the_seed_alone) {
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    for (int method = 0; method < 2; method++) {
      const cr_estimator_options e = estimator(kind, CR_DRAWS_QUASI);
      cr_plan_options o = options_of(method == 0 ? CR_PLAN_GRADIENT : CR_PLAN_MIXED, &e);
      cr_real one[STEPS], other[STEPS];
      digits(&o, 1, one);
      for (int nthread = 2; nthread < 4; nthread++) {
        digits(&o, nthread, other);
        assert_all_close(other, one, STEPS, 0);
      }
      o.seed = 4;
      digits(&o, 1, other);
      assert_true(other[STEPS / 2] != one[STEPS / 2]);
    }
  }
}

TEST(nothing_allocates) {
  if (allocation_count() < 0) {
    skip();
  }
  for (int draws = 0; draws <= CR_DRAWS_QUASI; draws++) {
    const cr_estimator_options e = estimator(CR_ESTIMATOR_ALPHA, draws);
    cr_planner* p = make(options_of(CR_PLAN_GRADIENT, &e), 2);
    (void)improve(p, 1);
    long before = allocation_count();
    (void)improve(p, 3);
    assert_true(allocation_count() == before);
    cr_planner_destroy(p);
  }
}

TEST(a_planner_goes_on_from_its_memory) {
  const cr_estimator_options e = estimator(CR_ESTIMATOR_ZEROTH, CR_DRAWS_RANDOM);
  cr_planner *p = make(options_of(CR_PLAN_GRADIENT, &e), 2),
             *q = make(options_of(CR_PLAN_GRADIENT, &e), 1);
  (void)improve(p, 5);
  size_t n = cr_planner_memory_size(p);
  cr_real* memory = test_calloc(n, sizeof *memory);
  ok(cr_planner_get_memory(p, memory, &error));
  ok(cr_planner_set_memory(q, memory, n, &error));
  test_free(memory);
  assert_true(improve(p, 5).cost == improve(q, 5).cost);
  cr_planner_destroy(p);
  cr_planner_destroy(q);
}

// ---- the mean's gradient in closed form

// E of (u + w - 1)^2 / 2 has the gradient of (u - 1)^2 / 2
TEST(the_mean_of_a_square_has_its_gradient) {
  cr_cost* square = NULL;
  const cr_cost_term term = {.size = sizeof term,
                             .name = "effort",
                             .kind = CR_RESIDUAL_EXPRESSION,
                             .text = "ctrl[0] - 1",
                             .norm = CR_NORM_QUADRATIC,
                             .weight = 1};
  ok(cr_cost_create(&square, m, &error));
  ok(cr_cost_add(square, &term, &error));
  cr_real length[2];
  for (int i = 0; i < 2; i++) {
    cr_estimator_options e = estimator(CR_ESTIMATOR_FIRST, CR_DRAWS_ANTITHETIC);
    cr_plan_options o = options_of(CR_PLAN_GRADIENT, i == 0 ? NULL : &e);
    cr_planner* p = NULL;
    ok(cr_planner_create(&p, m, square, &o, &error));
    length[i] = improve(p, 1).gradient;
    cr_planner_destroy(p);
  }
  cr_cost_destroy(square);
  assert_true(length[0] > 0);
  assert_close(length[1], length[0], CR_R(1e-10));  // pairs cancel what is odd
}

// ---- mistakes

static void refused(cr_plan_options o, const char* because) {
  cr_planner* p = NULL;
  assert_int_equal(cr_planner_create(&p, m, cost, &o, &error), CR_ERR_ARG);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
}

TEST(mistakes_are_named) {
  cr_estimator_options e = estimator(CR_ESTIMATOR_ZEROTH, CR_DRAWS_RANDOM);
  refused(options_of(CR_PLAN_CEM, &e), "an estimator needs method gradient");
  cr_plan_options o = options_of(CR_PLAN_GRADIENT, &e);
  o.descent = CR_DESCENT_LBFGS;
  refused(o, "descent adam");
  e.samples = 1;
  refused(options_of(CR_PLAN_GRADIENT, &e), "1 samples");
  e = estimator(CR_ESTIMATOR_ZEROTH, CR_DRAWS_RANDOM);
  e.covariance = sigma;
  refused(options_of(CR_PLAN_GRADIENT, &e), "no covariance");
  e = estimator(CR_ESTIMATOR_ZEROTH, CR_DRAWS_RANDOM);
  e.sigma = NULL;
  refused(options_of(CR_PLAN_GRADIENT, &e), "sigma");
  const cr_real none[1] = {0};
  e.sigma = none;
  refused(options_of(CR_PLAN_GRADIENT, &e), "the standard deviation of number 0 is 0");
  e.size = 0;
  refused(options_of(CR_PLAN_GRADIENT, &e), "cr_estimator_options");
}
