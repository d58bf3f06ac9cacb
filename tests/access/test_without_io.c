// SPDX-License-Identifier: Apache-2.0
// The functions that a library without libmujoco, HDF5 and NLopt has in their place: each refuses with a sentence that
// names itself and the library. They are compiled here, since this build has the real ones in libcarom, and this
// test links the core alone. tests/install/core.long.sh tests that none is missing.
#include "access/without_io.c"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

static cr_error error;

static void says(cr_status status, const char* function, const char* library, const char* text) {
  char sentence[200];
  (void)snprintf(sentence, sizeof sentence, "%s: this library was built without %s (CAROM_IO=OFF)",
                 function, library);
  assert_int_equal(status, CR_ERR_UNSUPPORTED);
  assert_string_equal(text, sentence);
  error.text[0] = 0;
}
#define SAYS(function, library, ...) says(function(__VA_ARGS__), #function, library, error.text)

TEST(each_names_what_is_missing) {
  cr_check* check = NULL;
  int done = 7;
  const char* reason = NULL;
  SAYS(cr_mujoco_compile, "libmujoco", NULL, "a.xml", NULL, NULL, &error);
  SAYS(cr_mujoco_save, "libmujoco", NULL, "a.xml", NULL, "b.xml", &error);
  SAYS(cr_model_from_mujoco, "libmujoco", NULL, NULL, NULL, &error);
  SAYS(cr_check_create, "libmujoco", &check, &error);
  SAYS(cr_check_run, "libmujoco", check, "a.xml", NULL, &error);
  SAYS(cr_check_get_result, "libmujoco", check, NULL, &error);
  SAYS(cr_check_get_field, "libmujoco", check, 0, NULL, &error);
  SAYS(cr_follow, "libmujoco", "a.xml", NULL, 9, NULL, NULL, NULL, NULL, &done, &error);
  SAYS(cr_rollout_save, "HDF5", NULL, NULL, "a.h5", NULL, 0, &error);
  SAYS(cr_controls_read, "HDF5", NULL, "a.csv", 1, 1, NULL, &error);
  SAYS(cr_measurements_read, "HDF5 and zlib", NULL, "a.csv", NULL, &error);
  SAYS(cr_recordings_read, "HDF5", NULL, NULL, "a.h5", &error);
  SAYS(cr_recordings_write, "HDF5", NULL, "a.h5", "", &error);
  SAYS(cr_learned_save_onnx, "ONNX", NULL, "a.onnx", false, &error);
  SAYS(cr_learned_open_onnx, "ONNX", NULL, "a.onnx", &error);
  SAYS(cr_minimise_lbfgs, "NLopt", NULL, NULL, NULL, &reason, &error);
  cr_view* view = NULL;
  SAYS(cr_view_create, "src/view", &view, NULL, NULL, &error);
  SAYS(cr_view_begin, "src/view", view, NULL, &error);
  SAYS(cr_view_take, "src/view", view, NULL, &error);
  SAYS(cr_view_read, "src/view", view, "a.h5", NULL, 0, &error);
  SAYS(cr_view_save, "src/view", view, "a.html", &error);
  assert_int_equal(done, 0);
  assert_string_equal(reason, "");
  assert_null(check);
  assert_int_equal(cr_check_create(&check, NULL), CR_ERR_UNSUPPORTED);  // nowhere to say it
}

TEST(a_block_takes_the_sentence) {
  cr_model m = {.nq = 0};
  cr_data* d = test_data(&m);
  says(cr_state_from_mujoco(&m, NULL, NULL, d), "cr_state_from_mujoco", "libmujoco",
       cri_error_of(d)->text);
  assert_int_equal(cr_state_from_mujoco(&m, NULL, NULL, NULL), CR_ERR_UNSUPPORTED);
}

TEST(what_has_no_status_has_nothing) {
  int times = 7;
  assert_int_equal(cr_check_field_count(NULL), 0);
  assert_null(cr_check_get_kink(NULL, 0));
  assert_null(cr_check_get_off(NULL, 0, &times, NULL));
  assert_int_equal(times, 0);
  assert_null(cr_check_get_report(NULL));
  cr_check_destroy(NULL);
  assert_int_equal(cr_view_states(NULL, 0), -1);
  cr_view_destroy(NULL);
}
