// SPDX-License-Identifier: Apache-2.0
// Names of columns.
#include "tools/column_names.h"

#include <stdlib.h>
#include <string.h>

// ---- lists

// ends a name before blanks and quotes, and returns where it begins
static char* trim(char* name) {
  static const char* const around = " \t\r\n\"'";
  name += strspn(name, around);
  size_t n = strlen(name);
  while (n > 0 && strchr(around, name[n - 1]) != NULL) {
    name[--n] = 0;
  }
  return name;
}

cr_status cri_columns_cut(cri_columns* c, const char* text, cr_error* error) {
  size_t n = 1;
  for (const char* at = text; *at != 0; at++) {
    n += *at == ',';
  }
  *c = (cri_columns){.text = strdup(text), .name = calloc(n, sizeof *c->name)};
  if (c->text == NULL || c->name == NULL) {
    cri_columns_free(c);
    return cri_fail(error, CR_ERR_MEMORY, "columns: no memory for %zu names", n);
  }
  char* at = c->text;
  while (c->n < (int)n) {
    size_t length = strcspn(at, ",");
    at[length] = 0;
    c->name[c->n++] = trim(at);
    at += length + 1;
  }
  return CR_OK;
}

void cri_columns_free(cri_columns* c) {
  free(c->text);
  free((void*)c->name);
  *c = (cri_columns){0};
}

// ---- names in HDF5

cr_status cri_columns_of_set(cri_columns* c, const cr_h5* file, const char* set, bool* present,
                             cr_error* error) {
  char* text = NULL;
  CR_TRY(cri_h5_read_texts(file, set, "columns", &text, error));
  *present = text != NULL;
  cr_status status = text != NULL ? cri_columns_cut(c, text, error) : CR_OK;
  free(text);
  return status;
}

cr_status cri_columns_are(const cr_h5* file, const char* path, const char* set,
                          const char* expected, cr_error* error) {
  cri_columns is = {.n = 0}, wanted = {.n = 0};
  bool present = false;
  CR_TRY(cri_columns_of_set(&is, file, set, &present, error));
  cr_status status = present ? cri_columns_cut(&wanted, expected, error) : CR_OK;
  bool same = is.n == wanted.n;
  for (int i = 0; same && i < is.n; i++) {
    same = strcmp(is.name[i], wanted.name[i]) == 0;
  }
  cri_columns_free(&is);
  cri_columns_free(&wanted);
  CR_TRY(status);
  return same ? CR_OK
              : cri_fail(error, CR_ERR_FORMAT,
                         "%s: the attribute 'columns' of '%s' should be: %.200s", path, set,
                         expected);
}
