// SPDX-License-Identifier: Apache-2.0
// Every status has a text and an exit code; errors carry a sentence.
#include "base/status.h"
#include "support/test.h"

#include <string.h>

TEST(every_status_has_a_text_of_its_own) {
  for (int i = 0; i < CR_N_STATUS; i++) {
    const char* text = cr_status_text((cr_status)i);
    assert_true(strlen(text) > 4);
    assert_string_not_equal(text, "unknown status");
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(text, cr_status_text((cr_status)j));
    }
  }
}

TEST(values_that_are_no_status_are_answered) {
  const int wrong[] = {-1, CR_N_STATUS, CR_N_STATUS + 1, 1 << 30};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_string_equal(cr_status_text((cr_status)wrong[i]), "unknown status");
    assert_int_equal(cr_status_exit_code((cr_status)wrong[i]), 3);
  }
}

TEST(exit_codes_are_those_documented) {
  assert_int_equal(cr_status_exit_code(CR_OK), 0);
  assert_int_equal(cr_status_exit_code(CR_ERR_ARG), 2);
  assert_int_equal(cr_status_exit_code(CR_ERR_UNSUPPORTED), 2);
  assert_int_equal(cr_status_exit_code(CR_ERR_DIVERGED), 3);
  assert_int_equal(cr_status_exit_code(CR_ERR_CAPACITY), 3);
  assert_int_equal(cr_status_exit_code(CR_ERR_INTERRUPTED), 130);
  for (int i = 1; i < CR_N_STATUS; i++) {
    int code = cr_status_exit_code((cr_status)i);
    assert_true(code == 2 || code == 3 || code == 130);
  }
}

TEST(fail_keeps_status_and_sentence) {
  cr_error error = {0};
  assert_int_equal(cri_fail(&error, CR_ERR_NAME, "no body '%s' among %d", "arm", 3), CR_ERR_NAME);
  assert_int_equal(error.status, CR_ERR_NAME);
  assert_string_equal(error.text, "no body 'arm' among 3");
}

TEST(fail_works_without_an_error) {
  assert_int_equal(cri_fail(NULL, CR_ERR_FILE, "%d", 1), CR_ERR_FILE);
}

TEST(fail_cuts_a_long_sentence) {
  char word[2000];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = 0;
  struct {
    cr_error error;
    char guard;
  } box = {.guard = 'g'};
  cri_fail(&box.error, CR_ERR_FORMAT, "%s", word);
  assert_int_equal(strlen(box.error.text), sizeof box.error.text - 1);
  assert_int_equal(box.guard, 'g');
}

static cr_status passes_on(cr_status status, bool* went_on) {
  CR_TRY(status);
  *went_on = true;
  return CR_OK;
}

TEST(try_returns_what_failed) {
  bool went_on = false;
  assert_int_equal(passes_on(CR_ERR_SOLVER, &went_on), CR_ERR_SOLVER);
  assert_false(went_on);
  assert_int_equal(passes_on(CR_OK, &went_on), CR_OK);
  assert_true(went_on);
}

TEST(version_has_three_numbers) {
  int dots = 0;
  for (const char* c = cr_version(); *c != 0; c++) {
    assert_true(*c == '.' || (*c >= '0' && *c <= '9'));
    dots += *c == '.';
  }
  assert_int_equal(dots, 2);
}
