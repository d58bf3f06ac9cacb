// SPDX-License-Identifier: Apache-2.0
// The nearest of several names, and how far words are apart.
#include "base/nearest.h"

#include <string.h>

#include "support/test.h"

static const char* nearest_of(const char* word, const char* const* names, int n) {
  static cri_nearest nearest;
  cri_nearest_begin(&nearest, word, strlen(word));
  for (int i = 0; i < n; i++) {
    cri_nearest_offer(&nearest, names[i]);
  }
  return cri_nearest_hint(&nearest);
}

TEST(edits_between_words) {
  assert_int_equal(cri_edits("", ""), 0);
  assert_int_equal(cri_edits("elbow", "elbow"), 0);
  assert_int_equal(cri_edits("elbw", "elbow"), 1);    // put in
  assert_int_equal(cri_edits("elboow", "elbow"), 1);  // left out
  assert_int_equal(cri_edits("elbox", "elbow"), 1);   // changed
  assert_int_equal(cri_edits("kitten", "sitting"), 3);
  assert_int_equal(cri_edits("", "elbow"), 5);
  assert_int_equal(cri_edits("x", "a word of more than forty letters is no word at all"), 40);
}

TEST(a_misspelt_name_is_found) {
  static const char* const names[] = {"shoulder", "elbow", "wrist"};
  assert_string_equal(nearest_of("elbw", names, 3), "; did you mean 'elbow'?");
  assert_string_equal(nearest_of("sholder", names, 3), "; did you mean 'shoulder'?");
  assert_string_equal(nearest_of("knee", names, 3), "");
  assert_string_equal(nearest_of("", names, 3), "");
  assert_string_equal(nearest_of("elbow", names, 0), "");
}

TEST(of_equally_near_names_the_first_stays) {
  static const char* const names[] = {"left", "lift", "", "loft"};
  assert_string_equal(nearest_of("lxft", names, 4), "; did you mean 'left'?");
  static const char* const closer[] = {"lefts", "left"};
  assert_string_equal(nearest_of("lef", closer, 2), "; did you mean 'left'?");
}

TEST(words_that_are_too_long_have_no_name_near) {
  char word[200];
  memset(word, 'a', sizeof word - 1);
  word[sizeof word - 1] = 0;
  const char* names[] = {word};
  assert_string_equal(nearest_of(word, names, 1), "");
  // only so many letters of a text count
  cri_nearest nearest;
  cri_nearest_begin(&nearest, "elbw=3", 4);
  cri_nearest_offer(&nearest, "elbow");
  assert_string_equal(nearest.name, "elbow");
}
