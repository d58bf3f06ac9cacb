// SPDX-License-Identifier: Apache-2.0
// The file LC_NUMERIC of glibc: a magic number, how many values there are, where each begins, the values.
#include "support/comma_locale.h"

#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/scratch.h"
#include "support/test.h"

typedef struct {
  uint32_t magic, count, at[6];
  char point[4], separator[4], grouping[4];
  uint32_t wide_point, wide_separator;
  char codeset[8];
} numeric;

static const numeric comma = {.magic = 0x20031115 ^ LC_NUMERIC,
                              .count = 6,
                              .at = {offsetof(numeric, point), offsetof(numeric, separator),
                                     offsetof(numeric, grouping), offsetof(numeric, wide_point),
                                     offsetof(numeric, wide_separator), offsetof(numeric, codeset)},
                              .point = ",",
                              .separator = ".",
                              .grouping = "\x7f",
                              .wide_point = ',',
                              .wide_separator = '.',
                              .codeset = "UTF-8"};

void comma_locale_begin(void) {
  char text[32], *end;
  (void)mkdir(scratch_path("comma"), 0777);
  FILE* file = fopen(scratch_path("comma/LC_NUMERIC"), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(&comma, sizeof comma, 1, file), 1);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(setenv("LOCPATH", scratch_path(""), 1), 0);
  assert_non_null(setlocale(LC_NUMERIC, "comma"));
  (void)snprintf(text, sizeof text, "%g", 0.5);
  assert_string_equal(text, "0,5");
  assert_true(strtod("2,25", &end) == 2.25);
}

void comma_locale_end(void) {
  (void)setlocale(LC_NUMERIC, "C");
  (void)unsetenv("LOCPATH");
  (void)remove(scratch_path("comma/LC_NUMERIC"));
  (void)remove(scratch_path("comma"));
}
