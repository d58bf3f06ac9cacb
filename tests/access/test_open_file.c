// SPDX-License-Identifier: Apache-2.0
// What a library without libmujoco opens: a model file whole, and a sentence for everything else.
#include "access/open_file.h"

#include <stdlib.h>
#include <string.h>

#include "carom/model.h"
#include "model/file.h"
#include "scenes/random_model.h"
#include "support/close.h"
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

TEST(a_model_opens_from_memory_as_from_its_file) {
  cr_error error;
  cr_model made, *m = NULL, *again = NULL;
  size_t n = 0, counted = 0;
  assert_int_equal(random_model(&made, 7, &error), CR_OK);
  assert_int_equal(cr_model_save_bytes(&made, NULL, 0, &counted, &error), CR_OK);
  unsigned char* bytes = malloc(counted);
  assert_int_equal(cr_model_save_bytes(&made, bytes, counted, &n, &error), CR_OK);
  assert_int_equal(n, counted);
  assert_int_equal(cr_model_open_bytes(&m, bytes, n, &error), CR_OK);
  assert_int_equal(cr_model_save(&made, scratch_path("a.crm"), &error), CR_OK);
  assert_int_equal(cri_model_file_open(&again, scratch_path("a.crm"), &error), CR_OK);
#ifndef CR_LONG_DOUBLE  // which has bytes that mean nothing
  assert_true(cr_model_fingerprint(m, 0) == cr_model_fingerprint(again, 0));
#endif
  assert_all_close(m->body_pos, again->body_pos, 3 * m->nbody, 0);
  assert_true(m->structure != 0);
  cr_model_destroy(again);
  cr_model_destroy(m);
  free(bytes);
  cri_model_free(&made);
}

TEST(bytes_that_are_no_model_are_refused) {
  cr_error error;
  cr_model made, *m = NULL;
  size_t n = 0;
  unsigned char bytes[1 << 16];
  assert_int_equal(random_model(&made, 7, &error), CR_OK);
  assert_int_equal(cr_model_save_bytes(&made, bytes, 10, &n, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "room for 10"));
  assert_int_equal(cr_model_save_bytes(&made, bytes, sizeof bytes, &n, &error), CR_OK);
  assert_int_equal(cr_model_open_bytes(&m, bytes, n - 1, &error), CR_ERR_FORMAT);
  assert_int_equal(cr_model_open_bytes(&m, bytes, 0, &error), CR_ERR_FORMAT);
  bytes[n / 2] ^= 1;
  assert_int_equal(cr_model_open_bytes(&m, bytes, n, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "checksum"));
  made.body_mass[1] = -1;
  assert_int_equal(cr_model_save_bytes(&made, bytes, sizeof bytes, &n, &error), CR_OK);
  assert_int_equal(cr_model_open_bytes(&m, bytes, n, &error), CR_ERR_MODEL);
  assert_null(m);
  cri_model_free(&made);
}
