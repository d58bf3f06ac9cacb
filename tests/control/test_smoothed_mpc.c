// SPDX-License-Identifier: Apache-2.0
// Smoothed predictive control: linear systems end at their optimum at once; limits; samples without a step; mistakes.
#include "carom/quasidynamic.h"
#include "support/close.h"

static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static cr_mpc_result improve(cr_smoothed_mpc* mpc, int times) {
  cr_mpc_result r = {.size = sizeof r};
  for (int k = 0; k < times; k++) {
    ok(cr_smoothed_mpc_improve(mpc, &r, &error));
  }
  return r;
}

// ---- x' = x + v / 10, v' = v + u / 10 - sin(b x) / 10

enum { N = 20 };
typedef struct {
  cr_real bend;
  int calls, fail;  // every fail-th step without a Jacobian fails
} mass;

static cr_status move(void* context, int worker, const cr_real* x, const cr_real* u, cr_real* next,
                      cr_real* A, cr_real* B, cr_error* e) {
  mass* s = context;
  (void)worker;
  if (A == NULL && s->fail > 0 && ++s->calls % s->fail == 0 && s->calls > N) {
    return cri_fail(e, CR_ERR_DIVERGED, "lost");
  }
  const cr_real h = CR_R(0.1), v = x[1], pull = cr_sin(s->bend * x[0]);
  next[0] = x[0] + h * v;
  next[1] = v + h * (u[0] - pull);
  if (A != NULL) {
    const cr_real jacobian[4] = {1, h, -h * s->bend * cr_cos(s->bend * x[0]), 1};
    cr_copy(A, jacobian, 4);
  }
  if (B != NULL) {
    B[0] = 0;
    B[1] = h;
  }
  return CR_OK;
}

static cr_real goal[2 * (N + 1)];
static const cr_real Q[2] = {1, CR_R(0.1)}, R[1] = {CR_R(0.01)}, start[2] = {0, 0};

static cr_mpc_options options_of(void) {
  for (int k = 0; k <= N; k++) {
    goal[2 * (ptrdiff_t)k] = 1;
  }
  return (cr_mpc_options){.size = sizeof(cr_mpc_options), .nstep = N, .goal = goal, .Q = Q, .R = R};
}

static cr_smoothed_mpc* open_mass(mass* s, cr_mpc_options o) {
  const cr_mpc_system system = {sizeof system, 2, 1, move, s};
  cr_smoothed_mpc* mpc = NULL;
  ok(cr_smoothed_mpc_create(&mpc, &system, &o, &error));
  ok(cr_smoothed_mpc_set_start(mpc, start, &error));
  return mpc;
}

TEST(a_linear_system_is_at_its_optimum_at_once) {
  mass s = {0};
  cr_smoothed_mpc* mpc = open_mass(&s, options_of());
  assert_true(isnan(cr_smoothed_mpc_cost(mpc)));
  const cr_real first = improve(mpc, 1).cost;
  cr_real* u = cr_smoothed_mpc_ctrl(mpc);
  cr_real kept[N];
  cr_copy(kept, u, N);
  assert_close(improve(mpc, 3).cost / first, 1, CR_R(1e-12));
  for (int k = 0; k < N; k++) {  // no other control is better
    cr_smoothed_mpc* other = open_mass(&s, options_of());
    cr_copy(cr_smoothed_mpc_ctrl(other), kept, N);
    cr_smoothed_mpc_ctrl(other)[k] += CR_R(0.01);
    assert_true(improve(other, 1).before > first);
    cr_smoothed_mpc_destroy(other);
  }
  cr_smoothed_mpc_destroy(mpc);
}

