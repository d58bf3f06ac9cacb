// SPDX-License-Identifier: Apache-2.0
// What a library without libmujoco opens: a model file whole, and a sentence for everything else.
#include "access/open_file.h"

#include <stdlib.h>
#include <string.h>

#include "carom/model.h"
#include "model/file.h"
#include "scenes/random_model.h"
#include "support/scratch.h"
#include "support/test.h"

TEST(a_model_file_opens) {
  cr_error error;
  cr_model made, *m = NULL;
  assert_int_equal(random_model(&made, 7, &error), CR_OK);
  assert_int_equal(cr_model_save(&made, scratch_path("a.crm"), &error), CR_OK);
  assert_int_equal(cri_model_file_open(&m, scratch_path("a.crm"), &error), CR_OK);
  assert_int_equal(m->nv, made.nv);
  assert_true(m->structure != 0);
  cr_model_destroy(m);
  cri_model_free(&made);
}

TEST(all_else_is_refused) {
  cr_error error;
  cr_model* m = NULL;
  const char* path = scratch_write("a.xml", "<mujoco/>");
  assert_int_equal(cri_model_file_open(&m, path, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "need a library built with libmujoco"));
  assert_int_equal(cri_model_file_open(&m, scratch_path("none.crm"), &error), CR_ERR_FILE);
  assert_null(m);
}

TEST(a_model_that_is_not_valid_names_the_file) {
  cr_error error;
  cr_model made, *m = NULL;
  assert_int_equal(random_model(&made, 7, &error), CR_OK);
  made.body_mass[1] = -1;
  assert_int_equal(cri_model_save(&made, scratch_path("bad.crm"), &error), CR_OK);
  assert_int_equal(cri_model_file_open(&m, scratch_path("bad.crm"), &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "bad.crm: "));
  assert_null(m);
  cri_model_free(&made);
}
