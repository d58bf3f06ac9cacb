// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A cart with a double pendulum, recorded by three sensors: parameters come back within their intervals; the gradient
// against differences.
#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "scenes/io_cart.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_error error;
static cr_model* m;

static void setup(void) { m = cart_model(); }
static void teardown(void) { cr_model_destroy(m); }

AROUND_FILE(setup, teardown)

enum { MOST = 2000, N = CART_NUMBERS };
static const cr_real* const truth = cart_truth;
static const cr_real* const hanging = cart_hanging;

static cr_parameters* parameters(cr_real off) { return cart_parameters(m, off); }
static cr_measurements* three_runs(int rows) { return cart_runs(m, rows); }

// a parameter with a prior; the others as they are
static cr_parameters* parameters_with_prior(cr_real mean, cr_real sd) {
  cr_parameter_info a = {.size = sizeof a,
                         .name = "mass",
                         .target = "body_mass[cart]",
                         .transform = CR_TRANSFORM_LOG,
                         .start = mean,
                         .upper = 100,
                         .prior = mean,
                         .prior_sd = sd};
  cr_parameter_info b = {.size = sizeof b,
                         .name = "off",
                         .target = "dof_armature[b]",
                         .start = 0,
                         .lower = 0,
                         .upper = 1,
                         .prior = CR_R(0.01),
                         .prior_sd = CR_R(0.002)};
  const cr_parameter_info* const list[] = {&a, &b};
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, 2, &error));
  return p;
}

static const cr_search thorough = {.size = sizeof thorough};

TEST(gradient_matches_differences) {
  static const measured_channel channels[] = {
      {"qpos[x]", 1, CR_R(0.01), 0}, {"sensordata[gyro]", 3, CR_R(0.1), 2},
      {"acc", 2, CR_R(0.3), 0},      {"turn", 5, 0, 0},
      {"xquat[two]", 7, 0, 0},       {"site_xpos[imu]", 4, CR_R(0.01), 0}};
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", 60, hanging, channels, 6, 4);
  measured_run(ms, m, "two", 50, hanging, channels, 6, 5);
  cr_parameters* p = parameters(CR_R(1.2));
  const char *delayed[] = {"sensordata[gyro]"}, *shifted[] = {"acc"};
  const cr_real huber[] = {0, CR_R(0.5)};
  for (int k = 0; k < 2; k++) {
    const cr_identification_options o = {.size = sizeof o,
                                         .window = CR_R(0.11),
                                         .continuity = k == 0 ? 0 : CR_R(0.1),
                                         .huber = huber[k],
                                         .delayed = delayed,
                                         .ndelayed = 1,
                                         .shifted = shifted,
                                         .nshifted = 1,
                                         .nthread = 1};
    cr_identification* id = NULL;
    must(cr_identification_create(&id, p, ms, &o, &error));
    int n = cr_identification_count(id);
    assert_int_equal(n, N + 1 + 3);
    cr_real x[16], g[16], none[16], cost;
    must(cr_identification_get_start(id, x, &error));
    x[N] = CR_R(0.0083);
    x[N + 1] = CR_R(0.1);
    must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &cost, g, &error));
    for (int i = 0; i < n; i++) {
      cr_real at = x[i], h = CR_R(1e-5), a, b;
      x[i] = at + h;
      must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &a, NULL, &error));
      x[i] = at - h;
      must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &b, none, &error));
      x[i] = at;
      cr_real difference = (a - b) / (2 * h);
      if (cr_abs(difference - g[i]) > CR_R(1e-5) * (cr_abs(g[i]) + 1)) {
        fail_msg("%s: %.12g, by differences %.12g", cr_identification_name(id, i), (double)g[i],
                 (double)difference);
      }
    }
    cr_identification_destroy(id);
  }
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

