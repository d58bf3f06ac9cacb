// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Linear models of steps under noise: exact ones are the Jacobian; a slide above a floor, where the mean of a step is a convolution that
// quadrature knows; differences of the mean with turns, controls and several steps; threads, mistakes.
#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static const char ball_text[] =
    "<mujoco><option timestep='0.01' gravity='0 0 -10'/><worldbody><geom type='plane' size='1 1 "
    "1'/>"
    "<body pos='0 0 .1'><joint name='z' type='slide' axis='0 0 1'/><geom type='sphere' size='.1' "
    "mass='1'/>"
    "</body></worldbody></mujoco>";
static const char top_text[] =
    "<mujoco><option timestep='0.01'/><worldbody><body><joint name='hip' type='ball'/>"
    "<geom type='box' size='.1 .2 .3' pos='.2 0 0'/><body pos='.4 0 0'><joint name='knee' axis='0 "
    "1 0'/>"
    "<geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/></body></body></worldbody>"
    "<actuator><motor joint='knee' gear='3'/></actuator></mujoco>";
enum { MOST = 9 };

static cr_error error;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

typedef struct {
  cr_model* m;
  cr_data* d;
  int nx, nu;
} scene;

static scene open_scene(const char* text) {
  scene s = {NULL, NULL, 0, 0};
  ok(cr_model_open(&s.m, scratch_write("scene.xml", text), &error));
  ok(cr_data_create(&s.d, s.m, &error));
  s.nx = 2 * cr_model_count(s.m, "nv");
  s.nu = cr_model_count(s.m, "nu");
  return s;
}

static void close_scene(scene* s) {
  cr_data_destroy(s->d);
  cr_model_destroy(s->m);
}

typedef struct {
  cr_linear_model to;
  cr_real A[MOST * MOST], B[MOST], c[MOST], A_error[MOST * MOST], B_error[MOST], c_error[MOST];
} linear;

static cr_status find(const scene* s, cr_smoothed_model_options o, linear* l) {
  o.size = sizeof o;
  l->to = (cr_linear_model){.size = sizeof l->to,
                            .A = l->A,
                            .B = l->B,
                            .c = l->c,
                            .A_error = l->A_error,
                            .B_error = l->B_error,
                            .c_error = l->c_error};
  return cr_smoothed_model(s->m, s->d, &o, &l->to, &error);
}

// ---- without noise

TEST(exact_ones_are_the_jacobian) {
  scene s = open_scene(top_text);
  linear one, three;
  ok(find(&s, (cr_smoothed_model_options){.steps = 1}, &one));
  ok(find(&s, (cr_smoothed_model_options){.steps = 3}, &three));
  cr_jacobian* work = NULL;
  cr_real A[MOST * MOST], B[MOST], P[MOST * MOST], Q[MOST];
  ok(cr_jacobian_create(&work, s.m, s.d, &error));
  for (int step = 0; step < 3; step++) {
    cr_real next[MOST * MOST], drive[MOST];
    assert_int_equal(cr_step(s.m, s.d), CR_OK);
    assert_int_equal(cr_step_jacobian(s.m, s.d, work, A, B, NULL), CR_OK);
    for (int i = 0; i < s.nx; i++) {
      drive[i] = B[i];
      for (int j = 0; j < s.nx; j++) {
        next[i * s.nx + j] = step == 0 ? A[i * s.nx + j] : 0;
        drive[i] += step == 0 ? 0 : A[i * s.nx + j] * Q[j];
        for (int k = 0; k < s.nx && step > 0; k++) {
          next[i * s.nx + j] += A[i * s.nx + k] * P[k * s.nx + j];
        }
      }
    }
    cr_copy(P, next, s.nx * s.nx);
    cr_copy(Q, drive, s.nx);
    const linear* found = step == 0 ? &one : step == 2 ? &three : NULL;
    if (found != NULL) {
      assert_all_close(found->A, P, s.nx * s.nx, CR_R(1e-12));
      assert_all_close(found->B, Q, s.nx, CR_R(1e-12));
      assert_close(found->c[0] + found->A_error[0], 0, 0);
    }
    assert_int_equal(cr_advance(s.m, s.d), CR_OK);
  }
  cr_jacobian_destroy(work);
  close_scene(&s);
}

// ---- least squares

