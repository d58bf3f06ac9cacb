// SPDX-License-Identifier: Apache-2.0
#include "base/state_head.h"

#include "support/test.h"

TEST(the_first_integer_that_differs_is_named) {
  static const char* const names[] = {"kind of file", "seed", "population"};
  const int64_t expected[] = {7, -1, 16}, other[] = {7, 3, 17};
  cr_error error;
  assert_int_equal(cri_state_head_check(expected, expected, names, 3, &error), CR_OK);
  assert_int_equal(cri_state_head_check(other, expected, names, 1, &error), CR_OK);
  assert_int_equal(cri_state_head_check(other, expected, names, 3, &error), CR_ERR_FORMAT);
  assert_string_equal(error.text, "the state to resume is of another search: its seed");
}
