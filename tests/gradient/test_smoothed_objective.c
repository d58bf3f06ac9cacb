// SPDX-License-Identifier: Apache-2.0
// The mean of an objective under noise: a square and a box in closed form, the gradient of the sample mean against differences, a way
// out of the valleys of a landscape that chatters, and mistakes.
#include "carom/carom.h"
#include "support/close.h"

static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

// (x - 1)^2 + 2 y^2, and waves with valleys 0.1 apart whose slopes are far steeper
static cr_status waves(void* context, int batch, const cr_real* x, cr_real* value,
                       cr_real* gradient, cr_error* e) {
  const cr_real height = *(const cr_real*)context, k = 20 * CR_PI;
  *value = (x[0] - 1) * (x[0] - 1) + 2 * x[1] * x[1] - height * cr_cos(k * (x[0] - 1));
  gradient[0] = 2 * (x[0] - 1) + height * k * cr_sin(k * (x[0] - 1));
  gradient[1] = 4 * x[1];
  return CR_OK;
}

static const cr_real sigma[2] = {CR_R(0.2), CR_R(0.1)}, none = 0, high = CR_R(0.2);

static cr_minimise_problem problem_of(const cr_real* height) {
  return (cr_minimise_problem){.size = sizeof(cr_minimise_problem),
                               .n = 2,
                               .evaluate = waves,
                               .context = (void*)(uintptr_t)height};
}

static cr_smoothed_objective* make(const cr_minimise_problem* p, int kind, int samples) {
  cr_smoothed_objective* s = NULL;
  const cr_estimator_options o = {.size = sizeof o,
                                  .kind = (cr_estimator_kind)kind,
                                  .samples = samples,
                                  .sigma = sigma,
                                  .draws = CR_DRAWS_ANTITHETIC};
  ok(cr_smoothed_objective_create(&s, p, &o, &error));
  return s;
}

// E = L + s_x^2 + 2 s_y^2, and the gradient of L
TEST(a_square) {
  const cr_minimise_problem p = problem_of(&none);
  const cr_real x[2] = {CR_R(0.3), CR_R(0.5)};
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    cr_real value, g[2];
    cr_smoothed_objective* s = make(&p, kind, 20000);
    ok(cr_smoothed_objective_evaluate(s, CR_ALL_DATA, x, &value, g, &error));
    assert_close(value, CR_R(0.99) + CR_R(0.04) + CR_R(0.02), CR_R(0.002));
    cr_real tolerance = kind == CR_ESTIMATOR_FIRST ? CR_R(1e-10) : CR_R(0.05);
    assert_close(g[0], CR_R(-1.4), tolerance);
    assert_close(g[1], 2, tolerance);
    cr_smoothed_objective_destroy(s);
  }
}

// one set of samples: the mean is a function, and FIRST has its exact gradient
TEST(the_first_order_is_the_gradient_of_the_sample_mean) {
  const cr_minimise_problem p = problem_of(&high);
  cr_smoothed_objective* s = make(&p, CR_ESTIMATOR_FIRST, 8);
  const cr_real h = CR_R(1e-5);
  cr_real value[2], g[2], ignored[2];
  for (int k = 0; k < 2; k++) {
    cr_real x[2] = {CR_R(0.37), CR_R(-0.2)};
    ok(cr_smoothed_objective_evaluate(s, CR_ALL_DATA, x, &value[0], g, &error));
    x[k] += h;
    ok(cr_smoothed_objective_evaluate(s, CR_ALL_DATA, x, &value[1], ignored, &error));
    x[k] -= 2 * h;
    ok(cr_smoothed_objective_evaluate(s, CR_ALL_DATA, x, &value[0], ignored, &error));
    assert_close(g[k], (value[1] - value[0]) / (2 * h), CR_R(1e-6));
  }
  cr_smoothed_objective_destroy(s);
}

// samples beyond a bound lie on it: of a line over a half space, E = mean of max(x, 0), its slope the share inside
static cr_status line(void* context, int batch, const cr_real* x, cr_real* value, cr_real* gradient,
                      cr_error* e) {
  assert_true(x[0] >= 0);
  *value = x[0];
  gradient[0] = 1;
  return CR_OK;
}

TEST(bounds) {
  const cr_real lower[1] = {0}, x[1] = {0};
  const cr_minimise_problem p = {.size = sizeof p, .n = 1, .evaluate = line, .lower = lower};
  for (int kind = 0; kind <= CR_ESTIMATOR_ZEROTH; kind++) {
    cr_real value, g;
    cr_smoothed_objective* s = make(&p, kind, 20000);
    ok(cr_smoothed_objective_evaluate(s, CR_ALL_DATA, x, &value, &g, &error));
    assert_close(value, sigma[0] / cr_sqrt(2 * CR_PI), CR_R(0.002));
    assert_close(g, CR_R(0.5), CR_R(0.02));
    cr_smoothed_objective_destroy(s);
  }
}

// Adam sits in the nearest valley; under noise it comes to the deepest
TEST(a_way_out_of_valleys) {
  const cr_minimise_problem plain = problem_of(&high);
  const cr_adam_options adam = {
      .size = sizeof adam, .iterations = 400, .rate = CR_R(0.02), .final_rate = CR_R(0.001)};
  cr_real x[2] = {0, CR_R(0.5)};
  ok(cr_minimise_adam(&plain, &adam, x, NULL, &error));
  assert_true(x[0] < CR_R(0.3));
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    cr_smoothed_objective* s = make(&plain, kind, 64);
    cr_minimise_problem p = plain;
    p.evaluate = cr_smoothed_objective_evaluate;
    p.context = s;
    x[0] = 0;
    x[1] = CR_R(0.5);
    ok(cr_minimise_adam(&p, &adam, x, NULL, &error));
    assert_close(x[0], 1, CR_R(0.15));
    assert_close(x[1], 0, CR_R(0.1));
    cr_smoothed_objective_destroy(s);
  }
}

static cr_status failing(void* context, int batch, const cr_real* x, cr_real* value,
                         cr_real* gradient, cr_error* e) {
  *value = 0;
  return CR_ERR_DIVERGED;
}

TEST(mistakes_are_named) {
  cr_smoothed_objective* s = NULL;
  cr_minimise_problem p = problem_of(&none);
  cr_estimator_options o = {.size = sizeof o, .samples = 1, .sigma = sigma};
  assert_int_equal(cr_smoothed_objective_create(&s, &p, &o, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "1 samples"));
  o.samples = 4;
  p.n = 0;
  assert_int_equal(cr_smoothed_objective_create(&s, &p, &o, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "no numbers"));
  p.n = 2;
  p.evaluate = failing;
  ok(cr_smoothed_objective_create(&s, &p, &o, &error));
  cr_real x[2] = {0, 0}, value, g[2];
  assert_int_equal(cr_smoothed_objective_evaluate(s, CR_ALL_DATA, x, &value, g, &error),
                   CR_ERR_DIVERGED);
  assert_non_null(strstr(error.text, "sample 0"));
  cr_smoothed_objective_destroy(s);
}
