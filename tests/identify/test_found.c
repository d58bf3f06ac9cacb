// SPDX-License-Identifier: Apache-2.0
// Needs: io
// What an identification found: runs held aside, what the data cannot tell, what a report tells with its intervals.
#include <stdio.h>
#include <stdlib.h>

#include "carom/carom.h"
#include "scenes/io_cart.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"

enum { ROWS = 300, MOST = 16 };

static cr_error error;
static cr_model* m;

static void setup(void) { m = cart_model(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static cr_estimate estimate(const cr_identification* id, int i) {
  cr_estimate e = {.size = sizeof e};
  must(cr_identification_get(id, i, &e, &error));
  return e;
}

static cr_estimate reported(const cr_identification* id, int i) {
  cr_estimate e = {.size = sizeof e};
  must(cr_identification_get_report(id, i, &e, &error));
  return e;
}

// x[MOST]: the solution
static cr_identification* solved_with(cr_parameters* p, const cr_measurements* ms,
                                      const cr_identification_options* o, cr_real* x) {
  const cr_search thorough = {.size = sizeof thorough};
  cr_identification* id = NULL;
  cr_search_end end = {.size = sizeof end};
  must(cr_identification_create(&id, p, ms, o, &error));
  assert_true(cr_identification_count(id) <= MOST);
  must(cr_identification_get_start(id, x, &error));
  must(cr_identification_solve(id, &thorough, x, &end, &error));
  return id;
}

static cr_identification* solved(cr_parameters* p, const cr_measurements* ms, cr_real held) {
  const cr_identification_options o = {.size = sizeof o, .nthread = 1, .held_out = held, .seed = 3};
  cr_real x[MOST];
  return solved_with(p, ms, &o, x);
}

TEST(runs_held_aside_are_predicted) {
  cr_measurements* ms = cart_runs(m, ROWS);
  cr_parameters* p = cart_parameters(m, 1);
  cr_identification* id = solved(p, ms, CR_R(0.3));
  int held = -1;
  for (int i = 0; i < cr_identification_places(id); i++) {
    cr_fit_of_place train = {.size = sizeof train}, aside = {.size = sizeof aside};
    must(cr_identification_get_place(id, CR_RUNS_TRAIN, i, &train, &error));
    must(cr_identification_get_place(id, CR_RUNS_HELD, i, &aside, &error));
    assert_int_equal(train.n, 2 * aside.n);
    assert_true(cr_abs(aside.rms / train.rms - 1) < CR_R(0.2));
    held = (int)aside.n;
  }
  assert_int_equal(held, 3 * ROWS);  // three numbers of the gyro
  // what is predicted is as far from what was seen as the errors say, in every run
  for (int run = 0; run < 3; run++) {
    cr_channel_info seen = {.size = sizeof seen};
    cr_real predicted[ROWS], sum = 0;
    must(cr_measurements_get(ms, run, 1, &seen, &error));
    must(cr_identification_predict(id, run, 1, predicted, &error));
    for (int k = 0; k < seen.rows; k++) {
      sum += (predicted[k] - seen.values[k]) * (predicted[k] - seen.values[k]);
    }
    assert_true(cr_abs(cr_sqrt(sum / (cr_real)seen.rows) / CR_R(0.002) - 1) < CR_R(0.2));
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

TEST(what_cannot_be_told_is_said) {
  // nothing pushes: all masses and frictions may grow together; and a number that no motion shows
  static const measured_channel channels[] = {{"qpos", 1, CR_R(0.001), 0}};
  static const char text[] =
      "<mujoco><option timestep='0.005'/><worldbody><body name='one'><joint name='a' axis='0 1 0' "
      "damping='.02'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.01' mass='.3'/></body>"
      "<body name='still' pos='1 0 0'><joint name='s' axis='0 1 0' frictionloss='50'/><geom "
      "size='.1' pos='0 0 -.2'/></body></worldbody></mujoco>";
  cr_model* swing = NULL;
  cr_measurements* ms = NULL;
  cr_parameters* p = NULL;
  must(cr_model_open(&swing, scratch_write("swing.xml", text), &error));
  must(cr_measurements_create(&ms, swing, &error));
  const cr_real q[2] = {1, 0};
  measured_run(ms, swing, "swing", 600, q, channels, 1, 1);
  static const struct {
    const char *name, *target;
    cr_fit_kind kind;
  } rows[] = {{"mass", "one", CR_FIT_DENSITY},
              {"damping", "dof_damping[a]", CR_FIT_FIELD},
              {"friction", "dof_frictionloss[s]", CR_FIT_FIELD}};
  cr_parameter_info all[3];
  const cr_parameter_info* list[3];
  for (int i = 0; i < 3; i++) {
    all[i] = (cr_parameter_info){.size = sizeof all[i],
                                 .name = rows[i].name,
                                 .target = rows[i].target,
                                 .kind = rows[i].kind,
                                 .transform = CR_TRANSFORM_LOG,
                                 .start = i == 0   ? 1
                                          : i == 1 ? CR_R(0.02)
                                                   : 50,
                                 .upper = 1000};
    list[i] = &all[i];
  }
  must(cr_parameters_create(&p, swing, list, 3, &error));
  cr_identification* id = solved(p, ms, 0);
  int n = 0, together = 0, alone = 0;
  must(cr_identification_untold(id, 0, NULL, 0, &n, &error));
  assert_int_equal(n, 2);
  for (int i = 0; i < n; i++) {
    char words[256];
    must(cr_identification_untold(id, i, words, (int)sizeof words, &n, &error));
    together += strstr(words, "mass") != NULL && strstr(words, "damping") != NULL &&
                strstr(words, "only what they do together") != NULL;
    alone += strcmp(words, "friction: the data do not tell it") == 0;
  }
  assert_int_equal(together, 1);
  assert_int_equal(alone, 1);
  for (int i = 0; i < 3; i++) {
    cr_estimate e = estimate(id, i);
    assert_true(!e.told && isinf(e.upper));
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
  cr_model_destroy(swing);
}

// ---- reports

// a body that a joint holds or that flies, and an arm; motors move both
static const char text_of_top[] =
    "<mujoco><option timestep='0.005'/><worldbody><body name='top'><joint name='j' type='%s' "
    "damping='.01'/><geom type='box' size='.05 .08 .12' pos='.04 .02 -.1' mass='.6'/></body><body "
    "name='arm' pos='1 0 0'><joint name='h' axis='0 .6 .8' damping='.02'/><geom type='capsule' "
    "fromto='0 0 0 .2 .1 -.3' size='.02' mass='.4'/></body></worldbody><actuator><motor joint='j' "
    "gear='%s'/><motor joint='j' gear='%s'/><motor joint='h' gear='.05'/></actuator></mujoco>";

static cr_model* model_of_top(const char* joint, const char* gear, const char* other_gear) {
  char text[2048];
  cr_model* top = NULL;
  (void)snprintf(text, sizeof text, text_of_top, joint, gear, other_gear);
  must(cr_model_open(&top, scratch_write("top.xml", text), &error));
  return top;
}

enum { NX = 10 + 3 + 1 + 1, NR = NX };

static cr_parameters* of_top(const cr_model* top) {
  const cr_parameter_info inertia = {
      .size = sizeof inertia, .name = "top", .target = "top", .kind = CR_FIT_INERTIA};
  const cr_parameter_info axis = {
      .size = sizeof axis, .name = "axis", .target = "jnt_axis[h]", .kind = CR_FIT_DIRECTION};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "damping",
                                     .target = "dof_damping[h]",
                                     .transform = CR_TRANSFORM_LOG,
                                     .start = CR_R(0.02),
                                     .upper = 10};
  const cr_parameter_info* const list[] = {&inertia, &axis, &damping};
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, top, list, 3, &error));
  return p;
}

// deviation of number i of a report, by differences of it along directions that the data tell
static cr_real deviation_of(const cr_parameters* p, const cr_real* x, const cr_real* covariance,
                            int n, int i) {
  cr_real slope[MOST] = {0}, values[2][MOST], y[MOST], sum = 0;
  for (int k = 0; k < n - 1; k++) {
    cr_copy(y, x, n);
    for (int s = 0; s < 2; s++) {
      y[k] = x[k] + (s == 0 ? CR_R(1e-4) : -CR_R(1e-4));
      must(cr_parameters_report_values(p, y, values[s], NULL, &error));
    }
    slope[k] = (values[0][i] - values[1][i]) / CR_R(2e-4);
  }
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < n && slope[k] != 0; j++) {
      sum += slope[j] != 0 ? slope[k] * covariance[k * n + j] * slope[j] : 0;
    }
  }
  return cr_sqrt(sum);
}

