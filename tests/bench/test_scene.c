// SPDX-License-Identifier: Apache-2.0
// Scenes: names and models from a text, the same states for both engines, and what is refused.
#include "bench/scene.h"

#include <string.h>

#include "carom/step.h"
#include "model/data.h"
#include "support/close.h"

static cr_error error;

TEST(text_gives_name_and_model) {
  static const char* const cube = CAROM_SOURCE_DIR "/tests/data/cube.xml";
  static const struct {
    const char *before, *name;
    int nv;
  } rows[] = {{"", "cube.xml", 6}, {"toss=", "toss", 6}, {"three=3*", "three", 18}};
  for (int i = 0; i < 3; i++) {
    char text[600];
    cr_scene s;
    (void)snprintf(text, sizeof text, "%s%s", rows[i].before, cube);
    assert_int_equal(cr_scene_open(&s, text, 2, 1, &error), CR_OK);
    assert_string_equal(s.name, rows[i].name);
    assert_int_equal(s.nv, rows[i].nv);
    assert_int_equal(s.mj->nv, rows[i].nv);
    assert_int_equal(s.nstate, 2);
    cr_scene_close(&s);
  }
}

// a step from every state ends alike on both sides
TEST(both_sides_start_from_the_same) {
  cr_scene s;
  assert_int_equal(cr_scene_open(&s, "stack:2", 4, 1, &error), CR_OK);
  assert_true(s.contacts > 0 && s.rows > s.contacts);
  for (int k = 0; k < s.nstate; k++) {
    cr_scene_state(&s, k);
    assert_int_equal(cr_scene_ours(&s, k), CR_OK);
    for (int i = 0; i < s.nq; i++) {
      assert_true(s.d->qpos[i] == s.c->qpos[i]);
    }
    for (int i = 0; i < s.nv; i++) {
      assert_true(s.d->qvel[i] == s.c->qvel[i]);
    }
    mj_step(s.mj, s.d);
    assert_true(cr_scene_residual(&s) < 1e-6);
    assert_int_equal(cr_step(s.m, s.c), CR_OK);
    for (int i = 0; i < s.nq; i++) {
      assert_close(s.c->qpos_next[i], s.d->qpos[i], 1e-8);
    }
  }
  assert_true(s.states[0] != s.states[s.state_size]);  // and the states differ
  cr_scene_close(&s);
}

// the residual sees an acceleration that is none of the solver's
TEST(residual_is_of_the_acceleration) {
  cr_scene s;
  assert_int_equal(cr_scene_open(&s, "chain:4", 1, 1, &error), CR_OK);
  cr_scene_state(&s, 0);
  mj_forward(s.mj, s.d);
  assert_true(cr_scene_residual(&s) < 1e-12);
  s.d->qacc[2] += 1e3;
  double worst = cr_scene_residual(&s);
  assert_true(worst > 0.1 && worst <= 1);
  cr_scene_close(&s);
}

TEST(bad_texts_are_refused) {
  static const struct {
    const char *text, *sentence;
  } rows[] = {{"none.xml", "none.xml"},
              {"a=none.xml", "none.xml"},
              {"chain:0", "chain:0: '0' is not a number"},
              {"stack:2x", "'2x' is not a number"},
              {"0*none.xml", "not a number from 1"}};
  for (int i = 0; i < 5; i++) {
    cr_scene s;
    assert_int_not_equal(cr_scene_open(&s, rows[i].text, 1, 1, &error), CR_OK);
    assert_non_null(strstr(error.text, rows[i].sentence));
    cr_scene_close(&s);
  }
}
