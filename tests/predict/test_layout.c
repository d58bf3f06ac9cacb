// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Windows of runs, what is held aside, where starts begin, and recordings that are refused.
#include "predict/layout.h"

#include <stdlib.h>

#include "carom/carom.h"
#include "scenes/io_measured.h"
#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_slide[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='b'><joint name='x' type='slide' "
    "axis='1 0 0'/><joint name='a' axis='0 1 0'/><geom size='.1' mass='1'/></body></worldbody>"
    "<actuator><motor name='m' joint='x'/></actuator></mujoco>";

static cr_error error;
static cr_model* m;
static cr_parameters* ps;

static void setup(void) {
  must(cr_model_open(&m, scratch_write("slide.xml", text_of_slide), &error));
  const cr_parameter_info item = {
      .size = sizeof item, .name = "mass", .target = "body_mass[b]", .start = 1, .upper = 9};
  const cr_parameter_info* const list[] = {&item};
  must(cr_parameters_create(&ps, m, list, 1, &error));
}
static void teardown(void) {
  cr_parameters_destroy(ps);
  cr_model_destroy(m);
}
AROUND_FILE(setup, teardown)

static const measured_channel positions[] = {{"qpos[x]", 1, 0, 0}, {"qpos[a]", 2, 0, 0}};

static cr_measurements* runs(int n, int rows) {
  cr_measurements* ms = NULL;
  static const char* const names[] = {"a", "b", "c", "d", "e"};
  must(cr_measurements_create(&ms, m, &error));
  for (int i = 0; i < n; i++) {
    measured_run(ms, m, names[i], rows, NULL, positions, 2, (uint64_t)i + 1);
  }
  return ms;
}

TEST(windows_cover_runs) {
  cr_measurements* ms = runs(5, 101);
  const cr_identification_options o = {
      .size = sizeof o, .window = CR_R(0.3), .continuity = 1, .held_out = CR_R(0.4)};
  cri_problem p;
  must(cri_layout(&p, ps, ms, &o, &error));
  assert_int_equal(p.nspan, 5 * 4);
  assert_int_equal(p.ntrain, 3 * 4);
  for (int w = 0; w < p.nspan; w++) {
    bool last = w % 4 == 3;
    assert_int_equal(p.spans[w].nstep, last ? 10 : 30);
    assert_int_equal(p.spans[w].next, last ? -1 : w + 1);
    assert_int_equal(p.spans[w].run, p.spans[w / 4 * 4].run);
    assert_true(cr_abs(p.spans[w].begin - CR_R(0.3) * (cr_real)(w % 4)) < CR_R(1e-12));
  }
  cri_layout_free(&p);
  cr_measurements_destroy(ms);
}

TEST(starts_begin_at_what_was_measured) {
  cr_measurements* ms = runs(1, 101);
  const cr_identification_options o = {.size = sizeof o, .window = CR_R(0.5)};
  cri_problem p;
  must(cri_layout(&p, ps, ms, &o, &error));
  cri_layout_starts(&p);
  cr_channel_info x = {.size = sizeof x}, a = {.size = sizeof a};
  must(cr_measurements_get(ms, 0, 1, &x, &error));
  must(cr_measurements_get(ms, 0, 2, &a, &error));
  const cr_real* second = p.state + 4;
  assert_true(second[0] == x.values[50] && second[1] == a.values[25]);
  // the slope over five steps is the velocity to a step of acceleration
  cr_real speed = (x.values[55] - x.values[50]) / CR_R(0.05);
  assert_true(cr_abs(second[2] - speed) < CR_R(0.05) * (1 + cr_abs(speed)));
  cri_layout_free(&p);
  cr_measurements_destroy(ms);
}

static void refused(cr_measurements* ms, const cr_identification_options* o, const char* why) {
  cri_problem p;
  assert_true(cri_layout(&p, ps, ms, o, &error) != CR_OK);
  if (strstr(error.text, why) == NULL) {
    fail_msg("%s", error.text);
  }
  cri_layout_free(&p);
  cr_measurements_destroy(ms);
}

TEST(recordings_that_do_not_do) {
  const cr_identification_options plain = {.size = sizeof plain};
  const cr_real time[3] = {0, CR_R(0.01), CR_R(0.02)}, late[2] = {CR_R(0.5), CR_R(0.6)},
                values[3] = {0, 1, 2};
  const cr_channel_info seen = {
      .size = sizeof seen, .place = "qpos[x]", .rows = 3, .time = time, .values = values};
  const cr_channel_info control = {
      .size = sizeof control, .place = "ctrl[m]", .rows = 3, .time = time, .values = values};
  const cr_channel_info tardy = {
      .size = sizeof tardy, .place = "ctrl[m]", .rows = 2, .time = late, .values = values};
  const cr_channel_info once = {
      .size = sizeof once, .place = "qpos[x]", .rows = 1, .time = time, .values = values};
  const cr_channel_info* const cases[][2] = {
      {&seen, NULL}, {&control, NULL}, {&seen, &tardy}, {&once, &control}};
  const char* const why[] = {"run r: control 'm' is missing", "run r: nothing is measured in it",
                             "run r: control 'm' begins at 0.5 s, measurements at 0 s",
                             "run r: all measurements are at one time"};
  for (int i = 0; i < 4; i++) {
    cr_measurements* ms = NULL;
    must(cr_measurements_create(&ms, m, &error));
    must(cr_measurements_begin(ms, "r", 0, &error));
    for (int k = 0; k < 2 && cases[i][k] != NULL; k++) {
      must(cr_measurements_add(ms, cases[i][k], &error));
    }
    refused(ms, &plain, why[i]);
  }
  const char* stray[] = {"qvel[x]"};
  const cr_identification_options delayed = {
      .size = sizeof delayed, .delayed = stray, .ndelayed = 1};
  refused(runs(1, 20), &delayed, "delay of qvel[x]: no run measures it");
  const cr_identification_options shifted = {
      .size = sizeof shifted, .shifted = stray, .nshifted = 1};
  refused(runs(1, 20), &shifted, "offset of qvel[x]: no run measures it");
  const cr_identification_options all_held = {.size = sizeof all_held, .held_out = CR_R(0.9)};
  refused(runs(2, 20), &all_held, "none is left to fit");
}
