// SPDX-License-Identifier: Apache-2.0
// Growing lists of sentences.
#include "io/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"

static bool grow(cr_sentences* list) {
  int capacity = list->capacity > 0 ? 2 * list->capacity : 8;
  char** text = realloc(list->text, (size_t)capacity * sizeof *text);
  if (text == NULL) {
    return false;
  }
  list->text = text;
  list->capacity = capacity;
  return true;
}

void cri_sentence(cr_sentences* list, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  (void)cri_print_list(line, sizeof line, format, arguments);
  va_end(arguments);
  for (int i = 0; i < list->n; i++) {
    if (strcmp(list->text[i], line) == 0) {
      return;
    }
  }
  if (list->n < list->capacity || grow(list)) {
    char* copy = strdup(line);
    if (copy != NULL) {
      list->text[list->n++] = copy;
    }
  }
}

static void free_list(cr_sentences* list) {
  for (int i = 0; i < list->n; i++) {
    free(list->text[i]);
  }
  free(list->text);
  *list = (cr_sentences){0};
}

void cri_load_report_free(cr_load_report* report) {
  free_list(&report->unsupported);
  free_list(&report->ignored);
  free_list(&report->warnings);
}
