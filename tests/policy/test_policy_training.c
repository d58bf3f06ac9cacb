// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Training of policies: estimates against a closed form and against each other, the same bits for any number of threads, a task
// that is learned by each estimator, going on to the same digits, mistakes.
#include "carom/carom.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_model[] =
    "<mujoco><option timestep='0.05' gravity='0 0 0'/><default><geom "
    "contype='0'/></default><worldbody>"
    "<body name='cart'><joint name='x' type='slide' axis='1 0 0'/><geom name='mass' size='.1' "
    "mass='1'/></body>"
    "</worldbody><actuator><motor name='u' joint='x'/></actuator></mujoco>";

static cr_error error;
static cr_model* m;
static cr_data* start;

static void ok(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static void setup(void) {
  static const cr_real qpos = CR_R(0.8), qvel = CR_R(-0.3);
  ok(cr_model_open(&m, scratch_write("cart.xml", text_of_model), &error));
  ok(cr_data_create(&start, m, &error));
  ok(cr_data_set(m, start, "qpos", &qpos, 1, &error));
  ok(cr_data_set(m, start, "qvel", &qvel, 1, &error));
}

static void teardown(void) {
  cr_data_destroy(start);
  cr_model_destroy(m);
}

AROUND_FILE(setup, teardown)

static const cr_observation place = {.size = sizeof place, .text = "qpos"};
static const cr_observation speed = {.size = sizeof speed, .text = "qvel"};
static const cr_observation* const both[] = {&place, &speed};
static const cr_policy_options linear = {
    .size = sizeof linear, .observations = both, .nobservation = 2};
static const cr_real noise[] = {CR_R(0.4)};
enum { NW = 3 };

// square: of the control after the last step, minus 0.5; else a regulator
static cr_policy_training* make(cr_policy_training_options o, bool square) {
  static const cr_real half = CR_R(0.5);
  const cr_cost_term of_control = {.size = sizeof of_control,
                                   .text = "ctrl",
                                   .target = &half,
                                   .norm = CR_NORM_QUADRATIC,
                                   .terminal = 2};
  const cr_cost_term of_place = {.size = sizeof of_place,
                                 .text = "qpos",
                                 .norm = CR_NORM_QUADRATIC,
                                 .weight = 10,
                                 .terminal = 10};
  const cr_cost_term of_effort = {
      .size = sizeof of_effort, .text = "ctrl", .norm = CR_NORM_QUADRATIC, .weight = CR_R(0.1)};
  cr_cost* cost;
  cr_policy_training* t;
  ok(cr_cost_create(&cost, m, &error));
  ok(cr_cost_add(cost, square ? &of_control : &of_place, &error));
  ok(square ? CR_OK : cr_cost_add(cost, &of_effort, &error));
  o.size = sizeof o;
  o.noise = o.noise != NULL ? o.noise : noise;
  ok(cr_policy_training_create(&t, m, start, cost, &linear, &o, &error));
  cr_cost_destroy(cost);
  return t;
}

typedef struct {
  cr_smoothed_gradient found;
  cr_real gradient[NW], error[NW];
} estimate;

static estimate find(const cr_policy_training_options* o, bool square, const cr_real* W) {
  estimate e;
  cr_policy_training* t = make(*o, square);
  memcpy(cr_policy_weights(cr_policy_training_policy(t)), W, NW * sizeof *W);
  e.found =
      (cr_smoothed_gradient){.size = sizeof e.found, .gradient = e.gradient, .error = e.error};
  ok(cr_policy_training_estimate(t, 0, &e.found, &error));
  cr_policy_training_destroy(t);
  return e;
}

// E[(u + w - 1/2)^2] = (u - 1/2)^2 + s^2, u = W x; by W: 2 (u - 1/2) x
TEST(estimates_are_of_the_closed_form) {
  static const cr_real W[NW] = {CR_R(0.7), CR_R(-0.4), CR_R(0.2)},
                       x[NW] = {CR_R(0.8), CR_R(-0.3), 1};
  cr_real u = 0, s = noise[0];
  for (int i = 0; i < NW; i++) {
    u += W[i] * x[i];
  }
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    for (int antithetic = 0; antithetic < 2; antithetic++) {
      const cr_policy_training_options o = {.nstep = 1,
                                            .estimator = (cr_estimator_kind)kind,
                                            .samples = 4000,
                                            .antithetic = antithetic != 0,
                                            .confidence = CR_R(0.9999)};
      estimate e = find(&o, true, W);
      for (int i = 0; i < NW; i++) {
        assert_true(kind == CR_ESTIMATOR_FIRST || e.error[i] > 0);
        assert_close(e.gradient[i], 2 * (u - CR_R(0.5)) * x[i], e.error[i] + CR_R(1e-12));
      }
      assert_close(e.found.mean, (u - CR_R(0.5)) * (u - CR_R(0.5)) + s * s, e.found.mean_error);
    }
  }
}

