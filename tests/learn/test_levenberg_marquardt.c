// SPDX-License-Identifier: Apache-2.0
// The loop on sums of squares whose Jacobian is diagonal, kept as n numbers: what a block structure would do.
#include "support/close.h"

#include "learn/levenberg_marquardt.h"

enum { N = 3 };

typedef struct {
  int values, linearised, fail_at;
  cr_real bad;  // x[0] from here on has the value `there`
  cr_real there;
  bool dead;  // x[2] has no influence
  cr_real slope[N], residual[N];
} squares;

// r_i = exp(x_i) - c_i
static const cr_real aim[N] = {CR_R(0.5), 1, 20};

static cr_status value(void* context, const cr_real* x, cr_real* v, cr_error* error) {
  squares* s = context;
  if (s->values++ == s->fail_at) {
    return cri_fail(error, CR_ERR_DIVERGED, "run 4 diverged");
  }
  *v = x[0] > s->bad ? s->there : 0;
  for (int i = 0; i < N; i++) {
    cr_real r = s->dead && i == 2 ? 1 : cr_exp(x[i]) - aim[i];
    *v += r * r / 2;
  }
  return CR_OK;
}

static cr_status linearise(void* context, const cr_real* x, cr_real* gradient, cr_real* diagonal,
                           cr_error* error) {
  squares* s = context;
  s->linearised++;
  for (int i = 0; i < N; i++) {
    bool dead = s->dead && i == 2;
    s->slope[i] = dead ? 0 : cr_exp(x[i]);
    s->residual[i] = dead ? 1 : cr_exp(x[i]) - aim[i];
    gradient[i] = s->slope[i] * s->residual[i];
    diagonal[i] = s->slope[i] * s->slope[i];
  }
  return CR_OK;
}

static cr_status solve(void* context, cr_real damping, const cr_real* scale, const bool* fixed,
                       cr_real* step, cr_error* error) {
  const squares* s = context;
  for (int i = 0; i < N; i++) {
    cr_real d = s->slope[i] * s->slope[i] + damping * scale[i];
    if (d == 0) {
      return cri_fail(error, CR_ERR_SINGULAR, "x[%d]", i);
    }
    step[i] = fixed[i] ? 0 : -s->slope[i] * s->residual[i] / d;
  }
  return CR_OK;
}

static cr_status curvature(void* context, const cr_real* step, cr_real* square, cr_error* error) {
  const squares* s = context;
  *square = 0;
  for (int i = 0; i < N; i++) {
    *square += s->slope[i] * step[i] * s->slope[i] * step[i];
  }
  return CR_OK;
}

static const cr_damping usual = {.iterations = 100,
                                 .damping = CR_R(1e-3),
                                 .step_tolerance = CR_R(1e-13),
                                 .gradient_tolerance = CR_R(1e-12),
                                 .value_tolerance = 0};
static cr_error error;

static cr_status run(const cr_damping* damping, squares* s, const cr_real* low, const cr_real* high,
                     cr_real* x, cr_damped_end* end) {
  static const cr_real open[] = {-(cr_real)INFINITY, -(cr_real)INFINITY, -(cr_real)INFINITY,
                                 (cr_real)INFINITY,  (cr_real)INFINITY,  (cr_real)INFINITY};
  const cr_damped damped = {.context = s,
                            .n = N,
                            .value = value,
                            .linearise = linearise,
                            .solve = solve,
                            .curvature = curvature};
  cr_real room[6 * N];
  assert_int_equal(cri_damped_room(N), 6 * N);
  return cri_damped_minimise(damping, &damped, low != NULL ? low : open,
                             high != NULL ? high : open + N, x, room, end, &error);
}

static squares plain(void) { return (squares){.fail_at = -1, .bad = (cr_real)INFINITY}; }

TEST(lm_finds_the_bottom) {
  squares s = plain();
  cr_real x[N] = {1, -1, 0};
  cr_damped_end end;
  assert_int_equal(run(&usual, &s, NULL, NULL, x, &end), CR_OK);
  for (int i = 0; i < N; i++) {
    assert_close(x[i], cr_log(aim[i]), CR_R(1e-12));
  }
  assert_string_equal(end.reason, "gradient below the tolerance");
  assert_true(end.tried < 30 && end.taken <= end.tried);
  assert_int_equal(s.values, 1 + end.tried);
  assert_int_equal(s.linearised, 1 + end.taken);
  assert_close(end.value, 0, CR_R(1e-24));
}

