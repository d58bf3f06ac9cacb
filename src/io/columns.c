// SPDX-License-Identifier: Apache-2.0
// Names of columns.
#include "io/columns.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/names.h"

// ---- names of controls

void cri_control_name(const cr_model* m, int i, char name[CR_COLUMN_NAME]) {
  for (int a = 0; a < m->nactuator; a++) {
    int k = i - m->actuator_ctrladr[a];
    const char* own = cri_name(m, m->name_actuatoradr, a);
    bool names = own[0] != 0 && strchr(own, ',') == NULL;
    if (k >= 0 && k < m->actuator_ctrlnum[a] && names) {
      bool single = m->actuator_ctrlnum[a] == 1;
      (void)(single ? snprintf(name, CR_COLUMN_NAME, "%.120s", own)
                    : snprintf(name, CR_COLUMN_NAME, "%.120s[%d]", own, k));
      return;
    }
  }
  (void)snprintf(name, CR_COLUMN_NAME, "ctrl[%d]", i);
}

char* cri_control_names(const cr_model* m) {
  char* text = calloc((size_t)m->nu + 1, CR_COLUMN_NAME);
  char* at = text;
  for (int i = 0; i < m->nu && text != NULL; i++) {
    at += strlen(at);
    *at = ',';
    at += i > 0;
    cri_control_name(m, i, at);
  }
  return text;
}

// the control that a column means, CR_COLUMN_TIME, or -2 where it means none
static int control_of(const cr_model* m, const char* column) {
  char name[CR_COLUMN_NAME];
  cr_place place;
  if (strcmp(column, "time") == 0) {
    return CR_COLUMN_TIME;
  }
  for (int i = 0; i < m->nu; i++) {
    cri_control_name(m, i, name);
    if (strcmp(name, column) == 0) {
      return i;
    }
  }
  bool found = strncmp(column, "ctrl[", 5) == 0 && cri_place_find(&place, m, column, NULL) == CR_OK;
  return found && place.count == 1 ? place.first : -2;
}

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

int cri_columns_known(const cri_columns* c, const cr_model* m) {
  int known = 0;
  for (int i = 0; i < c->n; i++) {
    known += control_of(m, c->name[i]) >= CR_COLUMN_TIME;
  }
  return known;
}

// ---- which column is what

static cr_status unknown(const cr_model* m, const char* where, const char* column,
                         cr_error* error) {
  char list[320] = "time", name[CR_COLUMN_NAME];
  size_t used = strlen(list);
  for (int i = 0; i < m->nu && used < sizeof list; i++) {
    cri_control_name(m, i, name);
    int n = snprintf(list + used, sizeof list - used, ", %s", name);
    used += n > 0 ? (size_t)n : 0;
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s: there is no control '%.60s'; there are: %s", where,
                  column, list);
}

cr_status cri_columns_place(const cri_columns* c, const cr_model* m, const char* where, int* to,
                            cr_error* error) {
  char name[CR_COLUMN_NAME];
  for (int i = 0; i < c->n; i++) {
    to[i] = control_of(m, c->name[i]);
    if (to[i] < CR_COLUMN_TIME) {
      return unknown(m, where, c->name[i], error);
    }
    for (int k = 0; k < i; k++) {
      if (to[k] == to[i]) {
        return cri_fail(error, CR_ERR_FORMAT, "%s: column '%.60s' is there twice", where,
                        c->name[i]);
      }
    }
  }
  for (int i = 0; i < m->nu; i++) {
    bool found = false;
    for (int k = 0; k < c->n; k++) {
      found = found || to[k] == i;
    }
    if (!found) {
      cri_control_name(m, i, name);
      return cri_fail(error, CR_ERR_FORMAT, "%s: a column for '%s' is missing", where, name);
    }
  }
  return CR_OK;
}

cr_status cri_columns_time(cr_real time, int k, cr_real interval, cr_real first[2],
                           const char* where, cr_error* error) {
  cr_real before = k == 0 ? time - interval : first[1];
  first[0] = k == 0 ? time : first[0];
  first[1] = time;
  cr_real off = cr_abs(time - first[0] - (cr_real)k * interval);
  if (!(time > before)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: time %.9g comes after %.9g; it has to increase",
                    where, (double)time, (double)before);
  }
  if (!(off <= CR_R(0.01) * interval)) {
    return cri_fail(
        error, CR_ERR_FORMAT,
        "%s: time %.9g is %.9g after the first row; controls change every %.9g s, so %.9g "
        "is expected",
        where, (double)time, (double)(time - first[0]), (double)interval,
        (double)((cr_real)k * interval));
  }
  return CR_OK;
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
              : cri_fail(error, CR_ERR_FORMAT, "%s: the attribute 'columns' of '%s' is not: %.200s",
                         path, set, expected);
}