TEST(limits_hold) {
  mass s = {.bend = 1};
  const cr_real low[1] = {-1}, high[1] = {CR_R(1.5)}, change[1] = {CR_R(0.4)}, none[2] = {-99, -99},
                speed[2] = {99, CR_R(0.6)};
  cr_mpc_options o = options_of();
  o.u_lower = low;
  o.u_upper = high;
  o.change = change;
  o.x_lower = none;
  o.x_upper = speed;
  cr_smoothed_mpc* mpc = open_mass(&s, o);
  const cr_mpc_result r = improve(mpc, 8);
  assert_int_equal(r.unlimited, 0);
  const cr_real *x = cr_smoothed_mpc_states(mpc), *u = cr_smoothed_mpc_ctrl(mpc);
  cr_real fastest = 0, before = 0;
  for (int k = 0; k < N; k++) {
    assert_true(u[k] >= low[0] && u[k] <= high[0] &&
                cr_abs(u[k] - before) < change[0] + CR_R(1e-6));
    fastest = cr_max(fastest, x[2 * (ptrdiff_t)k + 3]);
    before = u[k];
  }
  assert_close(fastest, speed[1], CR_R(1e-4));
  cr_smoothed_mpc_destroy(mpc);
}

TEST(limits_of_states_that_nothing_keeps_are_told) {
  mass s = {0};
  const cr_real far[2] = {5, -99}, none[2] = {99, 99};
  cr_mpc_options o = options_of();
  o.x_lower = far;
  o.x_upper = none;
  cr_smoothed_mpc* mpc = open_mass(&s, o);
  assert_int_equal(improve(mpc, 1).unlimited, N);
  cr_smoothed_mpc_destroy(mpc);
}

TEST(samples_without_a_step_are_left_out) {
  mass s = {.bend = 1, .fail = 7};
  const cr_real sigma[3] = {CR_R(0.1), CR_R(0.1), CR_R(0.1)};
  cr_mpc_options o = options_of();
  o.kind = CR_ESTIMATOR_ZEROTH;
  o.samples = 40;
  o.sigma = sigma;
  o.nthread = 1;
  cr_smoothed_mpc* mpc = open_mass(&s, o);
  cr_mpc_result r = {.size = sizeof r};
  const cr_status status = cr_smoothed_mpc_improve(mpc, &r, &error);
  assert_true(status == CR_ERR_DIVERGED && strstr(error.text, "step") != NULL);  // of the motion
  cr_smoothed_mpc_destroy(mpc);
  s = (mass){.bend = 1, .fail = N * 40 + 2 * N + 5};  // a sample, and no step of the motion
  mpc = open_mass(&s, o);
  s.calls = 2 * N + 5;
  assert_int_equal(improve(mpc, 1).failed, 1);
  cr_smoothed_mpc_destroy(mpc);
}

// ---- mistakes

static void refused(const cr_mpc_options* o, const char* words) {
  mass s = {0};
  const cr_mpc_system system = {sizeof system, 2, 1, move, &s};
  cr_smoothed_mpc* mpc = NULL;
  assert_int_equal(cr_smoothed_mpc_create(&mpc, &system, o, &error), CR_ERR_ARG);
  if (strstr(error.text, words) == NULL) {
    fail_msg("%s", error.text);
  }
  assert_null(mpc);
}

TEST(mistakes_are_refused) {
  const cr_real negative[2] = {1, -1}, one[1] = {1}, two[1] = {2};
  const int beyond[1] = {2};
  cr_mpc_options o = options_of();
  o.nstep = 0;
  refused(&o, "0 steps");
  o = options_of();
  o.Q = negative;
  refused(&o, "Q of state 1 is -1");
  o = options_of();
  o.u_lower = two;
  o.u_upper = one;
  refused(&o, "limits 2 and 1 of control 0");
  o = options_of();
  o.follows = beyond;
  refused(&o, "control 0 follows state 2 of 2");
  o = options_of();
  o.trust = one;
  refused(&o, "trust and decoupled need");
  o = options_of();
  o.decoupled = true;
  refused(&o, "trust and decoupled need");
  o = options_of();
  o.samples = 10;
  refused(&o, "need standard deviations");
  o.kind = CR_ESTIMATOR_ALPHA;
  refused(&o, "first or zeroth order");
  o = options_of();
  o.decay = 2;
  refused(&o, "decay is between 0 and 1");
}