// from far above Gauss-Newton's first step goes to exp(19) and more, and is halved; the end is as good
TEST(gauss_newton_shortens_its_steps) {
  squares s = plain();
  cr_damping newton = usual;
  newton.damping = 0;
  cr_real x[N] = {1, -1, 0};
  cr_damped_end end;
  assert_int_equal(run(&newton, &s, NULL, NULL, x, &end), CR_OK);
  for (int i = 0; i < N; i++) {
    assert_close(x[i], cr_log(aim[i]), CR_R(1e-12));
  }
  assert_true(end.taken < end.tried);
}

// along x + log(1 + step) the residuals are linear
static void along_the_logarithm(void* context, const cr_real* x, const cr_real* step, cr_real* to) {
  (void)context;
  for (int i = 0; i < N; i++) {
    to[i] = x[i] + (step[i] > CR_R(-0.9) ? cr_log1p(step[i]) : step[i]);
  }
}

TEST(lm_goes_the_way_it_is_given) {
  cr_real steps[2];
  for (int k = 0; k < 2; k++) {
    squares s = {.fail_at = -1, .bad = 100};
    cr_real x[N] = {0, 0, 0}, room[64], low[N], high[N];
    cr_damped_end end;
    const cr_damped damped = {.context = &s,
                              .n = N,
                              .value = value,
                              .linearise = linearise,
                              .solve = solve,
                              .curvature = curvature,
                              .move = k == 1 ? along_the_logarithm : NULL};
    for (int i = 0; i < N; i++) {
      low[i] = -10;
      high[i] = i == 2 ? 2 : 10;  // short of log(20)
    }
    cr_damping damping = usual;
    damping.damping = CR_R(1e-12);
    assert_true(cri_damped_room(N) <= 64);
    assert_int_equal(cri_damped_minimise(&damping, &damped, low, high, x, room, &end, &error),
                     CR_OK);
    assert_close(x[0], cr_log(CR_R(0.5)), CR_R(1e-7));
    assert_close(x[1], 0, CR_R(1e-7));
    assert_true(x[2] == 2);
    steps[k] = (cr_real)end.taken;
  }
  assert_true(steps[1] <= 3 && steps[0] > steps[1] + 2);
}

TEST(lm_keeps_bounds) {
  const cr_real low[] = {0, CR_R(-0.5), 1}, high[] = {3, CR_R(-0.25), 5};
  for (int k = 0; k < 2; k++) {
    squares s = plain();
    cr_damping damping = usual;
    damping.damping = k == 0 ? CR_R(1e-3) : 0;
    cr_real x[N] = {1, CR_R(-0.5), 1};
    cr_damped_end end;
    assert_int_equal(run(&damping, &s, low, high, x, &end), CR_OK);
    assert_close(x[0], 0, 0);            // log(0.5) is below
    assert_close(x[1], CR_R(-0.25), 0);  // log(1) is above
    assert_close(x[2], cr_log(aim[2]), CR_R(1e-9));
    assert_true(end.tried < 30);  // what is held at its bound does not count as a gradient
  }
}

TEST(lm_leaves_what_does_not_matter) {
  squares s = plain();
  s.dead = true;
  cr_real x[N] = {1, -1, CR_R(0.25)};
  cr_damped_end end;
  assert_int_equal(run(&usual, &s, NULL, NULL, x, &end), CR_OK);
  assert_close(x[0], cr_log(aim[0]), CR_R(1e-7));  // beside a value of 1/2 that stays
  assert_close(x[2], CR_R(0.25), 0);
  cr_damping newton = usual;
  newton.damping = 0;
  x[0] = 1;
  assert_int_equal(run(&newton, &s, NULL, NULL, x, &end), CR_ERR_SINGULAR);
  assert_string_equal(error.text, "x[2]");
}

// a wall of infinity stops steps but not the search; the start may not be behind it; NaN is refused anywhere
TEST(lm_and_values_that_are_none) {
  squares s = plain();
  s.bad = 2;
  s.there = (cr_real)INFINITY;
  cr_real x[N] = {CR_R(-4.0), -1, 0};  // the first step of x[0] goes far beyond 2
  cr_damped_end end;
  assert_int_equal(run(&usual, &s, NULL, NULL, x, &end), CR_OK);
  assert_close(x[0], cr_log(aim[0]), CR_R(1e-12));
  assert_true(end.taken < end.tried);
  cr_real beyond[N] = {3, 0, 0}, y[N] = {CR_R(-4.0), -1, 0};
  assert_int_equal(run(&usual, &s, NULL, NULL, beyond, &end), CR_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "at the start"));
  s.there = (cr_real)NAN;
  assert_int_equal(run(&usual, &s, NULL, NULL, y, &end), CR_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "not a number"));
}

