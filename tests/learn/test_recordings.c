// SPDX-License-Identifier: Apache-2.0
// Recordings: runs in order, copies of what was given, and what they contradict.
#include "learn/recordings.h"

#include "math/vec3.h"

#include "scenes/tossed_cube.h"
#include "support/close.h"

enum { ROWS = 60 };

static cr_recordings* thrown(const cr_model* m) {
  const cr_throw o = {.tosses = 3, .rows = ROWS, .seed = 4};
  cr_recordings* r = NULL;
  assert_int_equal(cr_recordings_create(&r, m, m->timestep, NULL), CR_OK);
  assert_int_equal(cri_throw(&o, m, r, NULL), CR_OK);
  return r;
}

TEST(runs_are_copied_in_order) {
  static const char* const names[] = {"a", "b", "c"};
  cr_model m;
  tossed_cube(&m, CR_R(0.1));
  cr_recordings* r = thrown(&m);
  assert_int_equal(cr_recordings_count(r), 3);
  assert_true(cr_recordings_interval(r) == m.timestep);
  for (int i = 0; i < 3; i++) {
    cr_recording_info run = {.size = sizeof run};
    assert_int_equal(cr_recordings_get(r, i, &run, NULL), CR_OK);
    assert_int_equal(run.rows, ROWS);
    assert_int_equal(run.group, i);
    assert_int_equal(cr_recordings_add(r, &run, NULL), CR_ERR_ARG);  // a name twice
    run.name = names[i];
    assert_int_equal(cr_recordings_add(r, &run, NULL), CR_OK);
    assert_true(r->run[3 + i].state != run.values);
    assert_memory_equal(r->run[3 + i].state, run.values, ROWS * CR_STATE_WIDTH * sizeof(cr_real));
  }
  cr_recording_info run = {.size = sizeof run};
  assert_int_equal(cr_recordings_get(r, 6, &run, NULL), CR_ERR_ARG);
  assert_int_equal(cr_recordings_get(r, -1, &run, NULL), CR_ERR_ARG);
  run.size = 0;
  assert_int_equal(cr_recordings_get(r, 0, &run, NULL), CR_ERR_ARG);
  cr_recordings_destroy(r);
  assert_int_equal(cr_recordings_create(&r, &m, 0, NULL), CR_ERR_ARG);
  assert_int_equal(cr_recordings_create(&r, &m, (cr_real)NAN, NULL), CR_ERR_ARG);
  cri_model_free(&m);
}

// of every free joint, wherever it is in the row
TEST(contradictions_are_found) {
  cr_model m;
  char text[256];
  tossed_cube(&m, CR_R(0.1));
  cr_recordings* r = thrown(&m);
  assert_int_equal(cr_recordings_doubt(r, text, sizeof text, NULL), CR_OK);
  assert_string_equal(text, "");
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < ROWS; k++) {
      cr_scl3(r->run[i].state + k * CR_STATE_WIDTH, r->run[i].state + k * CR_STATE_WIDTH, 1000);
    }
  }
  assert_int_equal(cr_recordings_doubt(r, text, sizeof text, NULL), CR_OK);
  assert_non_null(strstr(text, "positions in mm?"));
  assert_int_equal(cr_recordings_doubt(r, text, 0, NULL), CR_ERR_ARG);
  cr_recordings_destroy(r);
  cri_model_free(&m);
}
