// SPDX-License-Identifier: Apache-2.0
#include "runs/fit_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { ROOM = 256 };  // characters of a name

// of parameters their report, then delays and offsets
static cr_status name_line(const cr_runs_fit* f, int i, char name[ROOM], cr_error* error) {
  int rows = cr_parameters_report_count(f->parameters);
  if (i < rows) {
    return cr_parameters_report_name(f->parameters, i, name, ROOM, error);
  }
  int number = i - rows + cr_parameters_count(f->parameters);
  (void)snprintf(name, ROOM, "%s", cr_identification_name(f->id, number));
  return CR_OK;
}

static cr_status set_starts(cr_runs_fit* f, cr_error* error) {
  int rows = cr_parameters_report_count(f->parameters);
  cr_real* values = calloc((size_t)rows + 1, sizeof *values);
  if (values == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  cr_status status = cr_parameters_report_values(f->parameters, f->x, values, NULL, error);
  for (int i = 0; i < f->nline; i++) {
    f->lines[i].start = i < rows ? values[i] : f->x[i - rows + cr_parameters_count(f->parameters)];
  }
  free(values);
  return status;
}

// ---- --profile

// a number of a direction has no end: its x may have any length
static bool is_of_direction(const cr_runs_fit* f, const char* name) {
  for (int i = 0; i < f->estimates.n; i++) {
    const cr_parameter_info* item = &f->estimates.items[i];
    size_t n = strlen(item->name);
    if (item->kind == CR_FIT_DIRECTION && strncmp(name, item->name, n) == 0 && name[n] == '[') {
      return true;
    }
  }
  return false;
}

// the number of x that the line is, or -1
static int number_of(const cr_runs_fit* f, const char* name) {
  int n = is_of_direction(f, name) ? 0 : cr_identification_count(f->id);
  for (int i = 0; i < n; i++) {
    if (strcmp(cr_identification_name(f->id, i), name) == 0) {
      return i;
    }
  }
  return -1;
}

static cr_status choose(cr_runs_fit* f, const char* words, cr_error* error) {
  bool all = strcmp(words, "all") == 0, found = all;
  char name[ROOM], known[400] = "";
  size_t used = 0;
  for (int i = 0; i < f->nline; i++) {
    CR_TRY(name_line(f, i, name, error));
    int n = snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", name);
    used = n > 0 && used + (size_t)n < sizeof known ? used + (size_t)n : used;
    if (all || strcmp(name, words) == 0) {
      f->profiled[i] = number_of(f, name);
      found = true;
      if (!all && f->profiled[i] < 0) {
        return cri_fail(error, CR_ERR_ARG,
                        "--profile %s: an inertia or a direction is searched by other numbers; its "
                        "intervals are by covariance",
                        words);
      }
    }
  }
  known[used] = 0;
  return found ? CR_OK
               : cri_fail(error, CR_ERR_NAME, "--profile %s: this is not estimated; known: all, %s",
                          words, known);
}

cr_status cr_fit_lines_begin(cr_runs_fit* f, cr_error* error) {
  f->nline = cr_identification_report_count(f->id);
  f->lines = calloc((size_t)f->nline + 1, sizeof *f->lines);
  f->profiled = calloc((size_t)f->nline + 1, sizeof *f->profiled);
  if (f->lines == NULL || f->profiled == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  }
  for (int i = 0; i < f->nline; i++) {
    f->profiled[i] = -1;
  }
  CR_TRY(set_starts(f, error));
  for (int i = 0; i < f->o->profile.n; i++) {
    CR_TRY(choose(f, f->o->profile.text[i], error));
  }
  return CR_OK;
}

// ---- after the search

cr_status cr_fit_lines_find(cr_runs_fit* f, cr_error* error) {
  for (int i = 0; i < f->nline; i++) {
    cr_estimate* e = &f->lines[i].found;
    *e = (cr_estimate){.size = sizeof *e};
    CR_TRY(cr_identification_get_report(f->id, i, e, error));
  }
  f->profiles_begin = cri_seconds();
  f->nprofile = f->profiles_done = 0;
  for (int i = 0; i < f->nline; i++) {
    f->nprofile += f->profiled[i] >= 0;
  }
  for (int i = 0; i < f->nline; i++) {
    if (f->profiled[i] >= 0) {
      char text[ROOM];
      (void)snprintf(text, sizeof text, "profile %d of %d", f->profiles_done + 1, f->nprofile);
      f->doing = text;
      cr_status status =
          cr_identification_profile(f->id, f->profiled[i], &f->lines[i].found, error);
      f->doing = NULL;
      CR_TRY(status);
      f->lines[i].profiled = true;
      f->profiles_done++;
    }
  }
  return CR_OK;
}