TEST(least_squares_are_exact_where_steps_are_linear) {
  scene s = open_scene(ball_text);
  const cr_real z = 5, sigma[2] = {CR_R(0.1), CR_R(0.3)};
  ok(cr_data_set(s.m, s.d, "qpos[z]", &z, 1, &error));
  linear fit, products;
  cr_smoothed_model_options o = {
      .kind = CR_ESTIMATOR_ZEROTH, .samples = 16, .sigma = sigma, .least_squares = true};
  ok(find(&s, o, &fit));
  o.least_squares = false;
  ok(find(&s, o, &products));
  const cr_real A[4] = {1, CR_R(0.01), 0, 1};
  for (int i = 0; i < 4; i++) {
    assert_true(cr_abs(fit.A[i] - A[i]) < CR_R(1e-11));
  }
  assert_true(cr_abs(fit.c[0]) < CR_R(1e-12) && cr_abs(fit.c[1]) < CR_R(1e-12));
  assert_true(fit.A_error[0] < CR_R(1e-9) && products.A_error[0] > CR_R(0.1));
  o.least_squares = true;
  o.samples = 2;
  assert_int_equal(find(&s, o, &fit), CR_ERR_SINGULAR);
  o.kind = CR_ESTIMATOR_FIRST;
  assert_int_equal(find(&s, o, &fit), CR_ERR_ARG);
  close_scene(&s);
}

// ---- a floor: the mean of the next velocity is a convolution

static cr_real next_speed(const scene* s, cr_real z) {
  cr_real v;
  cr_data* d = NULL;
  ok(cr_data_create(&d, s->m, &error));
  const cr_real speed = -1;
  ok(cr_data_set(s->m, d, "qpos[z]", &z, 1, &error));
  ok(cr_data_set(s->m, d, "qvel[z]", &speed, 1, &error));
  assert_int_equal(cr_step(s->m, d), CR_OK);
  assert_int_equal(cr_advance(s->m, d), CR_OK);
  ok(cr_data_get(s->m, d, "qvel[z]", &v, 1, &error));
  cr_data_destroy(d);
  return v;
}

// E[f(z + w)] and E[f(z + w) w] / s^2, by the rule of rectangles over five deviations; f jumps where contact begins
static void quadrature(const scene* s, cr_real z, cr_real sigma, cr_real* mean, cr_real* slope) {
  enum { N = 4000 };
  cr_real all = 0;
  *mean = *slope = 0;
  for (int i = 0; i <= N; i++) {
    cr_real w = sigma * (10 * (cr_real)i / N - 5), p = cr_exp(-w * w / (2 * sigma * sigma));
    cr_real f = next_speed(s, z + w);
    all += p;
    *mean += p * f;
    *slope += p * f * w / (sigma * sigma);
  }
  *mean /= all;
  *slope /= all;
}

TEST(a_floor_under_noise) {
  scene s = open_scene(ball_text);
  const cr_real z = CR_R(0.002), speed = -1, sigma[2] = {CR_R(0.005), CR_R(1e-6)};
  ok(cr_data_set(s.m, s.d, "qpos[z]", &z, 1, &error));
  ok(cr_data_set(s.m, s.d, "qvel[z]", &speed, 1, &error));
  cr_real mean, slope;
  quadrature(&s, z, sigma[0], &mean, &slope);
  linear exact, first, zeroth;
  ok(find(&s, (cr_smoothed_model_options){.samples = 0}, &exact));
  assert_close(exact.A[2], 0, CR_R(1e-12));  // above the floor nothing depends on the height
  assert_true(slope < -10);
  cr_smoothed_model_options o = {.samples = 20000, .sigma = sigma, .confidence = CR_R(0.9999)};
  linear fit;
  o.kind = CR_ESTIMATOR_ZEROTH;
  o.least_squares = true;
  ok(find(&s, o, &fit));
  assert_true(cr_abs(fit.A[2] - slope) < fit.A_error[2] && fit.A_error[2] < CR_R(0.1) * -slope);
  o.kind = CR_ESTIMATOR_FIRST;
  o.least_squares = false;
  ok(find(&s, o, &first));
  o.kind = CR_ESTIMATOR_ZEROTH;
  ok(find(&s, o, &zeroth));
  assert_close(zeroth.A[2], slope, zeroth.A_error[2]);
  assert_true(zeroth.A_error[2] < CR_R(0.1) * cr_abs(slope));
  assert_close(zeroth.c[1], mean - next_speed(&s, z), zeroth.c_error[1]);
  // the mean of Jacobians lacks the jump of a body that lands
  assert_true(cr_abs(first.A[2] - slope) > 2 * (first.A_error[2] + zeroth.A_error[2]));
  close_scene(&s);
}

// ---- differences of the mean

