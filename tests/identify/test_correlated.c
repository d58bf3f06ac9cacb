// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Intervals where errors follow each other: autocorrelations of an autoregression, and recordings whose errors remember nine tenths of
// the one before.
#include "identify/correlated.h"

#include "base/random.h"
#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_arm[] =
    "<mujoco><option timestep='0.01' integrator='implicitfast'/><worldbody><body name='arm'><joint "
    "name='a' axis='0 1 0' damping='0.1' stiffness='2'/><geom type='capsule' fromto='0 0 0 0 0 "
    "-.3' "
    "size='.02' mass='.5'/></body></worldbody><actuator><motor name='push' joint='a' gear='.6'/>"
    "</actuator></mujoco>";

static cr_error error;

TEST(lags_are_those_of_an_autoregression) {
  cr_real c[CRI_CORRELATED_TERMS + 1], r[CRI_CORRELATED_LAGS];
  for (int k = 0; k <= CRI_CORRELATED_TERMS; k++) {
    c[k] = 3 * cr_pow(CR_R(0.8), (cr_real)k);
  }
  int lags = cri_correlated_lags(c, 1000, r);
  assert_int_equal(lags, 20);  // 0.8^21 < 0.01
  for (int k = 1; k <= 30; k++) {
    assert_close(r[k - 1], cr_pow(CR_R(0.8), (cr_real)k), CR_R(1e-12));
  }
  // two terms: a swing that dies out, beyond the lags that were summed
  cr_real one = CR_R(1.8), two = CR_R(-0.97);
  cr_real exact[200] = {1, one / (1 - two)};
  for (int k = 2; k < 200; k++) {
    exact[k] = one * exact[k - 1] + two * exact[k - 2];
  }
  cr_copy(c, exact, CRI_CORRELATED_TERMS + 1);
  lags = cri_correlated_lags(c, 1000, r);
  assert_true(lags > 100);
  for (int k = 1; k < 200; k++) {
    assert_close(r[k - 1], exact[k], CR_R(1e-9));
  }
  // white: nothing
  cr_zero(c, CRI_CORRELATED_TERMS + 1);
  c[0] = 1;
  assert_int_equal(cri_correlated_lags(c, 1000, r), 0);
}

enum { ROWS = 1000, MANY = 100, FEW = 20, N = 3 };
static const cr_real remembered = CR_R(0.9), deviation = CR_R(0.004);

// the recording `clean` with errors
static void spoil(cr_measurements* to, const cr_measurements* clean, uint64_t seed) {
  static cr_real values[ROWS + 1];
  cr_random random = cr_random_seed(seed, 7);
  must(cr_measurements_begin(to, "r", 0, &error));
  for (int i = 0; i < cr_measurements_channels(clean, 0); i++) {
    cr_channel_info c = {.size = sizeof c};
    must(cr_measurements_get(clean, 0, i, &c, &error));
    cr_real e = deviation * cr_random_normal(&random);
    if (strncmp(c.place, "qpos", 4) == 0) {
      for (int k = 0; k < c.rows; k++) {
        values[k] = c.values[k] + e;
        e = remembered * e +
            cr_sqrt(1 - remembered * remembered) * deviation * cr_random_normal(&random);
      }
      c.values = values;
      c.noise = 0;
    }
    must(cr_measurements_add(to, &c, &error));
  }
}

// how many of N intervals hold the truth
static int held_of(const cr_model* m, const cr_measurements* clean, uint64_t seed,
                   const cr_identification_options* o) {
  static const char* const targets[N] = {"dof_damping[a]", "jnt_stiffness[a]",
                                         "actuator_gainprm[push][0]"};
  static const cr_real truth[N] = {CR_R(0.1), 2, 1};
  cr_parameter_info items[N];
  const cr_parameter_info* list[N];
  for (int i = 0; i < N; i++) {
    items[i] = (cr_parameter_info){.size = sizeof items[i],
                                   .name = targets[i],
                                   .target = targets[i],
                                   .transform = CR_TRANSFORM_LOG,
                                   .start = truth[i] * CR_R(1.1),
                                   .upper = 100};
    list[i] = &items[i];
  }
  cr_parameters* ps = NULL;
  cr_measurements* ms = NULL;
  cr_identification* id = NULL;
  cr_real x[N];
  const cr_search search = {.size = sizeof search};
  cr_search_end end = {.size = sizeof end};
  must(cr_parameters_create(&ps, m, list, N, &error));
  must(cr_measurements_create(&ms, m, &error));
  spoil(ms, clean, seed);
  must(cr_identification_create(&id, ps, ms, o, &error));
  must(cr_identification_get_start(id, x, &error));
  must(cr_identification_solve(id, &search, x, &end, &error));
  int held = 0;
  for (int i = 0; i < N; i++) {
    cr_estimate e = {.size = sizeof e};
    must(cr_identification_get(id, i, &e, &error));
    held += e.lower <= truth[i] && truth[i] <= e.upper;
  }
  cr_identification_destroy(id);
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  return held;
}

static cr_real share_of(int many, bool correlated, cr_real window) {
  static const measured_channel channels[] = {{"qpos[a]", 1, 0, 0}};
  cr_model* m = NULL;
  int held = 0;
  must(cr_model_open(&m, scratch_write("arm.xml", text_of_arm), &error));
  const cr_identification_options o = {
      .size = sizeof o, .window = window, .nthread = 1, .correlated = correlated};
  for (uint64_t i = 0; i < (uint64_t)many; i++) {
    cr_measurements* clean = NULL;
    must(cr_measurements_create(&clean, m, &error));
    measured_run(clean, m, "r", ROWS, NULL, channels, 1, i);
    held += held_of(m, clean, i, &o);
    cr_measurements_destroy(clean);
  }
  cr_model_destroy(m);
  return (cr_real)held / (cr_real)(N * many);
}

TEST(intervals_hold_the_truth_where_errors_follow_each_other) {
  assert_true(share_of(FEW, false, 0) < CR_R(0.75));
  cr_real share = share_of(MANY, true, 0);
  assert_true(share > CR_R(0.85) && share < CR_R(0.95));
}

TEST(and_in_windows) {
  cr_real share = share_of(MANY, true, CR_R(2.5));
  assert_true(share > CR_R(0.85) && share < CR_R(0.95));
}

// tied windows would need the elimination of all starts together
TEST(tied_windows_are_refused) {
  cr_model* m = NULL;
  cr_measurements* ms = NULL;
  cr_parameters* ps = NULL;
  cr_identification* id = NULL;
  static const measured_channel channels[] = {{"qpos[a]", 1, 0, 0}};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "d",
                                     .target = "dof_damping[a]",
                                     .start = CR_R(0.2),
                                     .upper = 9};
  const cr_parameter_info* const list[] = {&damping};
  const cr_identification_options o = {
      .size = sizeof o, .window = 1, .continuity = CR_R(0.1), .correlated = true};
  must(cr_model_open(&m, scratch_write("arm.xml", text_of_arm), &error));
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "r", ROWS, NULL, channels, 1, 1);
  must(cr_parameters_create(&ps, m, list, 1, &error));
  assert_int_equal(cr_identification_create(&id, ps, ms, &o, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "continuity"));
  cr_parameters_destroy(ps);
  cr_measurements_destroy(ms);
  cr_model_destroy(m);
}
