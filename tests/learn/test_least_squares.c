// SPDX-License-Identifier: Apache-2.0
// Sums of squares whose minima are known (More, Garbow and Hillstrom, 1981), by the public function.
#include "base/status.h"
#include "support/close.h"

#include "learn/least_squares.h"

static cr_error error;

static cr_status rosenbrock(void* context, const cr_real* x, cr_real* r, cr_real* j,
                            cr_error* why) {
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
  if (j != NULL) {
    j[0] = -20 * x[0];
    j[1] = 10;
    j[2] = -1;
    j[3] = 0;
  }
  return CR_OK;
}

// the Jacobian is singular at the minimum, 0
static cr_status powell(void* context, const cr_real* x, cr_real* r, cr_real* j, cr_error* why) {
  const cr_real a = cr_sqrt(5), b = cr_sqrt(10), c = x[1] - 2 * x[2], d = x[0] - x[3];
  r[0] = x[0] + 10 * x[1];
  r[1] = a * (x[2] - x[3]);
  r[2] = c * c;
  r[3] = b * d * d;
  if (j != NULL) {
    const cr_real rows[16] = {1, 10,    0,      0, 0,         0, a, -a,
                              0, 2 * c, -4 * c, 0, 2 * b * d, 0, 0, -2 * b * d};
    cr_copy(j, rows, 16);
  }
  return CR_OK;
}

static cr_status beale(void* context, const cr_real* x, cr_real* r, cr_real* j, cr_error* why) {
  static const cr_real y[] = {CR_R(1.5), CR_R(2.25), CR_R(2.625)};
  cr_real power = 1, slope = 0;
  for (int i = 0; i < 3; i++) {
    slope = slope * x[1] + power;
    power *= x[1];
    r[i] = y[i] - x[0] * (1 - power);
    if (j != NULL) {
      j[2 * i] = power - 1;
      j[2 * i + 1] = x[0] * slope;
    }
  }
  return CR_OK;
}

// x[0] + x[1] is seen, their difference is not: three rows of the same sum
static cr_status sum(void* context, const cr_real* x, cr_real* r, cr_real* j, cr_error* why) {
  for (int i = 0; i < 3; i++) {
    r[i] = x[0] + x[1] - 3 - (cr_real)(i - 1);
    if (j != NULL) {
      j[2 * i] = j[2 * i + 1] = 1;
    }
  }
  return CR_OK;
}

// one residual of three numbers
static cr_status product(void* context, const cr_real* x, cr_real* r, cr_real* j, cr_error* why) {
  r[0] = x[0] * x[1] * x[2] - 8;
  if (j != NULL) {
    j[0] = x[1] * x[2];
    j[1] = x[0] * x[2];
    j[2] = x[0] * x[1];
  }
  return CR_OK;
}

static cr_least_squares_problem problem_of(cr_residual_function f, int n, int m) {
  return (cr_least_squares_problem){
      .size = sizeof(cr_least_squares_problem), .n = n, .m = m, .evaluate = f};
}

static const cr_least_squares_options usual = {.size = sizeof usual};
static const cr_least_squares_options newton = {.size = sizeof newton, .method = CR_GAUSS_NEWTON};

