// SPDX-License-Identifier: Apache-2.0
// Tables as CSV, every number with all its digits, so that it is read as it was written.
#include "notebook/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "tools/files.h"

cr_status cri_table_create(cr_table* t, const char* file, const char* header,
                           const char* const* label, int room, cr_error* error) {
  *t = (cr_table){.file = file, .header = header, .label = label, .room = room};
  t->width = label != NULL ? 0 : 1;
  for (const char* c = header; *c != 0; c++) {
    t->width += *c == ',';
  }
  t->value = calloc((size_t)room * (size_t)t->width + 1, sizeof *t->value);
  return t->value != NULL ? CR_OK
                          : cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %d rows", file, room);
}

void cri_table_free(cr_table* t) {
  free(t->value);
  *t = (cr_table){0};
}

cr_real* cri_table_row(cr_table* t, int i) {
  t->rows = i == t->rows ? i + 1 : t->rows;
  return t->value + (size_t)i * (size_t)t->width;
}

// ---- to a file

// the longest number has 24 characters
static size_t text_room(const cr_table* t) {
  size_t n = strlen(t->header) + 2 + (size_t)t->rows * (size_t)t->width * 26;
  for (int i = 0; i < t->rows && t->label != NULL; i++) {
    n += strlen(t->label[i]) + 2;
  }
  return n;
}

static size_t put_row(const cr_table* t, int i, char* text) {
  const cr_real* v = t->value + (size_t)i * (size_t)t->width;
  size_t n = 0;
  if (t->label != NULL) {
    n += (size_t)sprintf(text, "%s,", t->label[i]);
  }
  for (int k = 0; k < t->width; k++) {
    n += (size_t)sprintf(text + n, "%s%.17g", k > 0 ? "," : "", (double)v[k]);
  }
  text[n++] = '\n';
  return n;
}

cr_status cri_table_save(const cr_table* t, const char* folder, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cri_path_join(path, folder, t->file, error));
  char* text = malloc(text_room(t));
  if (text == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  size_t n = (size_t)sprintf(text, "%s\n", t->header);
  for (int i = 0; i < t->rows; i++) {
    n += put_row(t, i, text + n);
  }
  cr_status status = cri_file_write(path, text, n, error);
  free(text);
  return status;
}

// ---- from a file

// the row that begins at *at, which moves behind it; false if it is none
static bool get_row(cr_table* t, char** at) {
  char* c = *at;
  if (t->label != NULL) {
    c += strcspn(c, ",\n");
    if (*c++ != ',') {
      return false;
    }
  }
  for (int k = 0; k < t->width; k++) {
    char* end;
    t->value[(size_t)t->rows * (size_t)t->width + (size_t)k] = (cr_real)cri_number(c, &end);
    if (end == c || *end != (k + 1 < t->width ? ',' : '\n')) {
      return false;
    }
    c = end + 1;
  }
  *at = c;
  t->rows++;
  return true;
}

static cr_status parse(cr_table* t, const char* path, char* text, cr_error* error) {
  size_t n = strlen(t->header);
  if (strncmp(text, t->header, n) != 0 || text[n] != '\n') {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: this is another table: its first line should be '%s'", path, t->header);
  }
  char* at = text + n + 1;
  t->rows = 0;
  while (*at != 0) {
    if (t->rows == t->room || !get_row(t, &at)) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: row %d does not fit this table", path,
                      t->rows + 1);
    }
  }
  return CR_OK;
}

cr_status cri_table_load(cr_table* t, const char* folder, cr_error* error) {
  char path[CR_MAX_PATH];
  char* text;
  size_t n;
  CR_TRY(cri_path_join(path, folder, t->file, error));
  if (access(path, F_OK) != 0) {
    return CR_OK;
  }
  CR_TRY(cri_file_read(path, &text, &n, error));
  cr_status status = parse(t, path, text, error);
  free(text);
  return status;
}
