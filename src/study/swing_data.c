// SPDX-License-Identifier: Apache-2.0
// Runs of a filmed double pendulum.
#include "study/swing_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "carom/carom.h"
#include "tools/hdf5.h"

// the least that pieces and predictions of the study need
enum { LEAST_RUNS = 3 };
static const double least_seconds = 5;
static const double most_step = 1;  // rad from row to row

// ---- reading

typedef struct {
  cr_swing_data* data;
  const cr_h5* file;
  const char* path;
  cr_error* error;
} reader;

static cr_status check_rows(const reader* r, const cr_swing_run* run, int cols) {
  cr_error* error = r->error;
  if (cols != 2) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: run/%s/theta has %d columns; two angles expected",
                    r->path, run->name, cols);
  }
  if (run->rows * (double)r->data->interval < least_seconds) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: run/%s has %d rows, %.3g s; at least %g s needed",
                    r->path, run->name, run->rows, run->rows * (double)r->data->interval,
                    least_seconds);
  }
  for (int i = 0; i < 2 * run->rows; i++) {
    if (!isfinite(run->angle[i])) {
      return cri_fail(error, CR_ERR_FORMAT, "%s: run/%s/theta, row %d: a number is not finite",
                      r->path, run->name, i / 2);
    }
    double step = i < 2 ? 0 : fabs(run->angle[i] - run->angle[i - 2]);
    if (step > most_step) {
      return cri_fail(error, CR_ERR_FORMAT,
                      "%s: run/%s/theta, row %d: an angle changes by %.3g from the row before; "
                      "unwrapped radians expected",
                      r->path, run->name, i / 2, step);
    }
  }
  return CR_OK;
}

static cr_status read_run(void* context, const char* name) {
  reader* r = context;
  cr_swing_data* data = r->data;
  char set[CR_SWING_NAME + 16];
  int cols = 0;
  if (data->n == data->room) {
    int room = 2 * data->room + 16;
    cr_swing_run* more = realloc(data->run, (size_t)room * sizeof *more);
    if (more == NULL) {
      return cri_fail(r->error, CR_ERR_MEMORY, "%s: no memory", r->path);
    }
    data->run = more;
    data->room = room;
  }
  cr_swing_run* run = &data->run[data->n];
  *run = (cr_swing_run){.rows = 0};
  if (strlen(name) >= sizeof run->name) {
    return cri_fail(r->error, CR_ERR_FORMAT, "%s: run/%s: names of runs have at most %d characters",
                    r->path, name, CR_SWING_NAME - 1);
  }
  (void)strcpy(run->name, name);
  (void)snprintf(set, sizeof set, "run/%s/theta", name);
  CR_TRY(cri_h5_read(r->file, set, &run->angle, &run->rows, &cols, r->error));
  data->n++;
  return check_rows(r, run, cols);
}

static cr_status read_all(reader* r, cr_error* error) {
  double interval = 0;
  bool present = false;
  CR_TRY(cri_h5_read_attribute(r->file, "/", "dt_nominal", &interval, &present, error));
  if (!present || !(interval > 0 && interval < 0.02)) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: attribute dt_nominal, the seconds from row to row, is missing or not "
                    "between 0 and 0.02",
                    r->path);
  }
  if (!cri_h5_has(r->file, "run")) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: there is no group run; data sets run/NAME/theta expected", r->path);
  }
  r->data->interval = (cr_real)interval;
  CR_TRY(cri_h5_each(r->file, "run", read_run, r, error));
  return r->data->n >= LEAST_RUNS
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "%s: it has %d runs; at least %d are needed", r->path,
                        r->data->n, LEAST_RUNS);
}

cr_status cri_swing_read(cr_swing_data* data, const char* path, cr_error* error) {
  *data = (cr_swing_data){.n = 0};
  cr_h5* file;
  CR_TRY(cri_h5_open(&file, path, error));
  reader r = {data, file, path, error};
  cr_status status = read_all(&r, error);
  cri_h5_close(file);
  return status;
}

void cri_swing_free(cr_swing_data* data) {
  for (int i = 0; i < data->n; i++) {
    free(data->run[i].angle);
  }
  free(data->run);
  *data = (cr_swing_data){.n = 0};
}