static void solve(const cr_least_squares_problem* p, const cr_least_squares_options* o, cr_real* x,
                  const char** reason) {
  if (cr_minimise_levenberg_marquardt(p, o, x, reason, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

TEST(squares_with_known_minima) {
  const cr_least_squares_options* const options[] = {&usual, &newton};
  for (int k = 0; k < 2; k++) {
    const char* reason = NULL;
    cr_least_squares_problem p = problem_of(rosenbrock, 2, 2);
    cr_real x[] = {CR_R(-1.2), 1}, y[] = {2, CR_R(0.2)};
    solve(&p, options[k], x, &reason);
    assert_close(x[0], 1, CR_R(1e-10));
    assert_close(x[1], 1, CR_R(1e-10));
    assert_string_equal(reason, "gradient below the tolerance");
    p = problem_of(beale, 2, 3);
    solve(&p, options[k], y, NULL);
    assert_close(y[0], 3, CR_R(1e-9));
    assert_close(y[1], CR_R(0.5), CR_R(1e-9));
  }
}

TEST(powells_singular_function) {
  cr_least_squares_problem p = problem_of(powell, 4, 4);
  cr_real x[] = {3, -1, 0, 1};
  solve(&p, &usual, x, NULL);
  for (int i = 0; i < 4; i++) {
    assert_close(x[i], 0, CR_R(1e-3));
  }
}

// in the valley with x[0] <= 1/2 the lowest is (1/2, 1/4)
TEST(squares_within_bounds) {
  const cr_real lower[] = {-2, -2}, upper[] = {CR_R(0.5), 2};
  const cr_least_squares_options* const options[] = {&usual, &newton};
  for (int k = 0; k < 2; k++) {
    cr_least_squares_problem p = problem_of(rosenbrock, 2, 2);
    cr_real x[] = {CR_R(-1.2), 1};
    p.lower = lower;
    p.upper = upper;
    solve(&p, options[k], x, NULL);
    assert_close(x[0], CR_R(0.5), 0);
    assert_close(x[1], CR_R(0.25), CR_R(1e-8));
  }
}

TEST(squares_that_do_not_tell_numbers_apart) {
  cr_least_squares_problem p = problem_of(sum, 2, 3);
  cr_real x[] = {1, CR_R(0.5)};
  solve(&p, &usual, x, NULL);
  assert_close(x[0] + x[1], 3, CR_R(1e-9));
  assert_close(x[0] - x[1], CR_R(0.5), CR_R(1e-9));  // as at the start
  assert_int_equal(cr_minimise_levenberg_marquardt(&p, &newton, x, NULL, &error), CR_ERR_SINGULAR);
  assert_non_null(strstr(error.text, "do not tell x[1]"));
  // fewer residuals than numbers
  p = problem_of(product, 3, 1);
  cr_real y[] = {1, 1, 2};
  solve(&p, &usual, y, NULL);
  assert_close(y[0] * y[1] * y[2], 8, CR_R(1e-9));
}

// the same residuals with x[1] in other units: the same steps, but for rounding
static cr_status scaled(void* context, const cr_real* x, cr_real* r, cr_real* j, cr_error* why) {
  const cr_real unit = 0x1p20, z[] = {x[0], x[1] * unit};
  ++*(int*)context;
  (void)rosenbrock(NULL, z, r, j, why);
  if (j != NULL) {
    j[1] *= unit;
    j[3] *= unit;
  }
  return CR_OK;
}

TEST(units_do_not_matter) {
  int calls[] = {0, 0};
  cr_least_squares_options o = usual;
  o.step_tolerance = -1;
  o.gradient_tolerance =
      CR_R(1e-3);  // of x[0] at this place and of x[1] both below it in either unit
  o.iterations = 8;
  cr_least_squares_problem p = problem_of(scaled, 2, 2);
  cr_real x[] = {CR_R(-1.2), 0x1p-20};
  p.context = &calls[0];
  solve(&p, &o, x, NULL);
  cr_least_squares_problem q = problem_of(rosenbrock, 2, 2);
  cr_real y[] = {CR_R(-1.2), 1};
  solve(&q, &o, y, NULL);
  assert_close(x[0], y[0], CR_R(1e-12));
  assert_close(x[1] * 0x1p20, y[1], CR_R(1e-12));
  assert_true(y[0] < CR_R(0.99));  // still on the way
}

static cr_status bad(void* context, const cr_real* x, cr_real* r, cr_real* j, cr_error* why) {
  const int* what = context;
  (void)rosenbrock(NULL, x, r, j, why);
  if (*what == 0) {
    r[1] = (cr_real)NAN;
  } else if (*what == 1 && j != NULL) {
    j[2] = (cr_real)INFINITY;
  } else if (*what == 2) {
    return cri_fail(why, CR_ERR_INTERRUPTED, "enough");
  }
  return CR_OK;
}

TEST(squares_refused) {
  int what = 0;
  const char* reason = "x";
  cr_real x[] = {CR_R(-1.2), 1};
  const cr_real lower[] = {-1, 0};
  cr_least_squares_problem p = problem_of(bad, 2, 2);
  p.context = &what;
  assert_int_equal(cr_minimise_levenberg_marquardt(&p, &usual, x, &reason, &error),
                   CR_ERR_NONFINITE);
  assert_string_equal(error.text, "residual 1 is not a number");
  assert_string_equal(reason, "");
  what = 1;
  assert_int_equal(cr_minimise_levenberg_marquardt(&p, &usual, x, NULL, &error), CR_ERR_NONFINITE);
  assert_string_equal(error.text, "the derivative of residual 1 by x[0] is not finite");
  what = 2;
  assert_int_equal(cr_minimise_levenberg_marquardt(&p, &usual, x, NULL, &error),
                   CR_ERR_INTERRUPTED);
  assert_string_equal(error.text, "enough");
  p.lower = lower;
  assert_int_equal(cr_minimise_levenberg_marquardt(&p, &usual, x, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "x[0] is not between its bounds"));
  p.m = 0;
  assert_int_equal(cr_minimise_levenberg_marquardt(&p, &usual, x, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "no residuals"));
  p.m = 2;
  cr_least_squares_options o = usual;
  o.method = 7;
  assert_int_equal(cr_minimise_levenberg_marquardt(&p, &o, x, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "no such method"));
}
