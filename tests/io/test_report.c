// SPDX-License-Identifier: Apache-2.0
#include "io/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void sentences_stay_in_order(void** state) {
  (void)state;
  cr_sentences list = {0};
  for (int i = 0; i < 100; i++) {
    cri_sentence(&list, "sentence %d", i);
  }
  assert_int_equal(list.n, 100);
  assert_string_equal(list.text[0], "sentence 0");
  assert_string_equal(list.text[99], "sentence 99");
  cr_load_report report = {.ignored = list};
  cri_load_report_free(&report);
  assert_int_equal(report.ignored.n, 0);
  assert_null(report.ignored.text);
  cri_load_report_free(&report);  // harmless
}

static void each_sentence_once(void** state) {
  (void)state;
  cr_load_report report = {0};
  for (int i = 0; i < 9; i++) {
    cri_sentence(&report.warnings, "%s is %d", "this", i % 3);
  }
  assert_int_equal(report.warnings.n, 3);
  cri_load_report_free(&report);
}

static void long_sentences_are_cut(void** state) {
  (void)state;
  char text[2000];
  cr_load_report report = {0};
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  cri_sentence(&report.unsupported, "%s", text);
  assert_int_equal(report.unsupported.n, 1);
  assert_int_equal(strlen(report.unsupported.text[0]), 511);
  cri_load_report_free(&report);
}

int test_report(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sentences_stay_in_order),
      cmocka_unit_test(each_sentence_once),
      cmocka_unit_test(long_sentences_are_cut),
  };
  return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
