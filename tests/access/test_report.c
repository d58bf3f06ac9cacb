// SPDX-License-Identifier: Apache-2.0
#include "access/report.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

TEST(sentences_stay_in_order) {
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

TEST(each_sentence_once) {
  cr_load_report report = {0};
  for (int i = 0; i < 9; i++) {
    cri_sentence(&report.warnings, "%s is %d", "this", i % 3);
  }
  assert_int_equal(report.warnings.n, 3);
  cri_load_report_free(&report);
}

TEST(long_sentences_are_cut) {
  char text[2000];
  cr_load_report report = {0};
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  cri_sentence(&report.unsupported, "%s", text);
  assert_int_equal(report.unsupported.n, 1);
  assert_int_equal(strlen(report.unsupported.text[0]), 511);
  cri_load_report_free(&report);
}
