// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Training of a pendulum's damping and of what it has in its place: to the minimum that a search finds, with penalties that make numbers
// exactly zero, held runs that end it, and states to go on from.
#include "carom/training.h"

#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_arm[] =
    "<mujoco><option timestep='0.01' integrator='%s'/><worldbody><body><joint name='a' axis='0 1 "
    "0' "
    "damping='%s' stiffness='%s'/><geom type='capsule' fromto='0 0 0 0 0 -.5' size='.02' "
    "mass='1'/><body "
    "pos='0 0 -.5'><joint name='b' axis='0 1 0' damping='%s' stiffness='%s'/><geom type='capsule' "
    "fromto='0 0 0 0 0 -.4' size='.02' mass='.7'/></body></body></worldbody><actuator><motor "
    "name='u' joint='a' gear='2'/></actuator></mujoco>";

enum { NP = 4, NRUN = 4, ROWS = 80 };

typedef struct {
  cr_model *truth, *m;
  cr_parameters* ps;
  cr_measurements* ms;
  cr_identification* id;
} fit;

static cr_error error;

static cr_model* open_arm(const char* integrator, const char* da, const char* ka, const char* db,
                          const char* kb) {
  char text[1200];
  cr_model* m = NULL;
  (void)snprintf(text, sizeof text, text_of_arm, integrator, da, ka, db, kb);
  must(cr_model_open(&m, scratch_write("arm.xml", text), &error));
  return m;
}

// the truth has damping alone; springs are to be found to be none
static fit open_fit(cr_start start, cr_real held_out, cr_real noise, int nthread) {
  const measured_channel channels[] = {{"qpos", 1, noise, 0}, {"qvel", 2, noise, 0}};
  static const char* const targets[NP] = {"dof_damping[a]", "dof_damping[b]", "jnt_stiffness[a]",
                                          "jnt_stiffness[b]"};
  cr_parameter_info info[NP];
  const cr_parameter_info* list[NP];
  fit f = {.truth = open_arm("Euler", "0.3", "0", "0.1", "0"),
           .m = open_arm("Euler", "0.2", "0.1", "0.2", "0.1")};
  for (int i = 0; i < NP; i++) {
    info[i] = (cr_parameter_info){.size = sizeof info[i],
                                  .name = targets[i],
                                  .target = targets[i],
                                  .start = i < 2 ? CR_R(0.2) : CR_R(0.1),
                                  .lower = i < 2 ? 0 : -5,
                                  .upper = 5};
    list[i] = &info[i];
  }
  must(cr_parameters_create(&f.ps, f.m, list, NP, &error));
  must(cr_measurements_create(&f.ms, f.m, &error));
  for (int i = 0; i < NRUN; i++) {
    char name[16];
    const cr_real qpos[2] = {CR_R(0.3) * (cr_real)i, CR_R(0.2)};
    (void)snprintf(name, sizeof name, "%d", i);
    measured_run(f.ms, f.truth, name, ROWS, qpos, channels, 2, (uint64_t)i + 1);
  }
  const cr_identification_options o = {.size = sizeof o,
                                       .start = start,
                                       .held_out = held_out,
                                       .window = CR_R(0.2),
                                       .nthread = nthread};
  must(cr_identification_create(&f.id, f.ps, f.ms, &o, &error));
  return f;
}

static void close_fit(fit* f) {
  cr_identification_destroy(f->id);
  cr_measurements_destroy(f->ms);
  cr_parameters_destroy(f->ps);
  cr_model_destroy(f->m);
  cr_model_destroy(f->truth);
}

static cr_training_end train(const fit* f, const cr_training_options* o, cr_real* x) {
  cr_training_end end = {.size = sizeof end};
  must(cr_identification_train(f->id, o, x, &end, &error));
  return end;
}

