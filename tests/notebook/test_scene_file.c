// SPDX-License-Identifier: Apache-2.0
// A study's model is in the folder of results; what is wrong with it is named.
#include "notebook/scene_file.h"

#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

TEST(the_model_is_in_the_folder) {
  cr_notebook book = {.nclaim = 0};
  cr_model* m = NULL;
  (void)strcpy(book.folder, scratch_path(""));
  assert_int_equal(cri_scene_open(&book, "empty", "<mujoco/>", &m, NULL), CR_OK);
  assert_non_null(m);
  assert_true(scratch_has("empty.xml"));
  cr_model_destroy(m);
}

TEST(what_cannot_be_written_or_opened_is_named) {
  cr_notebook book = {.nclaim = 0};
  cr_error error = {0};
  cr_model* m = NULL;
  (void)strcpy(book.folder, scratch_path(""));
  assert_int_equal(cri_scene_open(&book, "broken", "<mujoco", &m, &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "broken.xml"));
  (void)strcpy(book.folder, scratch_path("nowhere"));
  assert_int_equal(cri_scene_open(&book, "wall", "<mujoco/>", &m, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "wall.xml"));
}
