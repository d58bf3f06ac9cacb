// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include "learn/lbfgs_nlopt.h"

static const cr_lbfgs options = {.iterations = 300, .tolerance = 1e-12};
static const cr_real open_low[] = {-HUGE_VAL, -HUGE_VAL}, open_high[] = {HUGE_VAL, HUGE_VAL};

typedef struct {
  int calls, fail_at;
} valley;

// Rosenbrock's valley
static cr_status rosenbrock(void* context, int batch, const cr_real* x, cr_evaluation* e,
                            cr_error* error) {
  valley* v = context;
  if (v->calls++ == v->fail_at) {
    return cri_fail(error, CR_ERR_DIVERGED, "toss 3 diverged");
  }
  assert_int_equal(batch, CR_ALL_DATA);
  cr_real a = 1 - x[0], b = x[1] - x[0] * x[0];
  e->value = a * a + 100 * b * b;
  e->gradient[0] = -2 * a - 400 * x[0] * b;
  e->gradient[1] = 200 * b;
  return CR_OK;
}

TEST(lbfgs_finds_the_bottom_of_the_valley) {
  valley v = {.fail_at = -1};
  cr_objective o = {&v, 2, rosenbrock};
  cr_real x[] = {-1.2, 1};
  const char* reason = NULL;
  assert_int_equal(cri_lbfgs_minimise(&options, &o, open_low, open_high, x, &reason, NULL), CR_OK);
  assert_close(x[0], 1, 1e-6);
  assert_close(x[1], 1, 1e-6);
  assert_true(v.calls < 100);
  assert_non_null(reason);
}

TEST(lbfgs_keeps_bounds) {
  valley v = {.fail_at = -1};
  cr_objective o = {&v, 2, rosenbrock};
  const cr_real high[] = {0.5, HUGE_VAL};
  cr_real x[] = {-1.2, 1};
  const char* reason = NULL;
  assert_int_equal(cri_lbfgs_minimise(&options, &o, open_low, high, x, &reason, NULL), CR_OK);
  assert_close(x[0], 0.5, 0);
  assert_close(x[1], 0.25, 1e-6);
}

TEST(lbfgs_asks_no_more_than_it_may) {
  valley v = {.fail_at = -1};
  cr_objective o = {&v, 2, rosenbrock};
  const cr_lbfgs few = {.iterations = 5};
  cr_real x[] = {-1.2, 1};
  const char* reason = NULL;
  assert_int_equal(cri_lbfgs_minimise(&few, &o, open_low, open_high, x, &reason, NULL), CR_OK);
  assert_int_equal(v.calls, 5);
  assert_string_equal(reason, "all evaluations done");
}

TEST(lbfgs_passes_a_failure_on) {
  valley v = {.fail_at = 4};
  cr_objective o = {&v, 2, rosenbrock};
  cr_real x[] = {-1.2, 1};
  const char* reason = NULL;
  cr_error error = {0};
  assert_int_equal(cri_lbfgs_minimise(&options, &o, open_low, open_high, x, &reason, &error),
                   CR_ERR_DIVERGED);
  assert_string_equal(error.text, "toss 3 diverged");
  assert_int_equal(v.calls, 5);
}
