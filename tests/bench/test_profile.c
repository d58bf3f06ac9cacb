// SPDX-License-Identifier: Apache-2.0
// The profile: a row for everything that a step runs, in its order, and a failure that names the state.
#include "bench/profile.h"

#include <string.h>

#include "engine/added_stage.h"
#include "model/data.h"
#include "support/close.h"

static cr_error error;

TEST(rows_are_those_of_a_step) {
  cr_scene s;
  cr_profile p;
  assert_int_equal(cr_scene_open(&s, "stack:2", 3, 1, &error), CR_OK);
  assert_int_equal(cr_profile_take(&s, 2, &p, &error), CR_OK);
  const cri_schedule* schedule = cri_schedule_of(s.m);
  int n = schedule->ndynamics;
  assert_int_equal(p.n, n + 1);
  double sum[CR_PASSES] = {0}, instructions = 0;
  for (int i = 0; i < p.n; i++) {
    assert_string_equal(p.row[i].stage, i < n ? schedule->row[i].name : "integrator");
    for (int pass = 0; pass < CR_PASSES; pass++) {
      sum[pass] += p.row[i].us[pass];
      instructions += p.row[i].instructions[pass];
    }
  }
  for (int pass = 0; pass < CR_PASSES; pass++) {
    assert_true(sum[pass] > 0);
  }
  assert_true(p.counted == (instructions > 0));
  cr_scene_close(&s);
}

static cr_status nothing(void* user, const cr_stage_call* call) {
  (void)user;
  return call->change[0].count >= 0 ? CR_OK : CR_ERR_ARG;
}

// a stage that was added has a row of its own, in its place
TEST(added_stages_have_rows) {
  static const char* const changes[] = {"qfrc_passive"};
  const cr_stage_options o = {.size = sizeof o,
                              .name = "mine",
                              .after = "passive",
                              .changes = changes,
                              .nchange = 1,
                              .forward = nothing,
                              .jvp = nothing,
                              .vjp = nothing};
  cr_scene s;
  static cr_profile p;
  assert_int_equal(cr_scene_open(&s, "chain:3", 2, 1, &error), CR_OK);
  assert_int_equal(cr_profile_take(&s, 1, &p, &error), CR_OK);
  int n = p.n, at = 0;
  assert_int_equal(cr_model_add_stage(s.m, &o, &error), CR_OK);
  cr_data_destroy(s.c);
  cr_data_destroy(s.tan);
  cr_data_destroy(s.bar);
  assert_int_equal(cr_data_create(&s.c, s.m, &error), CR_OK);
  assert_int_equal(cr_data_create_tangent(&s.tan, s.m, s.c, &error), CR_OK);
  assert_int_equal(cr_data_create_cotangent(&s.bar, s.m, s.c, &error), CR_OK);
  assert_int_equal(cr_profile_take(&s, 1, &p, &error), CR_OK);
  assert_int_equal(p.n, n + 1);
  while (strcmp(p.row[at].stage, "mine") != 0) {
    at++;
    assert_true(at < p.n);
  }
  assert_string_equal(p.row[at - 1].stage, "passive");
  cr_scene_close(&s);
}

// what one profile leaves in the data is not in the next: cotangents would grow from call to call
TEST(cotangents_are_given_back) {
  cr_scene s;
  cr_profile p;
  assert_int_equal(cr_scene_open(&s, "chain:3", 2, 1, &error), CR_OK);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(cr_profile_take(&s, 1, &p, &error), CR_OK);
    for (int i = 0; i < s.nv; i++) {
      assert_true(s.bar->qacc[i] == 0 && s.bar->qpos_next[i] == 0 && s.bar->qvel_next[i] == 0);
    }
  }
  cr_scene_close(&s);
}

TEST(failure_names_the_state) {
  cr_scene s;
  cr_profile p;
  assert_int_equal(cr_scene_open(&s, "chain:3", 3, 1, &error), CR_OK);
  s.ours[s.ours_size + 2] = (double)NAN;
  assert_int_not_equal(cr_profile_take(&s, 1, &p, &error), CR_OK);
  assert_non_null(strstr(error.text, "chain:3: state 1: "));
  cr_scene_close(&s);
}