// exact data: the truth, by all windows at once and by batches
TEST(it_finds_what_made_the_data) {
  static const int batches[] = {0, 3};
  for (int k = 0; k < 2; k++) {
    fit f = open_fit(CR_START_MEASURED, 0, 0, 0);
    cr_real x[NP];
    const cr_real truth[NP] = {CR_R(0.3), CR_R(0.1), 0, 0};
    must(cr_identification_get_start(f.id, x, &error));
    const cr_training_options o = {.size = sizeof o,
                                   .epochs = 400,
                                   .batch = batches[k],
                                   .rate = CR_R(0.02),
                                   .final_rate = CR_R(1e-4)};
    cr_training_end end = train(&f, &o, x);
    assert_true(end.cost < CR_R(1e-3) * end.start_cost);
    assert_true(isnan(end.held_cost) && end.epochs == 400 && end.best_epoch == 400);
    for (int i = 0; i < NP; i++) {
      if (cr_abs(x[i] - truth[i]) > CR_R(5e-3)) {
        fail_msg("batch %d: number %d is %.6g, not %.6g", batches[k], i, (double)x[i],
                 (double)truth[i]);
      }
    }
    // places are told, intervals are not
    cr_fit_of_place place = {.size = sizeof place};
    cr_estimate estimate = {.size = sizeof estimate};
    must(cr_identification_get_place(f.id, CR_RUNS_TRAIN, 0, &place, &error));
    assert_true(place.explained > CR_R(0.999));
    assert_int_equal(cr_identification_get(f.id, 0, &estimate, &error), CR_ERR_ARG);
    assert_non_null(strstr(error.text, "no intervals"));
    close_fit(&f);
  }
}

// springs in one group each become exactly 0, dampings without group stay
TEST(a_lasso_makes_numbers_exactly_zero) {
  static const int32_t group[NP] = {-1, -1, 0, 1};
  static const cr_real lasso[2][2] = {{20, 0}, {0, 20}};
  for (int k = 0; k < 2; k++) {
    fit f = open_fit(CR_START_MEASURED, 0, CR_R(0.02), 0);
    cr_real x[NP];
    must(cr_identification_get_start(f.id, x, &error));
    cr_training_options o = {.size = sizeof o,
                             .epochs = 300,
                             .rate = CR_R(0.02),
                             .final_rate = CR_R(1e-3),
                             .group = group,
                             .lasso = lasso[k][0],
                             .group_lasso = lasso[k][1]};
    (void)train(&f, &o, x);
    assert_true(x[2] == 0 && x[3] == 0);
    assert_true(cr_abs(x[0] - CR_R(0.3)) < CR_R(0.1) && cr_abs(x[1] - CR_R(0.1)) < CR_R(0.1));
    // without it they are small and not zero
    o.lasso = o.group_lasso = 0;
    must(cr_identification_get_start(f.id, x, &error));
    (void)train(&f, &o, x);
    assert_true(x[2] != 0 && x[3] != 0);
    close_fit(&f);
  }
}

// At the end the derivative of the mean cost is that of the penalties, whatever Adam divides by: minus lasso sign(x), and for
// a group minus group_lasso sqrt(size) x / |x|.
TEST(a_lasso_ends_at_a_minimum_of_cost_and_penalties) {
  static const int32_t group[NP] = {0, 0, -1, 1};
  static const cr_real lasso[2] = {CR_R(0.7), 0}, group_lasso[2] = {0, CR_R(0.9)};
  for (int k = 0; k < 2; k++) {
    fit f = open_fit(CR_START_MEASURED, 0, CR_R(0.02), 0);
    cr_real x[NP], g[NP], cost, norm;
    must(cr_identification_get_start(f.id, x, &error));
    const cr_training_options o = {.size = sizeof o,
                                   .epochs = 1500,
                                   .rate = CR_R(0.02),
                                   .final_rate = CR_R(1e-6),
                                   .group = group,
                                   .lasso = lasso[k],
                                   .group_lasso = group_lasso[k]};
    cr_training_end end = train(&f, &o, x);
    must(cr_identification_evaluate(f.id, CR_RUNS_TRAIN, x, &cost, g, &error));
    norm = cr_sqrt(x[0] * x[0] + x[1] * x[1]);
    for (int i = 0; i < 2; i++) {
      assert_true(x[i] > CR_R(0.01));
      cr_real penalty = lasso[k] + group_lasso[k] * cr_sqrt(2) * x[i] / norm;
      assert_close(g[i] * end.cost / cost, -penalty, CR_R(1e-3));
    }
    assert_close(g[2] * end.cost / cost, 0, CR_R(1e-3));
    close_fit(&f);
  }
}