// over a motion: first and zeroth order have the same mean
TEST(orders_agree_over_a_motion) {
  static const cr_real W[NW] = {-1, CR_R(-1.5), CR_R(0.1)}, spread[] = {CR_R(0.2), CR_R(0.1)};
  cr_policy_training_options o = {.nstep = 15,
                                  .samples = 20000,
                                  .starts = 200,
                                  .spread = spread,
                                  .confidence = CR_R(0.9999),
                                  .nthread = 2};
  estimate first = find(&o, false, W);
  o.estimator = CR_ESTIMATOR_ZEROTH;
  estimate zeroth = find(&o, false, W);
  for (int i = 0; i < NW; i++) {
    assert_true(cr_abs(first.gradient[i]) > 5 * first.error[i] || first.error[i] < CR_R(0.05));
    assert_close(first.gradient[i], zeroth.gradient[i], first.error[i] + zeroth.error[i]);
  }
}

TEST(threads_do_not_change_a_bit) {
  static const cr_real W[NW] = {-1, CR_R(-1.5), CR_R(0.1)}, spread[] = {CR_R(0.2), CR_R(0.1)};
  static const cr_varied mass = {
      .size = sizeof mass, .name = "body_mass[cart]", .sigma = CR_R(0.3)};
  static const cr_varied* const varied[] = {&mass};
  cr_policy_training_options o = {.nstep = 10,
                                  .estimator = CR_ESTIMATOR_ALPHA,
                                  .samples = 150,
                                  .starts = 15,
                                  .antithetic = true,
                                  .spread = spread,
                                  .varied = varied,
                                  .nvaried = 1,
                                  .seed = 4};
  estimate one = find(&o, false, W);
  o.nthread = 3;
  estimate three = find(&o, false, W);
  assert_memory_equal(one.gradient, three.gradient, sizeof one.gradient);
  assert_memory_equal(one.error, three.error, sizeof one.error);
  o.nvaried = 0;
  estimate alike = find(&o, false, W);
  assert_true(alike.gradient[0] != one.gradient[0]);
}

static cr_real train(cr_policy_training* t, int n) {
  cr_policy_training_result result = {.size = sizeof result};
  for (int i = 0; i < n; i++) {
    ok(cr_policy_training_step(t, &result, &error));
  }
  return result.mean;
}

TEST(each_estimator_learns_to_regulate) {
  static const cr_real spread[] = {CR_R(0.3), CR_R(0.3)};
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    cr_policy_training* t = make((cr_policy_training_options){.nstep = 40,
                                                              .estimator = (cr_estimator_kind)kind,
                                                              .samples = 64,
                                                              .starts = 8,
                                                              .spread = spread,
                                                              .iterations = 80,
                                                              .rate = CR_R(0.2),
                                                              .final_rate = CR_R(0.02),
                                                              .noise_end = CR_R(0.3)},
                                 false);
    cr_real before = train(t, 1), after = train(t, 79);
    if (!(after < CR_R(0.45) * before)) {
      fail_msg("kind %d: cost from %g to %g", kind, (double)before, (double)after);
    }
    cr_policy_training_destroy(t);
  }
}

