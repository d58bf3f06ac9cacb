// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Intervals by profile likelihood: those of the covariance where a fit is nearly linear, ends at the right cost where it is not,
// ends at a bound; nothing is changed by the call.
#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_pendulum[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='arm'><joint name='h' axis='0 1 0' "
    "damping='0.05' frictionloss='0.02'/><geom type='capsule' fromto='0 0 0 .1 0 -.5' size='.02' "
    "mass='.5'/></body></worldbody><actuator><motor name='push' joint='h' gear='.3'/></actuator>"
    "</mujoco>";

enum { MOST = 400 };

static cr_error error;
static cr_model* m;

static void setup(void) {
  must(cr_model_open(&m, scratch_write("pendulum.xml", text_of_pendulum), &error));
}
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static void set(const char* name, cr_real value) { must(cr_model_set(m, name, &value, 1, &error)); }

static const cr_parameter_info density = {.size = sizeof density,
                                          .name = "density",
                                          .target = "arm",
                                          .kind = CR_FIT_DENSITY,
                                          .transform = CR_TRANSFORM_LOG,
                                          .upper = 100};
static const cr_parameter_info damping = {.size = sizeof damping,
                                          .name = "damping",
                                          .target = "dof_damping[h]",
                                          .start = CR_R(0.06),
                                          .upper = 10};
static const cr_parameter_info friction = {.size = sizeof friction,
                                           .name = "friction",
                                           .target = "dof_frictionloss[h]",
                                           .start = CR_R(0.01),
                                           .upper = 10};

static cr_measurements* one_run(int rows, int every, cr_real noise, int delay, uint64_t seed) {
  const measured_channel channels[] = {{"qpos[h]", every, noise, delay},
                                       {"qvel[h]", every, 10 * noise, 0}};
  cr_measurements* ms = NULL;
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "one", rows, NULL, channels, 2, seed);
  must(cr_measurements_set_noise(ms, "qpos[h]", noise, &error));
  must(cr_measurements_set_noise(ms, "qvel[h]", 10 * noise, &error));
  return ms;
}

static cr_identification* solved(cr_parameters* p, const cr_measurements* ms,
                                 const cr_identification_options* o, cr_real* x) {
  cr_identification* id = NULL;
  const cr_search search = {.size = sizeof search};
  cr_search_end end = {.size = sizeof end};
  must(cr_identification_create(&id, p, ms, o, &error));
  must(cr_identification_get_start(id, x, &error));
  must(cr_identification_solve(id, &search, x, &end, &error));
  return id;
}

static cr_estimate estimate(const cr_identification* id, int i) {
  cr_estimate e = {.size = sizeof e};
  must(cr_identification_get(id, i, &e, &error));
  return e;
}

static cr_estimate profile(cr_identification* id, int i) {
  cr_estimate e = {.size = sizeof e};
  must(cr_identification_profile(id, i, &e, &error));
  return e;
}