// With factors f the penalties at the end are lasso f sign(x) and group_lasso sqrt(sum f^2) x / |x|; a factor of 0 takes the
// penalty away, and factors of 1 change no bit.
TEST(factors_weigh_the_lasso) {
  static const int32_t group[NP] = {0, 0, -1, 1};
  const cr_real factor[NP] = {CR_R(0.5), CR_R(1.5), 7, 0}, ones[NP] = {1, 1, 1, 1};
  const cr_real whole_factor[NP] = {CR_R(1.2), CR_R(0.3), 7, 0};  // of groups, with k = 2
  static const cr_real lasso[3] = {CR_R(0.7), 0, CR_R(0.4)},
                       group_lasso[3] = {0, CR_R(0.9), CR_R(0.5)};
  for (int k = 0; k < 3; k++) {
    fit f = open_fit(CR_START_MEASURED, 0, CR_R(0.02), 0);
    cr_real x[NP], y[NP], g[NP], cost;
    must(cr_identification_get_start(f.id, x, &error));
    cr_training_options o = {.size = sizeof o,
                             .epochs = 1500,
                             .rate = CR_R(0.02),
                             .final_rate = CR_R(1e-6),
                             .group = group,
                             .lasso_factor = factor,
                             .group_factor = k == 2 ? whole_factor : NULL,
                             .lasso = lasso[k],
                             .group_lasso = group_lasso[k]};
    cr_training_end end = train(&f, &o, x);
    must(cr_identification_evaluate(f.id, CR_RUNS_TRAIN, x, &cost, g, &error));
    cr_real norm = cr_sqrt(x[0] * x[0] + x[1] * x[1]);
    for (int i = 0; i < NP; i++) {
      cr_real squares = k == 2 ? CR_R(1.44) + CR_R(0.09) : CR_R(0.25) + CR_R(2.25);
      cr_real whole = group_lasso[k] * cr_sqrt(squares) * x[i] / norm;
      cr_real penalty = i < 2 ? lasso[k] * factor[i] + whole : 0;
      assert_true(i >= 2 || x[i] > CR_R(0.01));
      assert_close(g[i] * end.cost / cost, -penalty, CR_R(1e-3));
    }
    o.epochs = 20;
    o.lasso_factor = o.group_factor = NULL;
    must(cr_identification_get_start(f.id, x, &error));
    cr_copy(y, x, NP);
    (void)train(&f, &o, x);
    o.lasso_factor = ones;
    (void)train(&f, &o, y);
    assert_memory_equal(x, y, sizeof x);
    close_fit(&f);
  }
}

// noisy data, many epochs at a high rate: the epoch with the lowest cost of the runs held aside is returned
TEST(held_runs_end_it) {
  fit f = open_fit(CR_START_MEASURED, CR_R(0.3), CR_R(0.05), 0);
  cr_real x[NP], y[NP], cost;
  must(cr_identification_get_start(f.id, x, &error));
  const cr_training_options o = {
      .size = sizeof o, .epochs = 500, .batch = 2, .rate = CR_R(0.05), .patience = 5};
  cr_training_end end = train(&f, &o, x);
  assert_true(end.epochs < 500 && end.best_epoch == end.epochs - 5);
  assert_true(strstr(end.reason, "held aside") != NULL && isfinite(end.held_cost));
  cr_copy(y, x, NP);
  must(cr_identification_evaluate(f.id, CR_RUNS_HELD, y, &cost, NULL, &error));
  // or the last one, which is no better there
  cr_training_options last = o;
  last.keep_last = true;
  must(cr_identification_get_start(f.id, y, &error));
  cr_training_end kept = train(&f, &last, y);
  assert_true(kept.epochs == end.epochs && kept.best_epoch == end.epochs);
  assert_true(kept.held_cost > end.held_cost && y[0] != x[0]);
  close_fit(&f);
}

