// SPDX-License-Identifier: Apache-2.0
// Weights of corrections learned from known states: a network that made the data comes back in what it does, weights of
// zero stay zero, what has no weights is refused; and other numbers are found.
#include "study/learned.h"

#include <math.h>
#include <stdio.h>

#include "base/real.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text[] =
    "<mujoco><option timestep='0.01' integrator='RK4'/><worldbody><body><joint name='a' axis='0 1 "
    "0'/><geom type='capsule' fromto='0 0 0 0 0 -.5' size='.02' mass='1'/></body></worldbody>"
    "</mujoco>";

static cr_error error;

// a pendulum with a torque by a network of 3 hidden units on its velocity
static cr_model* open_pendulum(bool corrected) {
  const cr_correction_input v = {.size = sizeof v, .place = "qvel[a]", .scale = CR_R(0.3)};
  const cr_correction_input* const inputs[] = {&v};
  const cr_layer layer = {
      .size = sizeof layer, .kind = CR_LAYER_DENSE, .width = 3, .activation = CR_ACTIVATION_TANH};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "torque",
                                   .target = "qfrc_passive[a]",
                                   .inputs = inputs,
                                   .ninput = 1,
                                   .layers = &layer,
                                   .nlayer = 1,
                                   .seed = 3};
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("pendulum.xml", text), &error));
  if (corrected) {
    must(cr_model_add_correction(m, &o, &error));
  }
  return m;
}

enum { ROWS = 41, RUNS = 3, EVERY = 2, N_WEIGHT = 10 };

// runs of a pendulum with damping
static cr_measurements* record(const cr_model* m, cr_states* last) {
  const cr_states_part parts[] = {{"qpos[a]", false, 0, 1, CR_R(0.01)},
                                  {"qvel[a]", true, 0, 1, CR_R(0.05)}};
  cr_model* truth = open_pendulum(false);
  const cr_real damping = CR_R(0.1);
  cr_measurements* ms = NULL;
  must(cr_model_set(truth, "dof_damping", &damping, 1, &error));
  must(cr_measurements_create(&ms, m, &error));
  for (int k = 0; k < RUNS; k++) {
    char name[16];
    const cr_real qpos = CR_R(0.6) * (cr_real)(k + 1), qvel = CR_R(-1.5) * (cr_real)k;
    cri_states_free(last);
    (void)snprintf(name, sizeof name, "%d", k);
    must(cr_measurements_begin(ms, name, k, &error));
    must(cri_states_run(last, truth, &qpos, &qvel, ROWS, EVERY, &error));
    must(cri_states_add(ms, last, 1, 1, parts, 2, &error));
  }
  cr_model_destroy(truth);
  return ms;
}

// largest difference of the angle to the last run, from its start on
static cr_real off(const cr_model* m, const cr_states* should) {
  cr_states is;
  cr_real most = 0;
  must(cri_states_run(&is, m, should->q, should->v, ROWS, EVERY, &error));
  assert_close(is.interval, CR_R(0.02), CR_R(1e-15));
  for (int i = 0; i < ROWS; i++) {
    most = cr_max(most, cr_abs(is.q[i] - should->q[i]));
  }
  cri_states_free(&is);
  return most;
}

TEST(a_torque_is_learned) {
  cr_model* m = open_pendulum(true);
  cr_states last = {0};
  cr_measurements* ms = record(m, &last);
  const cr_lesson lesson = {.window = CR_R(0.2), .prior_sd = 10};
  cr_learner l;
  cr_search_end end;
  must(cri_learner_open(&l, m, ms, &lesson, &error));
  assert_int_equal(l.n, N_WEIGHT);
  cr_real before = off(cr_parameters_model(l.parameters), &last);
  must(cri_learner_solve(&l, 20, &end, &error));
  cr_real after = off(cr_parameters_model(l.parameters), &last);
  assert_true(before > CR_R(0.1) && after < CR_R(1e-3) * before);

  // descent goes on from there, and does not leave
  const cr_training_options how = {.size = sizeof how, .epochs = 5, .rate = CR_R(1e-4)};
  cr_training_end trained;
  must(cri_learner_train(&l, &how, &trained, &error));
  assert_true(trained.steps == 5 && off(cr_parameters_model(l.parameters), &last) < CR_R(0.01));
  cri_learner_close(&l);
  cr_measurements_destroy(ms);
  cri_states_free(&last);
  cr_model_destroy(m);
}