// ---- making

enum { STREAM_SWING = 1 << 21, SUBSTEPS = 5 };
// in fifths of a pixel: arms of such lengths, markers this uncertain
static const double arm[2] = {589, 450.5}, marker_noise = 0.5;

// angles between three markers that are rounded to whole units
static void film(const cr_real* qpos, cr_random* random, double* angle, double* marker) {
  double turn[2] = {(double)qpos[0], (double)(qpos[0] + qpos[1])}, at[2] = {1200, 1600}, seen[2];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 2; i++) {
      marker[2 * k + i] = round(at[i] + marker_noise * (double)cr_random_normal(random));
    }
    if (k < 2) {
      at[0] += arm[k] * cos(turn[k]);
      at[1] += arm[k] * sin(turn[k]);
    }
  }
  for (int k = 0; k < 2; k++) {
    const double* p = marker + 2 * k;
    double a = atan2(p[3] - p[1], p[2] - p[0]);
    seen[k] = a + 2 * (double)CR_PI * round((turn[k] - a) / (2 * (double)CR_PI));
  }
  angle[0] = seen[0];
  angle[1] = seen[1] - seen[0];
}

static cr_status make_run(const cr_swing_making* making, const cr_model* m, cr_data* d, int i,
                          double* angle, double* marker, cr_error* error) {
  cr_random random = cr_random_seed(making->seed, STREAM_SWING + (uint64_t)i);
  CR_TRY(cr_data_reset(m, d));
  cr_real* qpos = cr_data_view(m, d, "qpos", NULL, NULL);
  for (int k = 0; k < 2; k++) {
    qpos[k] = cr_random_range(&random, CR_R(-2.8), CR_R(2.8));
  }
  cr_status status = CR_OK;
  for (int row = 0; row < making->rows && status == CR_OK; row++) {
    film(qpos, &random, angle + (ptrdiff_t)2 * row, marker + (ptrdiff_t)6 * row);
    for (int k = 0; k < SUBSTEPS && status == CR_OK; k++) {
      status = cr_step(m, d);
      status = status == CR_OK ? cr_advance(m, d) : status;
    }
  }
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
}

static cr_status make_all(const cr_swing_making* making, const cr_model* m, cr_data* d, cr_h5* file,
                          double* numbers, cr_error* error) {
  double* marker = numbers + (ptrdiff_t)2 * making->rows;
  for (int i = 0; i < making->runs; i++) {
    char name[32];
    CR_TRY(make_run(making, m, d, i, numbers, marker, error));
    (void)snprintf(name, sizeof name, "run/%02d/theta", i);
    CR_TRY(cri_h5_write(file, name, numbers, making->rows, 2, error));
    (void)snprintf(name, sizeof name, "run/%02d/markers", i);
    CR_TRY(cri_h5_write(file, name, marker, making->rows, 6, error));
  }
  CR_TRY(cri_h5_write_attribute(file, "/", "dt_nominal", (double)making->interval, error));
  return cri_h5_save(file, error);
}

cr_status cri_swing_make(const cr_model* m, const cr_swing_making* making, const char* path,
                         cr_error* error) {
  cr_model* fine = NULL;
  cr_data* d = NULL;
  cr_h5* file = NULL;
  double* numbers = calloc((size_t)making->rows * 8 + 1, sizeof *numbers);
  cr_status status = numbers != NULL ? cr_model_copy(&fine, m, error)
                                     : cri_fail(error, CR_ERR_MEMORY, "no memory");
  if (status == CR_OK) {
    status = cr_model_set_option(fine, "timestep", making->interval / SUBSTEPS, error);
  }
  status = status == CR_OK ? cr_data_create(&d, fine, error) : status;
  status = status == CR_OK ? cri_h5_create(&file, path, error) : status;
  if (status == CR_OK) {
    status = make_all(making, fine, d, file, numbers, error);
    cri_h5_close(file);
  }
  free(numbers);
  cr_data_destroy(d);
  cr_model_destroy(fine);
  return status;
}
