// SPDX-License-Identifier: Apache-2.0
// Start tags of XML texts: tags that are found, parts that are skipped, and texts that end too early.
#include "support/test.h"
#include "tools/tags.h"

#include <stdint.h>
#include <string.h>

static char text[512];

static cr_tags begin(const char* xml) {
  assert_true(strlen(xml) < sizeof text);
  memcpy(text, xml, strlen(xml) + 1);
  return (cr_tags){.next = text};
}

TEST(names_in_order) {
  static const char* const names[] = {"robot", "link", "a:b", "end"};
  cr_tags t = begin(
      "<?xml version='1.0'?><!DOCTYPE robot>\n<robot name='x'><!-- <not/> <this> -->"
      "<link\n/></robot><a:b q='>'></a:b>text<end/>");
  for (int i = 0; i < 4; i++) {
    assert_true(cri_tags_next(&t));
    assert_true(cri_piece_is(t.name, names[i]));
  }
  assert_false(cri_tags_next(&t));
  assert_false(cri_tags_next(&t));
}

TEST(attributes) {
  cr_piece whole, value;
  cr_tags t = begin("<compiler a = 'it is \"a\"' file=\"x>y.xml\" empty=''/>");
  assert_true(cri_tags_next(&t));
  assert_true(cri_tags_attribute(&t, "file", &whole, &value));
  assert_true(cri_piece_is(value, "x>y.xml"));
  assert_true(cri_piece_is(whole, "file=\"x>y.xml\""));
  assert_true(cri_tags_attribute(&t, "a", NULL, &value));
  assert_true(cri_piece_is(value, "it is \"a\""));
  assert_true(cri_tags_attribute(&t, "empty", &whole, NULL));
  assert_true(cri_piece_is(whole, "empty=''"));
  assert_false(cri_tags_attribute(&t, "fil", NULL, NULL));
  assert_false(cri_tags_attribute(&t, "it", NULL, NULL));
}

TEST(texts_cut_anywhere_end) {
  static const char whole[] = "<?a?><!-- b --><c d='e' f=\"g\"><h/></c>";
  for (size_t n = 0; n < sizeof whole; n++) {
    cr_tags t = begin(whole);
    text[n] = 0;
    int found = 0;
    for (; cri_tags_next(&t) && found < 10; found++) {
      (void)cri_tags_attribute(&t, "f", NULL, NULL);
    }
    assert_true(found <= 2);
  }
}
