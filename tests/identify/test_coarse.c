// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Short windows tied together find the way to long ones: a pendulum with a wrong length, over many swings.
#include "identify/coarse.h"

#include "carom/carom.h"
#include "identify/noise.h"
#include "predict/layout.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_pendulum[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='arm'><joint name='a' axis='0 1 0'/>"
    "<geom size='.05' pos='0 0 -1' mass='1'/></body></worldbody></mujoco>";

static cr_error error;

// gravity from 400 rows of a swing that begins at 1 rad; `coarse`: with the search over short windows first
static cr_real found(const cr_measurements* ms, const cr_model* m, bool coarse) {
  const cr_parameter_info g = {.size = sizeof g,
                               .name = "gravity",
                               .target = "gravity.z",
                               .start = CR_R(-6.5),
                               .lower = -30,
                               .upper = -1};
  const cr_parameter_info* const list[] = {&g};
  const cr_identification_options o = {.size = sizeof o};
  const cr_damping damping = {
      .iterations = 100, .damping = CR_R(1e-3), .value_tolerance = CR_R(1e-9)};
  cr_parameters* ps = NULL;
  cr_damped_end end;
  cri_search s = {0};
  must(cr_parameters_create(&ps, m, list, 1, &error));
  must(cri_layout(&s.p, ps, ms, &o, &error));
  cri_layout_starts(&s.p);
  cri_noise_guess(&s.p);
  must(cri_search_create(&s, 1, &error));
  cri_parameters_start(ps, s.p.x);
  if (coarse) {
    must(cri_coarse_fit(&s, ms, &o, false, &error));
  }
  must(cri_search_minimise(&s, 0, s.p.nspan, false, &damping, &end, &error));
  cr_real x = s.p.x[0];
  cri_search_free(&s);
  cri_layout_free(&s.p);
  cr_parameters_destroy(ps);
  return x;
}

TEST(long_predictions_are_reached_by_short_ones) {
  static const measured_channel angle[] = {{"qpos[a]", 1, CR_R(0.01), 0}};
  const cr_real q = 1;
  cr_model* m = NULL;
  cr_measurements* ms = NULL;
  must(cr_model_open(&m, scratch_write("pendulum.xml", text_of_pendulum), &error));
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "swing", 2000, &q, angle, 1, 1);
  // twenty seconds from a start that is off are a local minimum, whose neighbours are a swing more or less
  assert_true(cr_abs(found(ms, m, false) + CR_R(9.81)) > CR_R(0.3));
  assert_true(cr_abs(found(ms, m, true) + CR_R(9.81)) < CR_R(0.01));
  cr_measurements_destroy(ms);
  cr_model_destroy(m);
}