TEST(lm_says_why_it_ended) {
  squares s = plain();
  cr_damped_end end;
  cr_damping damping = usual;
  damping.iterations = 2;
  cr_real x[N] = {1, -1, 0};
  assert_int_equal(run(&damping, &s, NULL, NULL, x, &end), CR_OK);
  assert_string_equal(end.reason, "all iterations done");
  assert_int_equal(end.tried, 2);
  damping = usual;
  damping.step_tolerance = CR_R(0.01);
  assert_int_equal(run(&damping, &s, NULL, NULL, x, &end), CR_OK);
  assert_string_equal(end.reason, "steps below the tolerance");
  damping = usual;
  damping.value_tolerance = CR_R(0.9);
  s.dead = true;  // leaves a value of 1/2
  cr_real y[N] = {CR_R(0.1), CR_R(0.1), 0};
  assert_int_equal(run(&damping, &s, NULL, NULL, y, &end), CR_OK);
  assert_string_equal(end.reason, "sum of squares no longer falls");
}

TEST(lm_passes_a_failure_on) {
  squares s = plain();
  s.fail_at = 3;
  cr_real x[N] = {1, -1, 0};
  cr_damped_end end;
  assert_int_equal(run(&usual, &s, NULL, NULL, x, &end), CR_ERR_DIVERGED);
  assert_string_equal(error.text, "run 4 diverged");
  assert_int_equal(s.values, 4);
}

// ---- going on

enum { MOST_STATES = 100 };
typedef struct {
  squares squares;
  int n, end_at;
  cr_damped_state state[MOST_STATES];
  cr_real x[MOST_STATES][N], scale[MOST_STATES][N];
} recorder;

static cr_status record(void* context, const cr_damped_state* state, cr_error* why) {
  recorder* r = context;
  assert_true(r->n < MOST_STATES);
  r->state[r->n] = *state;
  cr_copy(r->x[r->n], state->x, N);
  cr_copy(r->scale[r->n], state->scale, N);
  r->state[r->n].x = r->x[r->n];
  r->state[r->n].scale = r->scale[r->n];
  return r->n++ == r->end_at ? cri_fail(why, CR_ERR_INTERRUPTED, "enough") : CR_OK;
}

static cr_status run_recorded(const cr_damping* damping, recorder* r, const cr_damped_state* from,
                              cr_real* x, cr_damped_end* end) {
  static const cr_real low[] = {-5, CR_R(0.1), -5}, high[] = {5, 5, 5};
  const cr_damped damped = {.context = r,
                            .n = N,
                            .value = value,
                            .linearise = linearise,
                            .solve = solve,
                            .curvature = curvature,
                            .taken = record,
                            .resume = from};
  cr_real room[6 * N];
  r->squares = plain();
  return cri_damped_minimise(damping, &damped, low, high, x, room, end, &error);
}

static void goes_on(const cr_damping* damping) {
  static recorder whole, rest;
  const cr_real start[N] = {1, 1, 0};
  cr_real x[N], y[N];
  cr_damped_end end, other;
  whole = rest = (recorder){.end_at = -1};
  cr_copy(x, start, N);
  assert_int_equal(run_recorded(damping, &whole, NULL, x, &end), CR_OK);
  assert_int_equal(whole.n, end.taken);
  assert_true(whole.n > 4 && end.tried > end.taken);
  for (int k = 0; k < whole.n; k++) {
    rest = (recorder){.end_at = -1};
    assert_int_equal(whole.state[k].taken, k + 1);
    assert_int_equal(run_recorded(damping, &rest, &whole.state[k], y, &other), CR_OK);
    assert_true(x[0] == y[0] && x[1] == y[1] && x[2] == y[2]);
    assert_true(end.value == other.value);
    assert_int_equal(end.tried, other.tried);
    assert_int_equal(end.taken, other.taken);
    assert_string_equal(end.reason, other.reason);
    assert_int_equal(rest.n, whole.n - k - 1);
  }
  rest = (recorder){.end_at = 2};
  cr_copy(x, start, N);
  assert_int_equal(run_recorded(damping, &rest, NULL, x, &end), CR_ERR_INTERRUPTED);
  assert_int_equal(rest.n, 3);
}

TEST(both_go_on_from_every_step) {
  cr_damping newton = usual, brief = usual;
  newton.damping = 0;
  newton.gradient_tolerance = brief.gradient_tolerance = 0;
  brief.value_tolerance = CR_R(1e-3);  // ends with a step that is taken
  newton.value_tolerance = CR_R(1e-3);
  goes_on(&usual);
  goes_on(&brief);
  goes_on(&newton);
}
