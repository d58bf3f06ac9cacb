// SPDX-License-Identifier: Apache-2.0
// Channels from named arrays: what .npz and HDF5 have in common.
#include <stdio.h>
#include <stdlib.h>

#include "io/measurements_file.h"

typedef struct {
  const cri_measured_file* f;
  const cri_measured_array* array;
  cri_measured_name* name;
  int n;
  cr_real rate;
} arrays;

static cr_status take_names(arrays* a) {
  for (int i = 0; i < a->n; i++) {
    cri_measured_name* c = &a->name[i];
    CR_TRY(cri_measured_name_find(c, a->f, a->f->path, a->array[i].name));
    const char* unit = a->array[i].unit;
    if (unit == NULL || unit[0] == 0) {
      continue;
    }
    if (c->unit[0] != 0 && strcmp(c->unit, unit) != 0) {
      return cri_fail(a->f->error, CR_ERR_FORMAT, "%s: '%.80s': its attribute says '%.30s'",
                      a->f->path, c->shown, unit);
    }
    (void)snprintf(c->unit, sizeof c->unit, "%s", unit);
  }
  return CR_OK;
}

// the array that has the times of a channel: its own, else those of all; -1 none
static int times_of(const arrays* a, int i) {
  int of_all = -1;
  for (int k = 0; k < a->n; k++) {
    if (a->name[k].kind == CRI_NAME_TIME) {
      if (a->name[k].text[0] == 0) {
        of_all = k;
      } else if (strcmp(a->name[k].text, a->name[i].text) == 0) {
        return k;
      }
    }
  }
  return of_all;
}

// that every array of times is that of a channel, and no name is there twice
static cr_status check_names(const arrays* a) {
  for (int i = 0; i < a->n; i++) {
    const cri_measured_name* c = &a->name[i];
    bool found = c->kind != CRI_NAME_TIME || c->text[0] == 0;
    for (int k = 0; k < a->n; k++) {
      const cri_measured_name* d = &a->name[k];
      found = found || (d->kind == CRI_NAME_PLACE && strcmp(d->text, c->text) == 0);
      if (k < i && c->kind == CRI_NAME_TIME && d->kind == c->kind &&
          strcmp(c->text, d->text) == 0) {
        return cri_fail(a->f->error, CR_ERR_FORMAT, "%s: '%.80s' and '%.80s' are the same times",
                        a->f->path, d->shown, c->shown);
      }
    }
    if (!found) {
      return cri_fail(a->f->error, CR_ERR_FORMAT,
                      "%s: '%.80s' has the times of '%.80s', which is "
                      "not there",
                      a->f->path, c->shown, c->text);
    }
  }
  return CR_OK;
}

static cr_status take_times(const arrays* a, int i, cr_real* time) {
  int k = times_of(a, i), rows = a->array[i].rows;
  cr_real factor;
  if (k < 0 && !(a->rate > 0)) {
    return cri_fail(a->f->error, CR_ERR_FORMAT,
                    "%s: '%.80s' has no times: neither 'time', '%.80s.time' nor 'rate' is there",
                    a->f->path, a->name[i].shown, a->name[i].text);
  }
  if (k < 0) {
    for (int r = 0; r < rows; r++) {
      time[r] = (cr_real)r / a->rate;
    }
    return CR_OK;
  }
  // of the last state of a rollout there is no control: each holds until the next time
  bool ends_before = a->name[i].at.field == CR_FIELD_ctrl && a->array[k].rows == rows + 1;
  if ((a->array[k].rows != rows && !ends_before) || a->array[k].cols != 1) {
    return cri_fail(a->f->error, CR_ERR_FORMAT, "%s: '%.80s' has %d rows, '%.80s' has %d x %d",
                    a->f->path, a->name[i].shown, rows, a->name[k].shown, a->array[k].rows,
                    a->array[k].cols);
  }
  CR_TRY(cri_measured_time_factor(&a->name[k], a->f, a->f->path, "s", &factor));
  for (int r = 0; r < rows; r++) {
    time[r] = (cr_real)a->array[k].values[r] * factor;
    if (!isfinite(time[r]) || (r > 0 && !(time[r] > time[r - 1]))) {
      return cri_fail(a->f->error, CR_ERR_FORMAT,
                      "%s: '%.80s', row %d: time %.9g s comes after %.9g s; it has to increase",
                      a->f->path, a->name[k].shown, r, (double)time[r],
                      (double)(r > 0 ? time[r - 1] : 0));
    }
  }
  return cri_measured_rate_check(a->f, a->rate, time, rows);
}

