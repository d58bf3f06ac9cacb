// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"
#include "support/landscapes.h"

#include "search/worker.h"

enum { N = 3 };

static cr_error error;

typedef struct {
  landscape land;
  cr_global_problem problem;
  cr_global_options options;
  cr_global_worker worker;
  cr_real room[2000];
} bench;

static void set(bench* b, bool squares, cr_local_method local) {
  b->land = landscape_of(N, true);
  b->problem = landscape_problem(&b->land, squares);
  b->options = (cr_global_options){.size = sizeof b->options,
                                   .local = local,
                                   .local_iterations = 50,
                                   .local_tolerance = CR_R(1e-10)};
  b->worker =
      (cr_global_worker){.problem = &b->problem, .options = &b->options, .context = &b->land};
  assert_true(cri_worker_room(&b->problem) <= 2000);
  cri_worker_bind(&b->worker, b->room);
}

TEST(worker_values_of_squares_and_functions_agree) {
  const cr_real x[N] = {CR_R(0.3), 2, CR_R(-1.5)};
  bench b, c;
  cr_real v, w;
  set(&b, true, CR_LOCAL_NONE);
  set(&c, false, CR_LOCAL_NONE);
  assert_int_equal(cri_worker_value(&b.worker, x, &v, &error), CR_OK);
  assert_int_equal(cri_worker_value(&c.worker, x, &w, &error), CR_OK);
  assert_close(v, w, 20 * CR_EPS);
  assert_true(v > CR_R(0.1));
  c.problem.value = NULL;  // then the function with the gradient is asked
  assert_int_equal(cri_worker_value(&c.worker, x, &v, &error), CR_OK);
  assert_close(v, w, 0);
  assert_int_equal(c.worker.evaluations, 2);
}

TEST(worker_goes_down) {
  bench b;
  cr_real x[N] = {CR_R(1.4), CR_R(0.7), CR_R(1.2)}, value, again;
  set(&b, true, CR_LOCAL_LEVENBERG_MARQUARDT);
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_OK);
  for (int i = 0; i < N; i++) {
    assert_close(x[i], 1, CR_R(1e-7));
  }
  assert_int_equal(cri_worker_value(&b.worker, x, &again, &error), CR_OK);
  assert_close(value, again, 0);
  assert_int_equal(b.worker.evaluations, b.land.calls);
  // without a local method it is the value, and x stays
  cr_real y[N] = {CR_R(1.4), CR_R(0.7), CR_R(1.2)};
  b.options.local = CR_LOCAL_NONE;
  assert_int_equal(cri_worker_descend(&b.worker, y, &value, &error), CR_OK);
  assert_close(y[0], CR_R(1.4), 0);
  assert_true(value > CR_R(0.01));
}

TEST(worker_and_places_that_are_none) {
  bench b;
  cr_real x[N] = {CR_R(1.4), CR_R(0.7), CR_R(1.2)}, value;
  set(&b, true, CR_LOCAL_LEVENBERG_MARQUARDT);
  b.land.none_above = CR_R(1.3);
  b.land.instead = (cr_real)INFINITY;
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_OK);
  assert_true(isinf(value));
  assert_close(x[0], CR_R(1.4), 0);
  b.land.instead = (cr_real)NAN;
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_ERR_NONFINITE);
  assert_string_equal(error.text, "residual 0 is not a number");
  set(&b, false, CR_LOCAL_NONE);
  b.land.none_above = CR_R(1.3);
  b.land.instead = (cr_real)NAN;
  assert_int_equal(cri_worker_value(&b.worker, x, &value, &error), CR_ERR_NONFINITE);
  assert_string_equal(error.text, "the value is not a number");
}

static bool enough(void* context) { return --*(int*)context < 0; }

TEST(worker_stops_and_passes_failures_on) {
  bench b;
  int left = 3;
  cr_real x[N] = {CR_R(1.4), CR_R(0.7), CR_R(1.2)}, value;
  set(&b, true, CR_LOCAL_LEVENBERG_MARQUARDT);
  b.options.stop = enough;
  b.options.context = &left;
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_ERR_INTERRUPTED);
  assert_int_equal(b.worker.evaluations, b.land.calls);
  b.options.stop = NULL;
  b.land.fail_at = b.land.calls + 2;
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_ERR_DIVERGED);
  assert_string_equal(error.text, "this run diverged");
}

// ---- a way down of the caller's

typedef struct {
  cr_real value, to;
  int calls, iterations;
} slope;

static cr_status slide(void* context, int iterations, cr_real* x, cr_real* value, cr_error* why) {
  slope* s = context;
  s->calls++;
  s->iterations = iterations;
  if (iterations > 0) {
    x[0] = s->to;
  }
  *value = s->value;
  return CR_OK;
}

static void set_own(bench* b, slope* s) {
  static const cr_real lower[N] = {-5, -5, -5}, upper[N] = {6, 6, 6};
  set(b, false, CR_LOCAL_OWN);
  b->problem = (cr_global_problem){.size = sizeof b->problem,
                                   .n = N,
                                   .lower = lower,
                                   .upper = upper,
                                   .context = s,
                                   .descend = slide};
  b->worker.context = s;
}

TEST(worker_goes_down_its_own_way) {
  bench b;
  slope s = {.value = CR_R(-2.5), .to = 3};
  cr_real x[N] = {CR_R(1.4), CR_R(0.7), CR_R(1.2)}, value;
  set_own(&b, &s);
  assert_int_equal(cri_worker_value(&b.worker, x, &value, &error), CR_OK);
  assert_true(value == CR_R(-2.5) && x[0] == CR_R(1.4) && s.iterations == 0);
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_OK);
  assert_true(value == CR_R(-2.5) && x[0] == 3 && s.iterations == 50);
  assert_true(b.worker.evaluations == 2 && s.calls == 2);
  s = (slope){.value = (cr_real)INFINITY, .to = 100};
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_OK);
  assert_true(isinf(value) && x[0] == 3);
  s = (slope){.value = (cr_real)NAN, .to = 3};
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_ERR_NONFINITE);
  s = (slope){.value = 1, .to = CR_R(6.5)};
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_ERR_ARG);
  assert_string_equal(error.text, "a way down left the bounds: x[0] = 6.5 is not between -5 and 6");
  int left = 0;
  b.options.stop = enough;
  b.options.context = &left;
  assert_int_equal(cri_worker_descend(&b.worker, x, &value, &error), CR_ERR_INTERRUPTED);
}
