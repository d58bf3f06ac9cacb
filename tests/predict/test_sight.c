// SPDX-License-Identifier: Apache-2.0
// Which rows of a track belong to a window, and at which steps they are needed, with a delay that is known and one that is not.
#include "predict/sight.h"

#include "model/model.h"
#include "support/test.h"

static const cr_real times[] = {0, CR_R(0.004), CR_R(0.01), CR_R(0.031), CR_R(0.04)};

static void check(int delay_at, cr_real delay, int first, const bool* needed, int after) {
  const cr_model m = {.timestep = CR_R(0.01)};
  cr_real x[1] = {delay};
  cri_measured place = {.delay_at = delay_at, .offset_at = -1};
  cri_track track = {.rows = 5, .width = 1, .time = times, .delay = delay};
  cri_track_run run = {.tracks = &track, .ntrack = 1};
  const cri_span span = {.nstep = 4, .next = -1, .begin = 0, .last = true};
  cri_problem p = {.m = &m, .runs = &run, .places = &place, .longest_delay = CR_R(0.005), .x = x};
  int next = cri_sight_first(&p, &span, &track);
  cri_predictor w = {.next_row = &next};
  assert_int_equal(next, first);
  for (int k = 0; k <= 4; k++) {
    assert_int_equal(cri_sight_needed(&w, &p, &span, 0, k), needed[k]);
  }
  next = after;
  assert_false(cri_sight_needed(&w, &p, &span, 0, 4));
}

TEST(rows_of_a_window) {
  // seen at 0: from step 0 on
  check(-1, 0, 0, (const bool[]){true, true, true, true, true}, 5);
  // 0.004 is seen at the start and 0.002 late before it: the first row is 2 ms later, between steps 0 and 1
  check(-1, CR_R(0.002), 1, (const bool[]){true, true, true, true, true}, 5);
  // late by up to 5 ms: 0.01 is the first that is within the window whatever the delay, here on step 1, which the step before needs too
  check(0, 0, 2, (const bool[]){true, true, true, true, true}, 5);
}

TEST(nothing_is_needed_before_its_step) {
  const cr_model m = {.timestep = CR_R(0.01)};
  cri_measured place = {.delay_at = -1, .offset_at = -1};
  cri_track track = {.rows = 5, .width = 1, .time = times};
  cri_track_run run = {.tracks = &track, .ntrack = 1};
  const cri_span span = {.nstep = 4, .next = -1, .last = true};
  cri_problem p = {.m = &m, .runs = &run, .places = &place};
  int next = 3;  // at 3.1 steps: between steps 3 and 4
  cri_predictor w = {.next_row = &next};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(cri_sight_needed(&w, &p, &span, 0, k), k >= 3);
  }
}
