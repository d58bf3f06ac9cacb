// SPDX-License-Identifier: Apache-2.0
// Needs: io
// How often the intervals of a report hold the truth, over many simulated recordings of a body that flies and of an arm.
#include <stdio.h>

#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"

static const char text_of_top[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body name='top'><joint name='j' "
    "type='free' damping='.01'/><geom type='box' size='.05 .08 .12' pos='.04 .02 -.1' "
    "mass='.6'/><site name='a' pos='.2 0 0'/><site name='b' pos='0 .2 0'/><site name='c' pos='0 0 "
    ".2'/></body><body name='arm' pos='1 0 0'><joint name='h' axis='0 .6 .8' damping='.02'/><geom "
    "type='capsule' fromto='0 0 0 .2 .1 -.3' size='.02' mass='.4'/><site name='d' pos='.2 .1 "
    "-.3'/></body></worldbody><actuator><motor joint='j' gear='1 0 .5 .005 0 0'/><motor joint='j' "
    "gear='0 0 1 0 .005 .005'/><motor joint='h' gear='.02'/></actuator></mujoco>";

enum { SEEDS = 300, N = 13 };

static cr_error error;

static cr_parameters* unknowns(const cr_model* m) {
  const cr_parameter_info inertia = {
      .size = sizeof inertia, .name = "top", .target = "top", .kind = CR_FIT_INERTIA};
  const cr_parameter_info axis = {
      .size = sizeof axis, .name = "axis", .target = "jnt_axis[h]", .kind = CR_FIT_DIRECTION};
  const cr_parameter_info* const list[] = {&inertia, &axis};
  cr_parameters* p = NULL;
  must(cr_parameters_create(&p, m, list, 2, &error));
  return p;
}

TEST(intervals_of_reports_hold_the_truth) {
  const cr_real noise = CR_R(0.001);
  const measured_channel channels[] = {{"site_xpos[a]", 1, noise, 0},
                                       {"site_xpos[b]", 1, noise, 0},
                                       {"site_xpos[c]", 1, noise, 0},
                                       {"site_xpos[d]", 1, noise, 0}};
  const cr_identification_options o = {.size = sizeof o, .start = CR_START_REFERENCE, .nthread = 1};
  const cr_search search = {.size = sizeof search};
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("top.xml", text_of_top), &error));
  cr_parameters* p = unknowns(m);
  cr_real truth[N], start[N], width[N] = {0};
  int held[N] = {0};
  must(cr_parameters_get_start(p, start, &error));
  must(cr_parameters_report_values(p, start, truth, NULL, &error));
  for (int seed = 1; seed <= SEEDS; seed++) {
    cr_measurements* ms = NULL;
    cr_identification* id = NULL;
    cr_search_end end = {.size = sizeof end};
    cr_real x[N];
    must(cr_measurements_create(&ms, m, &error));
    measured_run(ms, m, "run", 60, NULL, channels, 4, (uint64_t)seed);
    for (int k = 0; k < 4; k++) {
      must(cr_measurements_set_noise(ms, channels[k].place, noise, &error));
    }
    must(cr_identification_create(&id, p, ms, &o, &error));
    must(cr_identification_get_start(id, x, &error));
    must(cr_identification_solve(id, &search, x, &end, &error));
    for (int i = 0; i < N; i++) {
      cr_estimate e = {.size = sizeof e};
      must(cr_identification_get_report(id, i, &e, &error));
      held[i] += e.told && e.lower <= truth[i] && truth[i] <= e.upper;
      width[i] += e.told ? (e.upper - e.lower) / (cr_real)SEEDS : (cr_real)INFINITY;
    }
    cr_identification_destroy(id);
    cr_measurements_destroy(ms);
  }
  for (int i = 0; i < N; i++) {
    char name[64];
    cr_real share = (cr_real)held[i] / (cr_real)SEEDS;
    must(cr_parameters_report_name(p, i, name, sizeof name, &error));
    print_message("%s %.4g, intervals of %.3g hold it with %.3f\n", name, (double)truth[i],
                  (double)width[i], (double)share);
    assert_true(share > CR_R(0.84) &&
                share < CR_R(0.97));  // 3 deviations of 300 draws at 0.9, and excess
  }
  cr_parameters_destroy(p);
  cr_model_destroy(m);
}