TEST(five_parameters_of_a_cart_come_back) {
  cr_measurements* ms = three_runs(MOST);
  cr_parameters* p = parameters(CR_R(1.5));
  const cr_identification_options o = {.size = sizeof o, .nthread = 2};
  cr_identification* id = NULL;
  cr_real x[N];
  must(cr_identification_create(&id, p, ms, &o, &error));
  must(cr_identification_get_start(id, x, &error));
  cr_search_end end = {.size = sizeof end};
  must(cr_identification_solve(id, &thorough, x, &end, &error));
  print_message("%s, %d steps, %d rounds, cost %g to %g\n", end.reason, end.steps, end.rounds,
                (double)end.start_cost, (double)end.cost);
  for (int i = 0; i < N; i++) {
    cr_estimate e = {.size = sizeof e};
    must(cr_identification_get(id, i, &e, &error));
    print_message("%s %.6g (%.6g to %.6g), truth %.6g\n", e.name, (double)e.value, (double)e.lower,
                  (double)e.upper, (double)truth[i]);
    cr_real half = (e.upper - e.lower) / 2;
    assert_true(e.told);
    assert_true(cr_abs(e.value - truth[i]) < 2 * half);
    assert_true(half < CR_R(0.1) * truth[i]);
  }
  assert_true(end.converged && end.left < CR_R(0.1));
  for (int i = 0; i < cr_identification_places(id); i++) {
    cr_fit_of_place f = {.size = sizeof f};
    must(cr_identification_get_place(id, CR_RUNS_TRAIN, i, &f, &error));
    print_message("%s noise %g explained %g correlation %g (%g)\n", f.place, (double)f.noise,
                  (double)f.explained, (double)f.correlation, (double)f.white);
    assert_true(cr_abs(f.correlation) < 2 * f.white);
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

static cr_estimate estimate(const cr_identification* id, int i) {
  cr_estimate e = {.size = sizeof e};
  must(cr_identification_get(id, i, &e, &error));
  return e;
}

static cr_identification* solved(cr_parameters* p, const cr_measurements* ms, cr_real held) {
  const cr_identification_options o = {.size = sizeof o, .nthread = 1, .held_out = held, .seed = 3};
  cr_identification* id = NULL;
  cr_real x[8];
  cr_search_end end = {.size = sizeof end};
  must(cr_identification_create(&id, p, ms, &o, &error));
  must(cr_identification_get_start(id, x, &error));
  must(cr_identification_solve(id, &thorough, x, &end, &error));
  return id;
}

TEST(a_search_that_stops_early_says_how_much_is_left) {
  cr_measurements* ms = three_runs(300);
  cr_parameters* p = parameters(5);
  const cr_identification_options o = {.size = sizeof o, .start = CR_START_REFERENCE};
  const cr_search one = {.size = sizeof one, .iterations = 1};
  cr_identification* id = NULL;
  cr_real x[N];
  must(cr_identification_create(&id, p, ms, &o, &error));
  must(cr_identification_get_start(id, x, &error));
  cr_search_end end = {.size = sizeof end};
  must(cr_identification_solve(id, &one, x, &end, &error));
  assert_true(!end.converged && end.left > 1);
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

TEST(priors_count_as_data) {
  // a strong prior off the truth holds the mass near itself
  cr_measurements* ms = three_runs(200);
  cr_parameters* p = parameters_with_prior(CR_R(1.3), CR_R(1e-5));
  cr_identification* id = solved(p, ms, 0);
  cr_estimate mass = estimate(id, 0);
  assert_true(cr_abs(mass.value - CR_R(1.3)) < CR_R(1e-3));
  assert_true(mass.upper - mass.lower < CR_R(1e-4));
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

TEST(runs_that_are_too_short_are_refused) {
  cr_parameters* p = parameters(1);
  cr_identification* id = NULL;
  cr_measurements* ms = three_runs(200);
  const cr_identification_options wide = {.size = sizeof wide, .window = 10, .nthread = 1};
  assert_int_equal(cr_identification_create(&id, p, ms, &wide, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "windows of 10 s do not fit: the longest run has"));
  cr_measurements_destroy(ms);
  // 5 parameters, a noise, a start of 6 numbers
  const cr_identification_options whole = {.size = sizeof whole, .nthread = 1};
  const measured_channel gyro[] = {{"sensordata[gyro]", 1, CR_R(0.03), 0}};
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "short", 4, hanging, gyro, 1, 1);
  assert_int_equal(cr_identification_create(&id, p, ms, &whole, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "and 12 are to be found"));
  assert_null(id);
  cr_measurements_destroy(ms);
  cr_parameters_destroy(p);
}

TEST(an_evaluation_leaves_the_solution) {
  cr_measurements* ms = three_runs(200);
  cr_parameters* p = parameters(1);
  cr_identification* id = solved(p, ms, CR_R(0.3));
  cr_real x[N], cost, before[2 * 200], after[2 * 200], least, first;
  for (int i = 0; i < N; i++) {
    x[i] = cr_log(estimate(id, i).value);
  }
  must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &least, NULL, &error));
  must(cr_identification_predict(id, 0, 1, before, &error));
  first = estimate(id, 0).value;
  x[0] += CR_R(0.3);
  must(cr_identification_evaluate(id, CR_RUNS_TRAIN, x, &cost, NULL, &error));
  assert_true(cost > 2 * least);
  must(cr_identification_evaluate(id, CR_RUNS_HELD, x, &cost, NULL, &error));
  assert_true(estimate(id, 0).value == first);
  must(cr_identification_predict(id, 0, 1, after, &error));
  assert_true(cr_abs(before[150] - after[150]) < CR_R(1e-9));
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}