// the mean over the same samples from a state that is moved along number j, by the tangents at the unmoved start: of joints that slide or turn
TEST(the_first_order_is_the_slope_of_the_mean) {
  scene s = open_scene(top_text);
  const cr_real h = CR_R(1e-4);
  cr_real sigma[MOST] = {CR_R(0.3), CR_R(0.2), CR_R(0.4), CR_R(0.5), 1, 2, 1, 3, CR_R(0.5)};
  cr_smoothed_model_options o = {
      .samples = 64, .sigma = sigma, .draws = CR_DRAWS_ANTITHETIC, .steps = 3};
  linear l, up, down;
  ok(find(&s, o, &l));
  static const char* const places[] = {"qpos[knee]", "qvel[knee]", "ctrl[0]"};
  const int column[] = {3, 7, 8};
  for (int k = 0; k < 3; k++) {
    cr_real x;
    ok(cr_data_get(s.m, s.d, places[k], &x, 1, &error));
    cr_real moved = x + h, next[2][2];
    cr_real* const ends[2] = {next[0], next[1]};
    linear* const both[2] = {&up, &down};
    for (int side = 0; side < 2; side++) {
      moved = side == 0 ? x + h : x - h;
      ok(cr_data_set(s.m, s.d, places[k], &moved, 1, &error));
      ok(find(&s, o, both[side]));
      cr_data* d = NULL;  // f at the moved state, to which its c refers
      ok(cr_data_create(&d, s.m, &error));
      assert_int_equal(cr_state_copy(s.m, s.d, d, CR_STATE_INTEGRATION), CR_OK);
      for (int i = 0; i < 3; i++) {
        assert_int_equal(cr_step(s.m, d), CR_OK);
        assert_int_equal(cr_advance(s.m, d), CR_OK);
      }
      ok(cr_data_get(s.m, d, "qpos[knee]", &ends[side][0], 1, &error));
      ok(cr_data_get(s.m, d, "qvel[knee]", &ends[side][1], 1, &error));
      cr_data_destroy(d);
    }
    ok(cr_data_set(s.m, s.d, places[k], &x, 1, &error));
    for (int i = 0; i < 2; i++) {
      int row = i == 0 ? 3 : 7;
      cr_real slope = (next[0][i] + up.c[row] - next[1][i] - down.c[row]) / (2 * h);
      cr_real found = column[k] < 8 ? l.A[row * 8 + column[k]] : l.B[row];
      assert_close(found, slope, CR_R(1e-5) * (1 + cr_abs(slope)));
    }
  }
  close_scene(&s);
}

// with turns: both orders estimate the same mean
TEST(orders_agree_about_turns) {
  scene s = open_scene(top_text);
  cr_real sigma[MOST] = {CR_R(0.3), CR_R(0.3), CR_R(0.3), CR_R(0.3), 1, 1, 1, 1, CR_R(0.5)};
  cr_smoothed_model_options o = {
      .samples = 20000, .sigma = sigma, .draws = CR_DRAWS_ANTITHETIC, .confidence = CR_R(0.9999)};
  linear first, zeroth;
  ok(find(&s, o, &first));
  o.kind = CR_ESTIMATOR_ZEROTH;
  ok(find(&s, o, &zeroth));
  for (int i = 0; i < 64; i++) {
    assert_close(zeroth.A[i], first.A[i], zeroth.A_error[i] + first.A_error[i] + CR_R(1e-12));
  }
  assert_all_close(first.c, zeroth.c, 8, CR_R(1e-12));
  close_scene(&s);
}

// ---- threads and mistakes

TEST(the_same_bits_for_any_number_of_threads) {
  scene s = open_scene(top_text);
  cr_real sigma[MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    cr_smoothed_model_options o = {.kind = (cr_estimator_kind)kind,
                                   .samples = 96,
                                   .sigma = sigma,
                                   .draws = CR_DRAWS_QUASI,
                                   .nthread = 1};
    linear one, other;
    ok(find(&s, o, &one));
    for (o.nthread = 2; o.nthread < 5; o.nthread++) {
      ok(find(&s, o, &other));
      assert_all_close(other.A, one.A, 64, 0);
      assert_all_close(other.B_error, one.B_error, 8, 0);
    }
  }
  close_scene(&s);
}

static void refused(const scene* s, cr_smoothed_model_options o, const char* because) {
  linear l;
  assert_int_equal(find(s, o, &l), CR_ERR_ARG);
  if (strstr(error.text, because) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, because);
  }
}

TEST(mistakes_are_named) {
  scene s = open_scene(ball_text), other = open_scene(top_text);
  const cr_real sigma[2] = {1, 0};
  refused(&s, (cr_smoothed_model_options){.samples = -1}, "-1 samples");
  refused(&s, (cr_smoothed_model_options){.samples = 1, .sigma = sigma}, "1 samples");
  refused(&s, (cr_smoothed_model_options){.samples = 4}, "either standard deviations");
  refused(&s, (cr_smoothed_model_options){.backward = other.m}, "backward is another model");
  refused(&s,
          (cr_smoothed_model_options){.samples = 4, .sigma = sigma, .kind = CR_ESTIMATOR_ZEROTH},
          "the standard deviation of number 1 is 0");
  close_scene(&s);
  close_scene(&other);
}