TEST(a_training_goes_on_to_the_same_digits) {
  const cr_policy_training_options o = {.nstep = 12,
                                        .estimator = CR_ESTIMATOR_ALPHA,
                                        .iterations = 9,
                                        .rate = CR_R(0.1),
                                        .rate_power = CR_R(0.5),
                                        .clip = 1,
                                        .noise_end = CR_R(0.5),
                                        .seed = 2};
  cr_policy_training *whole = make(o, false), *part = make(o, false), *rest = make(o, false);
  cr_real memory[3 * NW + 1];
  assert_int_equal(cr_policy_training_memory_size(whole), 3 * NW + 1);
  (void)train(whole, 9);
  (void)train(part, 4);
  ok(cr_policy_training_get_memory(part, memory, &error));
  ok(cr_policy_training_set_memory(rest, memory, 3 * NW + 1, &error));
  assert_int_equal(cr_policy_training_iterations(rest), 4);
  (void)train(rest, 5);
  assert_memory_equal(cr_policy_weights(cr_policy_training_policy(rest)),
                      cr_policy_weights(cr_policy_training_policy(whole)), NW * sizeof(cr_real));
  memory[2] = (cr_real)NAN;
  assert_int_equal(cr_policy_training_set_memory(rest, memory, 3 * NW + 1, &error), CR_ERR_ARG);
  cr_policy_training_destroy(whole);
  cr_policy_training_destroy(part);
  cr_policy_training_destroy(rest);
}

static bool at_once(void* context) { return true; }

TEST(an_interrupted_iteration_changes_nothing) {
  cr_policy_training* t = make((cr_policy_training_options){.nstep = 12, .stop = at_once}, false);
  assert_int_equal(cr_policy_training_step(t, NULL, &error), CR_ERR_INTERRUPTED);
  assert_true(cr_policy_weights(cr_policy_training_policy(t))[0] == 0);
  assert_int_equal(cr_policy_training_iterations(t), 0);
  cr_policy_training_destroy(t);
}

// ---- mistakes

static void refused(cr_policy_training_options o, cr_status status, const char* why) {
  const cr_cost_term term = {.size = sizeof term, .text = "qpos", .terminal = 1};
  cr_cost* cost;
  cr_policy_training* t;
  ok(cr_cost_create(&cost, m, &error));
  ok(cr_cost_add(cost, &term, &error));
  o.size = sizeof o;
  assert_int_equal(cr_policy_training_create(&t, m, start, cost, &linear, &o, &error), status);
  assert_null(t);
  if (strstr(error.text, why) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, why);
  }
  cr_cost_destroy(cost);
}

TEST(mistakes_are_named) {
  static const cr_real none[] = {0}, negative[] = {-1, 0};
  const cr_varied stray = {.size = sizeof stray, .name = "body_mass[ship]", .sigma = 1};
  const cr_varied* varied[] = {&stray};
  refused((cr_policy_training_options){.noise = noise}, CR_ERR_ARG, "0 steps");
  refused((cr_policy_training_options){.nstep = 5, .noise = noise, .samples = 10, .starts = 3},
          CR_ERR_ARG, "10 samples from 3 starts");
  refused(
      (cr_policy_training_options){.nstep = 5, .noise = noise, .samples = 9, .antithetic = true},
      CR_ERR_ARG, "no pairs");
  refused((cr_policy_training_options){.nstep = 5, .noise = none, .estimator = CR_ESTIMATOR_ALPHA},
          CR_ERR_ARG, "noise 0 is 0");
  refused((cr_policy_training_options){.nstep = 5, .noise = noise, .spread = negative}, CR_ERR_ARG,
          "spread 0 is -1");
  refused((cr_policy_training_options){.nstep = 5, .noise = noise, .varied = varied, .nvaried = 1},
          CR_ERR_NAME, "ship");
  refused(
      (cr_policy_training_options){
          .nstep = 5, .noise = noise, .backward = m, .varied = varied, .nvaried = 1},
      CR_ERR_UNSUPPORTED, "a model of its own");
  refused((cr_policy_training_options){.nstep = 5, .noise = noise, .rate = -1}, CR_ERR_ARG,
          "rates -1");
  refused((cr_policy_training_options){.nstep = 5, .noise = noise, .confidence = 2}, CR_ERR_ARG,
          "confidence of 2");
}
