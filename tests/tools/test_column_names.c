// SPDX-License-Identifier: Apache-2.0
// Names of columns: how lists are cut, and which a data set says it has.
#include "tools/column_names.h"

#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

TEST(lists_are_cut_at_commas) {
  cri_columns c;
  static const char* const expected[] = {"a", "b c", "", "d"};
  assert_int_equal(cri_columns_cut(&c, " a,\t'b c' ,, \"d\"\r\n", &error), CR_OK);
  assert_int_equal(c.n, 4);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(c.name[i], expected[i]);
  }
  cri_columns_free(&c);
  assert_int_equal(c.n, 0);
}

TEST(sets_say_what_their_columns_are) {
  const double values[] = {1, 2};
  cr_h5* file = NULL;
  const char* path = scratch_path("columns.h5");
  assert_int_equal(cri_h5_create(&file, path, &error), CR_OK);
  assert_int_equal(cri_h5_write(file, "x", values, 1, 2, &error), CR_OK);
  assert_int_equal(cri_columns_are(file, path, "x", "a,b", &error), CR_OK);
  assert_int_equal(cri_h5_write_text(file, "x", "columns", "a, b", &error), CR_OK);
  assert_int_equal(cri_columns_are(file, path, "x", "a,b", &error), CR_OK);
  assert_int_equal(cri_columns_are(file, path, "x", "b,a", &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "'columns' of 'x' should be: b,a"));
  cri_h5_close(file);
}