TEST(nearly_linear_fits_have_the_intervals_of_the_covariance) {
  const cr_parameter_info* const list[] = {&density, &damping, &friction};
  const char *delayed[] = {"qpos[h]"}, *shifted[] = {"qvel[h]"};
  const cr_identification_options o = {.size = sizeof o,
                                       .delayed = delayed,
                                       .ndelayed = 1,
                                       .shifted = shifted,
                                       .nshifted = 1,
                                       .nthread = 1};
  cr_parameters* p = NULL;
  cr_real x[5];
  must(cr_parameters_create(&p, m, list, 3, &error));
  cr_measurements* ms = one_run(MOST, 1, CR_R(1e-4), 2, 3);
  cr_identification* id = solved(p, ms, &o, x);
  assert_int_equal(cr_identification_count(id), 5);
  for (int i = 0; i < 5; i++) {
    cr_estimate e = estimate(id, i), f = profile(id, i);
    print_message("%s %.6g (%.7g to %.7g), profile %.7g to %.7g\n", e.name, (double)e.value,
                  (double)e.lower, (double)e.upper, (double)f.lower, (double)f.upper);
    cr_real width = e.upper - e.lower;
    assert_true(f.told && !f.at_bound && f.value == e.value && f.deviation == e.deviation);
    // the slope by the delay leaps at its truth, where measurements are on steps
    cr_real near = (i == 3 ? CR_R(0.03) : CR_R(0.005)) * width;
    assert_true(cr_abs(f.lower - e.lower) < near && cr_abs(f.upper - e.upper) < near);
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

// the cost of the one number x, whose start is known: nothing else is searched
static cr_real cost_at(cr_identification* id, cr_real x) {
  cr_real cost;
  must(cr_identification_evaluate(id, CR_RUNS_TRAIN, &x, &cost, NULL, &error));
  return cost;
}

// errors are `larger` times what is said of them
static void check_ends(cr_real larger) {
  // few and noisy numbers: half the damping and twice of it fit nearly as well
  const cr_parameter_info* const list[] = {&damping};
  const cr_identification_options o = {
      .size = sizeof o, .start = CR_START_REFERENCE, .nthread = 1, .confidence = CR_R(0.95)};
  cr_parameters* p = NULL;
  cr_real x[1];
  must(cr_parameters_create(&p, m, list, 1, &error));
  cr_measurements* ms = one_run(60, 6, CR_R(0.05), 0, 5);
  must(cr_measurements_set_noise(ms, "qpos[h]", CR_R(0.05) / larger, &error));
  must(cr_measurements_set_noise(ms, "qvel[h]", CR_R(0.5) / larger, &error));
  cr_identification* id = solved(p, ms, &o, x);
  cr_estimate e = estimate(id, 0), f = profile(id, 0);
  cr_real least = cost_at(id, x[0]), excess = cr_max(2 * least / 19, 1);
  const cr_real q = CR_R(2.0930);  // Student's t, 19 degrees of freedom
  print_message("%g (%g to %g), profile %g to %g, excess %g\n", (double)e.value, (double)e.lower,
                (double)e.upper, (double)f.lower, (double)f.upper, (double)excess);
  for (int k = 0; k < 2; k++) {
    cr_real root = cr_sqrt(2 * (cost_at(id, k == 0 ? f.lower : f.upper) - least) / excess);
    assert_true(cr_abs(root / q - 1) < CR_R(2e-3));
  }
  // and it is skewed
  cr_real left = f.value - f.lower, right = f.upper - f.value;
  assert_true(cr_abs(left / right - 1) > CR_R(0.05));
  assert_true(f.told && !f.at_bound && (excess > 2) == (larger > 1));
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}

TEST(ends_are_where_the_cost_has_grown_enough) {
  check_ends(1);
  check_ends(3);
}

TEST(bounds_and_what_nobody_tells) {
  // one number ends at its bound, where the data have no say; and a damping whose logarithm may go down for ever
  cr_parameter_info of[2] = {friction, damping};
  const cr_parameter_info* const list[] = {&of[0], &of[1]};
  const cr_identification_options o = {.size = sizeof o, .start = CR_START_REFERENCE, .nthread = 1};
  cr_real x[2];
  of[0].start = 0;
  of[1].transform = CR_TRANSFORM_LOG;
  of[1].start = CR_R(0.001);
  set("dof_frictionloss[h]", 0);
  set("dof_damping[h]", CR_R(1e-5));
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, 2, &error));
  cr_measurements* ms = one_run(60, 6, CR_R(0.03), 0, 5);
  cr_identification* id = solved(p, ms, &o, x);
  cr_estimate a = profile(id, 0), b = profile(id, 1);
  print_message("friction %g (%g to %g), damping %g (%g to %g)\n", (double)a.value, (double)a.lower,
                (double)a.upper, (double)b.value, (double)b.lower, (double)b.upper);
  assert_true(a.at_bound && a.told && a.lower == 0 && a.upper > 0 && a.upper < 1);
  assert_true(!b.at_bound && b.told && b.lower == 0 && b.upper > 0 && b.upper < 1);
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
  set("dof_frictionloss[h]", CR_R(0.02));
  set("dof_damping[h]", CR_R(0.05));
}

static int heard, heard_until;
static void hear(void* context, int step, cr_real cost) {
  (void)context;
  assert_true(step >= 0 && isfinite(cost));
  heard++;
}
static bool hush(void* context) {
  (void)context;
  return heard_until > 0 && heard > heard_until;
}

static bool same(const cr_estimate* a, const cr_estimate* b) {
  return a->value == b->value && a->lower == b->lower && a->upper == b->upper &&
         a->deviation == b->deviation && a->told == b->told && a->at_bound == b->at_bound;
}

TEST(nothing_is_changed) {
  const cr_parameter_info* const list[] = {&density, &damping};
  const cr_identification_options o = {
      .size = sizeof o, .nthread = 2, .stop = hush, .progress = hear};
  cr_parameters* p = NULL;
  cr_real x[2], seen[2][MOST];
  cr_estimate e[2][2];
  must(cr_parameters_create(&p, m, list, 2, &error));
  cr_measurements* ms = one_run(MOST, 2, CR_R(0.01), 0, 3);
  cr_identification* id = solved(p, ms, &o, x);
  cr_estimate full = {0};
  for (int pass = 0; pass < 3; pass++) {
    for (int i = 0; i < 2; i++) {
      e[pass > 0][i] = estimate(id, i);
    }
    must(cr_identification_predict(id, 0, 1, seen[pass > 0], &error));
    if (pass > 0) {
      for (int i = 0; i < 2; i++) {
        assert_true(same(&e[0][i], &e[1][i]));
      }
      assert_memory_equal(seen[0], seen[1], MOST / 2 * sizeof(cr_real));
    }
    heard = 0;
    heard_until = pass == 1 ? 3 : 0;
    cr_estimate f = {.size = sizeof f};
    cr_status status = cr_identification_profile(id, 1, &f, &error);
    assert_int_equal(status, pass == 1 ? CR_ERR_INTERRUPTED : CR_OK);
    assert_true(heard > 3);
    if (pass == 0) {
      full = f;
    }
    if (pass == 2) {
      assert_true(same(&full, &f));
    }
  }
  cr_identification_destroy(id);
  cr_parameters_destroy(p);
  cr_measurements_destroy(ms);
}