TEST(reports_have_the_deviations_of_differences) {
  static const measured_channel channels[] = {
      {"qpos[j]", 1, 0, 0}, {"qvel[j]", 1, CR_R(0.01), 0}, {"xquat[arm]", 1, 0, 0}};
  cr_model* top = model_of_top("free", "1 0 .5 .005 0 0", "0 0 1 0 .005 .005");
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, top, &error));
  measured_run(ms, top, "one", 400, NULL, channels, 3, 1);
  must(cr_measurements_set_noise(ms, "qpos[j]", CR_R(0.001), &error));
  must(cr_measurements_set_noise(ms, "xquat[arm]", CR_R(0.001), &error));
  cr_parameters* p = of_top(top);
  const char* delayed[] = {"qvel[j]"};
  const cr_identification_options o = {
      .size = sizeof o, .nthread = 1, .delayed = delayed, .ndelayed = 1};
  cr_real x[MOST], covariance[NX * NX], values[NR];
  cr_identification* id = solved_with(p, ms, &o, x);
  must(cr_identification_covariance(id, covariance, NULL, &error));
  must(cr_parameters_report_values(p, x, values, NULL, &error));
  assert_int_equal(cr_identification_count(id), NX);
  assert_int_equal(cr_identification_report_count(id), NR);
  for (int i = 0; i < NR; i++) {
    cr_estimate e = reported(id, i);
    print_message("%s %.6g (%.6g to %.6g), deviation %.3g\n", e.name, (double)e.value,
                  (double)e.lower, (double)e.upper, (double)e.deviation);
    assert_true(e.told);
    if (i < 10) {  // the inertia: every number is told, though some are nearly 0
      assert_true(estimate(id, i).told);
      cr_real right = deviation_of(p, x, covariance, NX, i);
      assert_true(e.value == values[i]);
      assert_true(cr_abs(e.deviation / right - 1) < CR_R(1e-5));
    }
    assert_true(e.lower < e.value && e.value < e.upper);
  }
  assert_string_equal(reported(id, 0).name, "top.mass");
  assert_string_equal(estimate(id, 0).name, "top.log_scale");
  // what is a number of x has the interval of x
  for (int i = 13; i < NX; i++) {
    cr_estimate a = estimate(id, i), b = reported(id, i);
    assert_true(a.value == b.value && a.lower == b.lower && a.upper == b.upper);
    assert_string_equal(a.name, b.name);
  }
  // of an axis no number of x is told, as its length is not, but the axis is
  cr_real length = 0;
  for (int i = 10; i < 13; i++) {
    length += values[i] * values[i];
    assert_true(reported(id, i).value == values[i]);
  }
  assert_true(cr_abs(length - 1) < CR_R(1e-12));
  assert_true(!estimate(id, 11).told && !estimate(id, 12).told);
  cr_estimate none = {.size = sizeof none};
  assert_int_equal(cr_identification_get_report(id, NR, &none, &error), CR_ERR_ARG);
  assert_int_equal(cr_identification_get_report(id, -1, &none, &error), CR_ERR_ARG);
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
  cr_model_destroy(top);
}

TEST(reports_say_what_is_not_told) {
  // about a point that does not move, mass and centre show as their product alone, and moments about that point
  static const measured_channel channels[] = {{"qpos[j]", 1, 0, 0}, {"qvel[j]", 1, CR_R(0.01), 0}};
  cr_model* top = model_of_top("ball", ".02 0 0", "0 .02 .02");
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, top, &error));
  measured_run(ms, top, "one", 400, NULL, channels, 2, 1);
  must(cr_measurements_set_noise(ms, "qpos[j]", CR_R(0.001), &error));
  cr_parameters* p = of_top(top);
  cr_identification* id = solved(p, ms, 0);
  for (int i = 0; i < 10; i++) {
    cr_estimate e = reported(id, i);
    print_message("%s %.6g (%.6g to %.6g)\n", e.name, (double)e.value, (double)e.lower,
                  (double)e.upper);
    assert_true(!e.told && isinf(e.lower) && isinf(e.upper) && isinf(e.deviation));
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
  cr_model_destroy(top);
}