static cr_status take_values(const arrays* a, int i, cr_real* values) {
  const cri_measured_array* from = &a->array[i];
  for (int k = 0; k < from->cols; k++) {
    cr_real factor;
    CR_TRY(cri_measured_factor(&a->name[i], a->f, a->f->path, k, &factor));
    for (int r = 0; r < from->rows; r++) {
      size_t at = (size_t)r * (size_t)from->cols + (size_t)k;
      values[at] = (cr_real)from->values[at] * factor;
    }
  }
  return CR_OK;
}

static cr_status check_shape(const arrays* a, int i) {
  const cri_measured_array* from = &a->array[i];
  const cri_measured_name* c = &a->name[i];
  if (from->cols != c->at.count) {
    return cri_fail(a->f->error, CR_ERR_FORMAT, "%s: '%.80s' has %d numbers in a row, its place %d",
                    a->f->path, c->shown, from->cols, c->at.count);
  }
  return from->rows > 0 ? CR_OK
                        : cri_fail(a->f->error, CR_ERR_FORMAT, "%s: '%.80s' has no rows",
                                   a->f->path, c->shown);
}

static cr_status add_array(const arrays* a, int i) {
  CR_TRY(check_shape(a, i));
  const cri_measured_array* from = &a->array[i];
  size_t rows = (size_t)from->rows;
  cr_real* time = malloc(rows * sizeof *time);
  cr_real* values = malloc(rows * (size_t)from->cols * sizeof *values);
  cr_status status = time == NULL || values == NULL
                         ? cri_fail(a->f->error, CR_ERR_MEMORY, "%s: no memory", a->f->path)
                         : take_times(a, i, time);
  status = status == CR_OK ? take_values(a, i, values) : status;
  if (status == CR_OK) {
    const cr_channel_info channel = {.size = sizeof channel,
                                     .place = a->name[i].text,
                                     .rows = from->rows,
                                     .time = time,
                                     .values = values};
    const cri_origin origin = {.file = a->f->path, .column = a->name[i].shown};
    status = cri_measurements_add(a->f->to, &channel, &origin, a->f->error);
  }
  free(time);
  free(values);
  return status;
}

static cr_status take_rate(arrays* a, double rate) {
  for (int i = 0; i < a->n; i++) {
    cr_real factor;
    if (a->name[i].kind == CRI_NAME_RATE) {
      if (a->array[i].rows != 1 || a->array[i].cols != 1) {
        return cri_fail(a->f->error, CR_ERR_FORMAT, "%s: 'rate' is not one number", a->f->path);
      }
      CR_TRY(cri_measured_time_factor(&a->name[i], a->f, a->f->path, "Hz", &factor));
      rate = a->array[i].values[0] * (double)factor;
    }
  }
  return cri_measured_rate(a->f, rate, &a->rate);
}

static cr_status add_all(arrays* a, const char* run, int group, double rate) {
  int added = 0;
  CR_TRY(take_names(a));
  CR_TRY(check_names(a));
  CR_TRY(take_rate(a, rate));
  CR_TRY(cri_measurements_begin_file(a->f, run, group));
  for (int i = 0; i < a->n; i++) {
    if (a->name[i].kind == CRI_NAME_PLACE) {
      CR_TRY(add_array(a, i));
      added++;
    }
  }
  return added > 0
             ? CR_OK
             : cri_fail(a->f->error, CR_ERR_FORMAT, "%s: %s%s has no signal but the time",
                        a->f->path, run != NULL ? "run " : "the file", run != NULL ? run : "");
}

cr_status cri_measured_arrays_add(const cri_measured_file* f, const char* run, int group,
                                  const cri_measured_array* array, int n, double rate) {
  arrays a = {.f = f, .array = array, .n = n};
  a.name = calloc((size_t)n + 1, sizeof *a.name);
  cr_status status = a.name != NULL ? add_all(&a, run, group, rate)
                                    : cri_fail(f->error, CR_ERR_MEMORY, "%s: no memory", f->path);
  free(a.name);
  return status;
}