// of a model without networks: the damping that the runs were made with
TEST(other_numbers_are_found_too) {
  cr_model* m = open_pendulum(false);
  cr_states last = {0};
  cr_measurements* ms = record(m, &last);
  const cr_lesson lesson = {.window = CR_R(0.2)};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "damping",
                                     .target = "dof_damping[a]",
                                     .upper = (cr_real)INFINITY};
  const cr_parameter_info* const list[] = {&damping};
  cr_learner l;
  cr_search_end end;
  must(cri_learner_open_for(&l, m, list, 1, ms, &lesson, &error));
  assert_int_equal(l.n, 1);
  must(cri_learner_solve(&l, 20, &end, &error));
  assert_close(l.x[0], CR_R(0.1), CR_R(1e-5));
  cri_learner_close(&l);
  cr_measurements_destroy(ms);
  cri_states_free(&last);
  cr_model_destroy(m);
}

// the second hidden unit reads nothing, and goes on reading nothing
TEST(zeros_stay) {
  cr_model* m = open_pendulum(true);
  cr_states last = {0};
  cr_measurements* ms = record(m, &last);
  cr_real weight[N_WEIGHT];
  for (int i = 0; i < N_WEIGHT; i++) {
    weight[i] = i == 1 ? 0 : CR_R(0.1) * (cr_real)(i + 1);
  }
  must(cr_model_set(m, "plugin_param", weight, N_WEIGHT, &error));
  const cr_lesson lesson = {.window = CR_R(0.2), .prior_sd = 10, .keep_zeros = true};
  cr_learner l;
  cr_search_end end;
  int n;
  must(cri_learner_open(&l, m, ms, &lesson, &error));
  assert_int_equal(l.n, N_WEIGHT - 1);
  must(cri_learner_solve(&l, 5, &end, &error));
  const cr_real* found =
      cr_model_numbers(cr_parameters_model(l.parameters), "plugin_param", &n, NULL);
  assert_int_equal(n, N_WEIGHT);
  for (int i = 0; i < N_WEIGHT; i++) {
    assert_true((found[i] == 0) == (i == 1) && (i == 1 || found[i] != weight[i]));
  }
  cri_learner_close(&l);
  cr_measurements_destroy(ms);
  cri_states_free(&last);
  cr_model_destroy(m);
}

TEST(a_model_without_corrections_is_refused) {
  cr_model* m = open_pendulum(false);
  cr_states last = {0};
  cr_measurements* ms = record(m, &last);
  const cr_lesson lesson = {.window = CR_R(0.2)};
  cr_learner l;
  assert_int_equal(cri_learner_open(&l, m, ms, &lesson, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "no corrections"));
  cri_learner_close(&l);
  cr_measurements_destroy(ms);
  cri_states_free(&last);
  cr_model_destroy(m);
}

TEST(trials_are_found_by_what_learns) {
  static const double values[] = {3, 1, 8, 5};
  cr_trials trials = {.n = 0};
  cr_table t = {0};
  cri_trials_add(&trials, 1, 10, 4);
  cri_trials_add(&trials, 2, 10, 1);
  assert_int_equal(trials.n, 5);
  must(cri_table_create(&t, "t.csv", "kind,count,seed,value,more", NULL, trials.n, &error));
  for (int i = 0; i < trials.n; i++) {
    cr_real* row = cri_table_row(&t, i);
    row[4] = 7;
    cri_trial_row(&trials.list[i], row, 5);
    assert_true(row[3] == 0 && row[4] == 0);
    row[3] = i < 4 ? (cr_real)values[i] : 100;
  }
  assert_true(cri_trials_median(&t, 1, 10, 3) == 4 && cri_trials_median(&t, 2, 10, 3) == 100);
  assert_true(isnan(cri_trials_median(&t, 1, 11, 3)));
  assert_ptr_equal(cri_trial_find(&t, 1, 10, 3), cri_table_row(&t, 2));
  assert_null(cri_trial_find(&t, 2, 10, 2));
  cri_trials_add(&trials, 3, 1, 2 * CR_MOST_TRIALS);
  assert_int_equal(trials.n, CR_MOST_TRIALS);
  cri_table_free(&t);
}
