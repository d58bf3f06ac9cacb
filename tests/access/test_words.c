// SPDX-License-Identifier: Apache-2.0
// Every enumeration of the public headers has words for all its values, there and back.
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "support/test.h"

// the enumerators of `typedef enum { ... } cr_KIND;`, counted, and the kind
static int enumerators(const char* begin, char kind[64]) {
  const char *end = strchr(begin, '}'), *name = strstr(end, "cr_") + 3;
  int n = 0;
  (void)snprintf(kind, 64, "%.*s", (int)strcspn(name, ";"), name);
  for (const char* c = begin; c < end; c++) {
    if (strncmp(c, "//", 2) == 0) {
      c = strchr(c, '\n');
    } else if (strncmp(c, "CR_", 3) == 0) {
      n++;
      c += strspn(c, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") - 1;
    }
  }
  return n;
}

static int check_header(const char* path) {
  enum { SIZE = 1 << 16 };
  static char text[SIZE];
  int kinds = 0;
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, SIZE - 1, file)] = 0;
  (void)fclose(file);
  for (const char* at = strstr(text, "\ntypedef enum {"); at != NULL;
       at = strstr(at + 1, "\ntypedef enum {")) {
    char kind[64];
    int n = enumerators(strchr(at, '{'), kind), words = 0;
    if (strcmp(kind, "status") == 0) {  // from a list
      n = CR_N_STATUS;
    }
    for (int value = 0; value < 64; value++) {
      const char* word = cr_enum_word(kind, value);
      words += word != NULL;
      assert_true(word == NULL || cr_enum_value(kind, word) == value);
    }
    if (words != n) {
      fail_msg("%s has %d values, %d words", kind, n, words);
    }
    kinds++;
  }
  return kinds;
}

TEST(every_value_has_a_word) {
  int kinds = 0;
  DIR* folder = opendir(CAROM_SOURCE_DIR "/include/carom");
  assert_non_null(folder);
  for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    char path[512];
    (void)snprintf(path, sizeof path, CAROM_SOURCE_DIR "/include/carom/%s", entry->d_name);
    kinds += entry->d_name[0] != '.' ? check_header(path) : 0;
  }
  (void)closedir(folder);
  assert_true(kinds >= 10);
}

TEST(what_is_none_is_told) {
  assert_null(cr_enum_word("transform", 99));
  assert_null(cr_enum_word("transform", -1));
  assert_null(cr_enum_word("no_such_kind", 0));
  assert_int_equal(cr_enum_value("transform", "square"), -1);
  assert_int_equal(cr_enum_value("no_such_kind", "log"), -1);
  assert_string_equal(cr_enum_word("status", CR_ERR_ARG), "ERR_ARG");
}
