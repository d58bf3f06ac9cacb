// SPDX-License-Identifier: Apache-2.0
// The JSON writer: commas, nesting, escapes, and numbers that come back as they were.
#include "support/test.h"
#include "tools/json.h"

#include <stdio.h>
#include <stdlib.h>

TEST(nesting_and_commas) {
  const cr_real numbers[] = {1, 2.5, -3};
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_int(&j, "a", -7);
  cr_json_open(&j, "b", '[');
  cr_json_bool(&j, NULL, true);
  cr_json_open(&j, NULL, '{');
  cr_json_close(&j, '}');
  cr_json_open(&j, NULL, '[');
  cr_json_close(&j, ']');
  cr_json_bool(&j, NULL, false);
  cr_json_close(&j, ']');
  cr_json_reals(&j, "c", numbers, 3);
  cr_json_reals(&j, "none", numbers, 0);
  cr_json_numbers(&j, "one", numbers, 1);
  cr_json_numbers(&j, "two", numbers, 2);
  cr_json_string(&j, "text", "x");
  cr_json_close(&j, '}');
  assert_string_equal(j.text,
                      "{\"a\": -7, \"b\": [true, {}, [], false], \"c\": [1, 2.5, -3], "
                      "\"none\": [], \"one\": 1, \"two\": [1, 2.5], \"text\": \"x\"}");
  assert_int_equal(j.depth, 0);
  cr_json_free(&j);
  assert_null(j.text);
}

TEST(numbers_come_back) {
  static const double values[] = {0.1, 1.0 / 3, 1e-300, -2.5e300, 123456789.123456789, 5e-324, 0};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    cr_json j = {0};
    cr_json_real(&j, NULL, values[i]);
    assert_true(strtod(j.text, NULL) == values[i]);
    cr_json_free(&j);
  }
  static const double none[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    cr_json j = {0};
    cr_json_real(&j, NULL, none[i]);
    assert_string_equal(j.text, "null");
    cr_json_free(&j);
  }
}

static void quoted(const char* text, const char* expected) {
  cr_json j = {0};
  cr_json_string(&j, NULL, text);
  assert_string_equal(j.text, expected);
  cr_json_free(&j);
}

TEST(text) {
  quoted("", "\"\"");
  quoted("say \"a\\b\"", "\"say \\\"a\\\\b\\\"\"");
  quoted("line\nend\t\x01", "\"line\\u000aend\\u0009\\u0001\"");
  // UTF-8 passes, and what is none of it is replaced: a cut character, a lone byte, too long a form
  quoted(
      "gr\xc3\xb6\xc3\x9f"
      "e",
      "\"gr\xc3\xb6\xc3\x9f"
      "e\"");
  quoted("\xe2\x82\xac \xf0\x9f\x9a\x97", "\"\xe2\x82\xac \xf0\x9f\x9a\x97\"");
  quoted("cut \xe2\x82", "\"cut \\ufffd\\ufffd\"");
  quoted("\xff\xfe", "\"\\ufffd\\ufffd\"");
  quoted("\xc0\xaf", "\"\\ufffd\\ufffd\"");
  quoted("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
}

TEST(keys_are_quoted_too) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '{');
  cr_json_int(&j, "say \"x\"", 1);
  cr_json_close(&j, '}');
  assert_string_equal(j.text, "{\"say \\\"x\\\"\": 1}");
  cr_json_free(&j);
}

TEST(large_documents) {
  cr_json j = {0};
  cr_json_open(&j, NULL, '[');
  for (int i = 0; i < 20000; i++) {
    cr_json_int(&j, NULL, i);
  }
  cr_json_close(&j, ']');
  assert_false(j.failed);
  assert_int_equal(strlen(j.text), j.length);
  assert_true(j.length > 100000);
  cr_json_free(&j);
}
