// SPDX-License-Identifier: Apache-2.0
// Names of columns.
#include "io/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom/model.h"
#include "model/names.h"

// ---- names of controls

char* cri_control_names(const cr_model* m) {
  char* text = calloc((size_t)m->nu + 1, CR_CONTROL_NAME);
  char* at = text;
  for (int i = 0; i < m->nu && text != NULL; i++) {
    at += strlen(at);
    *at = ',';
    at += i > 0;
    (void)cr_control_name(m, i, at, CR_CONTROL_NAME, NULL);
  }
  return text;
}

// the control named by a column, CR_COLUMN_TIME, or -2 for an unknown name
static int control_of(const cr_model* m, const char* column) {
  char name[CR_CONTROL_NAME];
  cr_place place;
  if (strcmp(column, "time") == 0) {
    return CR_COLUMN_TIME;
  }
  for (int i = 0; i < m->nu; i++) {
    (void)cr_control_name(m, i, name, CR_CONTROL_NAME, NULL);
    if (strcmp(name, column) == 0) {
      return i;
    }
  }
  bool found = strncmp(column, "ctrl[", 5) == 0 && cri_place_find(&place, m, column, NULL) == CR_OK;
  return found && place.count == 1 ? place.first : -2;
}

int cri_columns_known(const cri_columns* c, const cr_model* m) {
  int known = 0;
  for (int i = 0; i < c->n; i++) {
    known += control_of(m, c->name[i]) >= CR_COLUMN_TIME;
  }
  return known;
}

// ---- columns to controls

static cr_status unknown(const cr_model* m, const char* where, const char* column,
                         cr_error* error) {
  char list[320] = "time", name[CR_CONTROL_NAME];
  size_t used = strlen(list);
  for (int i = 0; i < m->nu && used < sizeof list; i++) {
    (void)cr_control_name(m, i, name, CR_CONTROL_NAME, NULL);
    int n = snprintf(list + used, sizeof list - used, ", %s", name);
    used += n > 0 ? (size_t)n : 0;
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s: there is no control '%.60s'; there are: %s", where,
                  column, list);
}

cr_status cri_columns_place(const cri_columns* c, const cr_model* m, const char* where, int* to,
                            cr_error* error) {
  char name[CR_CONTROL_NAME];
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
      (void)cr_control_name(m, i, name, CR_CONTROL_NAME, NULL);
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