// ---- states to go on from

typedef struct {
  int stop_at, told;
  unsigned char bytes[4096];
  size_t size;
} keeper;

static cr_status keep(void* context, int epoch, const void* state, size_t size, cr_error* e) {
  keeper* k = context;
  (void)epoch, (void)e;
  assert_true(size <= sizeof k->bytes);
  memcpy(k->bytes, state, size);
  k->size = size;
  return CR_OK;
}

static void tell(void* context, int epoch, cr_real cost, cr_real held) {
  (void)cost, (void)held;
  ((keeper*)context)->told = epoch;
}

static bool stop(void* context) {
  const keeper* k = context;
  return k->stop_at > 0 && k->told >= k->stop_at;
}

// a state of a training that patience has ended has nothing left to do
TEST(an_end_by_patience_stays) {
  fit f = open_fit(CR_START_MEASURED, CR_R(0.3), CR_R(0.05), 0);
  static keeper k;
  cr_real x[NP], y[NP];
  k = (keeper){0};
  cr_training_options o = {.size = sizeof o,
                           .epochs = 500,
                           .batch = 2,
                           .rate = CR_R(0.05),
                           .patience = 5,
                           .save = keep,
                           .context = &k};
  must(cr_identification_get_start(f.id, x, &error));
  cr_training_end whole = train(&f, &o, x);
  assert_true(whole.epochs < 500);
  unsigned char* last = memcpy(calloc(1, k.size), k.bytes, k.size);
  o.resume = last;
  o.resume_size = k.size;
  cr_zero(y, NP);
  cr_training_end again = train(&f, &o, y);
  assert_memory_equal(x, y, sizeof x);
  assert_true(again.epochs == whole.epochs && again.best_epoch == whole.best_epoch &&
              again.cost == whole.cost);
  assert_string_equal(again.reason, whole.reason);
  free(last);
  close_fit(&f);
}

TEST(it_goes_on_to_the_same_digits) {
  for (int nthread = 1; nthread <= 2; nthread++) {
    fit f = open_fit(CR_START_MEASURED, CR_R(0.3), CR_R(0.01), nthread);
    static keeper k;
    cr_real x[NP], y[NP];
    cr_training_end end = {.size = sizeof end};
    k = (keeper){0};
    cr_training_options o = {.size = sizeof o,
                             .epochs = 30,
                             .batch = 3,
                             .rate = CR_R(0.02),
                             .seed = 5,
                             .stop = stop,
                             .progress = tell,
                             .save = keep,
                             .context = &k};
    must(cr_identification_get_start(f.id, x, &error));
    cr_copy(y, x, NP);
    cr_training_end whole = train(&f, &o, x);
    k.stop_at = 11;
    k.told = 0;
    assert_int_equal(cr_identification_train(f.id, &o, y, &end, &error), CR_ERR_INTERRUPTED);
    k.stop_at = 0;
    o.resume = memcpy(calloc(1, k.size), k.bytes, k.size);
    o.resume_size = k.size;
    cr_zero(y, NP);
    must(cr_identification_train(f.id, &o, y, &end, &error));
    assert_memory_equal(x, y, sizeof x);
    assert_true(end.epochs == 30 && end.steps == whole.steps && end.cost == whole.cost &&
                end.start_cost == whole.start_cost && end.best_epoch == whole.best_epoch);
    // of another training, cut, or changed
    o.rate = CR_R(0.03);
    assert_int_equal(cr_identification_train(f.id, &o, y, &end, &error), CR_ERR_FORMAT);
    assert_non_null(strstr(error.text, "options of the training"));
    o.rate = CR_R(0.02);
    for (size_t at = 70; at < k.size; at += 37) {
      ((unsigned char*)(uintptr_t)o.resume)[at] ^= 4;
      assert_int_equal(cr_identification_train(f.id, &o, y, &end, &error), CR_ERR_FORMAT);
      ((unsigned char*)(uintptr_t)o.resume)[at] ^= 4;
      o.resume_size = at;
      assert_int_equal(cr_identification_train(f.id, &o, y, &end, &error), CR_ERR_FORMAT);
      o.resume_size = k.size;
    }
    free((void*)(uintptr_t)o.resume);
    close_fit(&f);
  }
}

