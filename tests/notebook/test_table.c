// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include <unistd.h>

#include "notebook/table.h"
#include "support/scratch.h"
#include "tools/files.h"

TEST(what_is_read_is_what_was_written) {
  const char* folder = scratch_path("");
  const char* const label[] = {"first", "second one"};
  cr_table a, b;
  assert_int_equal(cri_table_create(&a, "t.csv", "name,x,y", label, 2, NULL), CR_OK);
  assert_int_equal(cri_table_create(&b, "t.csv", "name,x,y", label, 2, NULL), CR_OK);
  assert_int_equal(a.width, 2);

  // no file: no rows
  assert_int_equal(cri_table_load(&b, folder, NULL), CR_OK);
  assert_int_equal(b.rows, 0);

  cr_real* row = cri_table_row(&a, 0);
  row[0] = CR_R(1.0) / 3;
  row[1] = (cr_real)NAN;
  row = cri_table_row(&a, 1);
  row[0] = (cr_real)INFINITY;
  row[1] = CR_R(-1e-300);
  assert_int_equal(cri_table_save(&a, folder, NULL), CR_OK);
  assert_int_equal(cri_table_load(&b, folder, NULL), CR_OK);
  assert_int_equal(b.rows, 2);
  assert_true(b.value[0] == a.value[0] && isnan(b.value[1]));
  assert_true(b.value[2] == a.value[2] && b.value[3] == a.value[3]);

  assert_int_equal(unlink(scratch_path("t.csv")), 0);
  cri_table_free(&a);
  cri_table_free(&b);
}

static void refuses(const char* text, const char* words) {
  cr_error error = {0};
  cr_table t;
  assert_int_equal(cri_file_write(scratch_path("t.csv"), text, strlen(text), NULL), CR_OK);
  assert_int_equal(cri_table_create(&t, "t.csv", "x,y", NULL, 2, NULL), CR_OK);
  assert_int_equal(cri_table_load(&t, scratch_path(""), &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, words));
  cri_table_free(&t);
  assert_int_equal(unlink(scratch_path("t.csv")), 0);
}

TEST(another_table_is_refused) {
  refuses("x,z\n1,2\n", "its first line should be 'x,y'");
  refuses("x,y\n1,2\n3\n", "row 2 does not fit");
  refuses("x,y\n1,2,3\n", "row 1 does not fit");
  refuses("x,y\n1,two\n", "row 1 does not fit");
  refuses("x,y\n1,2\n3,4\n5,6\n", "row 3 does not fit");
}
