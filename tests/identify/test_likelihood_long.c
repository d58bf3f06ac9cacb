// SPDX-License-Identifier: Apache-2.0
// Needs: io
// How often intervals by profile likelihood hold the truth, over many simulated recordings: where the likelihood is skewed, and where
// the truth is a bound.
#include <stdio.h>

#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_pendulum[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='arm'><joint name='h' axis='0 1 0' "
    "damping='%g' frictionloss='%g'/><geom type='capsule' fromto='0 0 0 .1 0 -.5' size='.02' "
    "mass='.5'/></body></worldbody><actuator><motor name='push' joint='h' gear='.3'/></actuator>"
    "</mujoco>";

enum { SEEDS = 500 };

static cr_error error;

typedef struct {
  int below, above;  // seeds whose interval lies below, above the truth
} misses;

static void count(misses* of, const cr_estimate* e, cr_real truth) {
  of->below += e->upper < truth;
  of->above += e->lower > truth;
}

static cr_real held(const misses* of) {
  return 1 - (cr_real)(of->below + of->above) / (cr_real)SEEDS;
}

// fits damping and friction to recordings of them; what is asked of is number i
static void simulate(cr_real damping, cr_real friction, cr_real noise, int i, misses* flat,
                     misses* profile) {
  char text[1024];
  cr_model* m = NULL;
  (void)snprintf(text, sizeof text, text_of_pendulum, (double)damping, (double)friction);
  must(cr_model_open(&m, scratch_write("pendulum.xml", text), &error));
  const cr_parameter_info a = {.size = sizeof a,
                               .name = "damping",
                               .target = "dof_damping[h]",
                               .start = CR_R(0.05),
                               .upper = 100};
  const cr_parameter_info b = {.size = sizeof b,
                               .name = "friction",
                               .target = "dof_frictionloss[h]",
                               .start = CR_R(0.02),
                               .upper = 10};
  const cr_parameter_info* const list[] = {&a, &b};
  const cr_real truth[2] = {damping, friction};
  const measured_channel channels[] = {{"qpos[h]", 3, noise, 0}};
  const cr_identification_options o = {.size = sizeof o, .start = CR_START_REFERENCE, .nthread = 1};
  const cr_search search = {.size = sizeof search};
  for (int seed = 1; seed <= SEEDS; seed++) {
    cr_measurements* ms = NULL;
    cr_parameters* p = NULL;
    cr_identification* id = NULL;
    cr_search_end end = {.size = sizeof end};
    cr_estimate e = {.size = sizeof e}, f = {.size = sizeof f};
    cr_real x[2];
    must(cr_measurements_create(&ms, m, &error));
    measured_run(ms, m, "run", 100, NULL, channels, 1, (uint64_t)seed);
    must(cr_measurements_set_noise(ms, "qpos[h]", noise, &error));
    must(cr_parameters_create(&p, m, list, friction > 0 || i == 1 ? 2 : 1, &error));
    must(cr_identification_create(&id, p, ms, &o, &error));
    must(cr_identification_get_start(id, x, &error));
    must(cr_identification_solve(id, &search, x, &end, &error));
    must(cr_identification_get(id, i, &e, &error));
    must(cr_identification_profile(id, i, &f, &error));
    count(flat, &e, truth[i]);
    count(profile, &f, truth[i]);
    cr_identification_destroy(id);
    cr_parameters_destroy(p);
    cr_measurements_destroy(ms);
  }
  cr_model_destroy(m);
}

TEST(a_skewed_likelihood_is_missed_as_often_on_either_side) {
  misses flat = {0}, profile = {0};
  simulate(1, 0, CR_R(0.3), 0, &flat, &profile);
  print_message("covariance: %d below, %d above, holds %g; profile: %d, %d, %g\n", flat.below,
                flat.above, (double)held(&flat), profile.below, profile.above,
                (double)held(&profile));
  assert_true(held(&profile) > CR_R(0.87) && held(&profile) < CR_R(0.95));
  assert_true(profile.below < 2 * profile.above && profile.above < 2 * profile.below);
  assert_true(flat.below > 10 * flat.above);
}

TEST(a_truth_at_its_bound_is_held) {
  // half of the estimates are at the bound too, so 95 % hold it
  misses flat = {0}, profile = {0};
  simulate(CR_R(0.05), 0, CR_R(0.03), 1, &flat, &profile);
  print_message("covariance: %d below, %d above, holds %g; profile: %d, %d, %g\n", flat.below,
                flat.above, (double)held(&flat), profile.below, profile.above,
                (double)held(&profile));
  assert_int_equal(profile.below, 0);
  assert_true(held(&profile) > CR_R(0.92) && held(&profile) < CR_R(0.98));
}