TEST(the_digits_do_not_depend_on_threads) {
  cr_real x[2][NP];
  for (int i = 0; i < 2; i++) {
    fit f = open_fit(CR_START_MEASURED, 0, CR_R(0.01), i + 1);
    must(cr_identification_get_start(f.id, x[i], &error));
    const cr_training_options o = {
        .size = sizeof o, .epochs = 10, .batch = 5, .rate = CR_R(0.02), .weight_decay = CR_R(0.01)};
    (void)train(&f, &o, x[i]);
    close_fit(&f);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

// a step so long that the arm cannot be simulated: it goes back and halves
TEST(a_step_too_far_is_taken_back) {
  fit f = open_fit(CR_START_MEASURED, 0, 0, 1);
  cr_real x[NP];
  must(cr_identification_get_start(f.id, x, &error));
  const cr_training_options o = {
      .size = sizeof o, .epochs = 60, .rate = CR_R(1e5), .final_rate = CR_R(1e-3)};
  cr_training_end end = train(&f, &o, x);
  for (int i = 0; i < NP; i++) {
    assert_true(isfinite(x[i]));
  }
  assert_true(end.epochs == 60 && isfinite(end.cost));
  close_fit(&f);
}

TEST(what_is_not_sane_is_refused) {
  static const int32_t group[NP] = {0, 0, 9, 0};
  static const int32_t all[NP] = {0, 0, 0, 0};
  static const cr_real l2[NP] = {0, 0, -1, 0}, open[NP] = {0, (cr_real)INFINITY, 0, 0};
  const cr_training_options sane = {.size = sizeof sane, .epochs = 2, .rate = CR_R(0.01)};
  const struct {
    cr_training_options o;
    const char* says;
  } rows[] = {
      {{.size = sizeof sane, .epochs = -1, .rate = 1}, "negative number of epochs"},
      {{.size = sizeof sane}, "rate is not above 0"},
      {{.size = sizeof sane, .rate = (cr_real)NAN}, "rate is not above 0"},
      {{.size = sizeof sane, .rate = 1, .final_rate = -1}, "final rate"},
      {{.size = sizeof sane, .rate = 1, .b1 = 1}, "b1 or b2"},
      {{.size = sizeof sane, .rate = 1, .weight_decay = -1}, "weight decay"},
      {{.size = sizeof sane, .rate = 1, .lasso = 1}, "needs groups"},
      {{.size = sizeof sane, .rate = 1, .group = group, .lasso = 1}, "group[2] is 9"},
      {{.size = sizeof sane, .rate = 1, .l2 = l2}, "l2[2]"},
      {{.size = sizeof sane, .rate = 1, .group = all, .lasso_factor = l2}, "lasso_factor[2]"},
      {{.size = sizeof sane, .rate = 1, .group = all, .lasso_factor = open}, "lasso_factor[1]"},
      {{.size = sizeof sane, .rate = 1, .group = all, .group_factor = open}, "group_factor[1]"},
      {{.size = sizeof sane, .rate = 1, .resume = l2}, "resume_size"},
  };
  fit f = open_fit(CR_START_MEASURED, 0, 0, 1);
  cr_real x[NP];
  cr_training_end end = {.size = sizeof end};
  must(cr_identification_get_start(f.id, x, &error));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_int_equal(cr_identification_train(f.id, &rows[i].o, x, &end, &error), CR_ERR_ARG);
    if (strstr(error.text, rows[i].says) == NULL) {
      fail_msg("'%s' does not say '%s'", error.text, rows[i].says);
    }
  }
  must(cr_identification_train(f.id, &sane, x, &end, &error));
  close_fit(&f);
}
