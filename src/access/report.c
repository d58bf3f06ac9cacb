// SPDX-License-Identifier: Apache-2.0
// Growing lists of sentences.
#include "access/report.h"

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

// ---- public functions

cr_status cr_load_report_create(cr_load_report** report, cr_error* error) {
  if (report == NULL) {
    return cri_fail(error, CR_ERR_ARG, "cr_load_report_create: where the report goes is NULL");
  }
  *report = calloc(1, sizeof **report);
  return *report != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a report");
}

void cr_load_report_destroy(cr_load_report* report) {
  if (report != NULL) {
    cri_load_report_free(report);
    free(report);
  }
}

static const cr_sentences* list_of(const cr_load_report* report, cr_load_finding kind) {
  static const cr_sentences none = {0};
  const cr_sentences* lists[] = {&none, &none, &none};
  if (report != NULL) {
    lists[CR_LOAD_UNSUPPORTED] = &report->unsupported;
    lists[CR_LOAD_IGNORED] = &report->ignored;
    lists[CR_LOAD_WARNING] = &report->warnings;
  }
  return kind >= CR_LOAD_UNSUPPORTED && kind <= CR_LOAD_WARNING ? lists[kind] : &none;
}

int cr_load_report_count(const cr_load_report* report, cr_load_finding kind) {
  return list_of(report, kind)->n;
}

const char* cr_load_report_get(const cr_load_report* report, cr_load_finding kind, int i) {
  const cr_sentences* list = list_of(report, kind);
  return i >= 0 && i < list->n ? list->text[i] : NULL;
}
