// SPDX-License-Identifier: Apache-2.0
#include "runs/fit_design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quantile.h"
#include "base/status.h"
#include "runs/fit_setup.h"
#include "tools/json.h"

typedef struct {
  cr_runs_fit* f;
  int n, nrun;
  cr_real* information;  // nrun n n
  cr_real *scale, *gain;
  cr_real*
      half;  // nrun n: half widths of intervals after the first, second ... plan; NaN: not told
  int* order;
  double confidence;
} design;

// ---- what plans tell

// seconds that a run covers, as the measure of its work
static cr_real length_of(const cr_measurements* plans, int run) {
  cr_real begin = (cr_real)INFINITY, end = -begin;
  for (int i = 0; i < cr_measurements_channels(plans, run); i++) {
    cr_channel_info c = {.size = sizeof c};
    if (cr_measurements_get(plans, run, i, &c, NULL) == CR_OK && c.rows > 0) {
      begin = cr_min(begin, c.time[0]);
      end = cr_max(end, c.time[c.rows - 1]);
    }
  }
  return cr_max(end - begin, CR_R(1e-9));
}

static cr_status inform(design* d, cr_error* error) {
  cr_runs_fit* f = d->f;
  double all = 0, done = 0, begin = cri_seconds();
  for (int r = 0; r < d->nrun; r++) {
    all += (double)length_of(f->measurements, r);
  }
  for (int r = 0; r < d->nrun; r++) {
    char text[160];
    if (cri_progress_due(&f->progress)) {
      (void)snprintf(text, sizeof text, "plan %d of %d  %.1f s", r + 1, d->nrun,
                     cri_seconds() - f->progress.start);
      cri_progress_left(&f->progress, text, cri_seconds() - begin, done / all, "");
    }
    cr_status status = f->stop != NULL && f->stop(NULL) ? CR_ERR_INTERRUPTED : CR_OK;
    cr_real* information = d->information + (ptrdiff_t)r * d->n * d->n;
    status = status == CR_OK ? cr_identification_information(f->id, r, f->x, information, error)
                             : status;
    if (status == CR_ERR_INTERRUPTED) {
      return cri_fail(error, status, "interrupted after %d of %d plans; nothing is written", r,
                      d->nrun);
    }
    CR_TRY(status);
    done += (double)length_of(f->measurements, r);
  }
  return CR_OK;
}

// number i where x_i is d away from where it is now; values: room
static cr_status number_at(const cr_runs_fit* f, int i, cr_real d, cr_real* values, cr_real* number,
                           cr_error* error) {
  int np = cr_parameters_count(f->parameters);
  *number = f->x[i] + d;
  if (i < np) {
    cr_real kept = f->x[i];
    f->x[i] = kept + d;
    cr_status status = cr_parameters_get_values(f->parameters, f->x, values, error);
    f->x[i] = kept;
    *number = values[i];
    return status;
  }
  return CR_OK;
}

// of all numbers after the first k + 1 plans, whose information is known
static cr_status expect(design* d, const cr_real* known, int k, cr_real* deviation, cr_real* values,
                        cr_error* error) {
  CR_TRY(cr_design_deviations(known, d->n, d->scale, deviation, error));
  for (int i = 0; i < d->n; i++) {
    cr_real reach = cri_normal_quantile((cr_real)d->confidence) * deviation[i];
    cr_real lower = (cr_real)NAN, upper = (cr_real)NAN;
    if (isfinite(reach)) {
      CR_TRY(number_at(d->f, i, -reach, values, &lower, error));
      CR_TRY(number_at(d->f, i, reach, values, &upper, error));
    }
    d->half[(ptrdiff_t)k * d->n + i] = cr_abs(upper - lower) / 2;
  }
  return CR_OK;
}

static cr_status expect_all(design* d, cr_error* error) {
  size_t n = (size_t)d->n;
  cr_real* room = calloc(n * n + 2 * n + 1, sizeof *room);
  cr_status status = room != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "fit: no memory");
  for (int k = 0; k < d->nrun && status == CR_OK; k++) {
    const cr_real* add = d->information + (size_t)d->order[k] * n * n;
    for (size_t i = 0; i < n * n; i++) {
      room[i] += add[i];
    }
    status = expect(d, room, k, room + n * n, room + n * n + n, error);
  }
  free(room);
  return status;
}

static cr_status put_in_order(design* d, cr_error* error) {
  cr_runs_fit* f = d->f;
  d->n = cr_identification_count(f->id);
  d->nrun = cr_measurements_count(f->measurements);
  d->confidence = f->o->confidence > 0 ? f->o->confidence : 0.9;
  size_t n = (size_t)d->n, nrun = (size_t)d->nrun;
  d->information = calloc(nrun * n * n + n + nrun + nrun * n + 1, sizeof *d->information);
  d->order = calloc(nrun + 1, sizeof *d->order);
  if (d->information == NULL || d->order == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "fit: no memory for %d plans", d->nrun);
  }
  d->scale = d->information + nrun * n * n;
  d->gain = d->scale + n;
  d->half = d->gain + nrun;
  CR_TRY(cr_identification_get_start(f->id, f->x, error));
  CR_TRY(cr_identification_get_scale(f->id, f->x, d->scale, error));
  CR_TRY(inform(d, error));
  CR_TRY(cr_design_order(d->information, d->n, d->nrun, NULL, d->scale, d->order, d->gain, error));
  return expect_all(d, error);
}

// ---- the answer

static const char* plan_name(const design* d, int k) {
  return cr_measurements_name(d->f->measurements, d->order[k]);
}

// by which an interval shrinks in the mean: the volume goes with the root of the determinant
static double factor(const design* d, int k) { return exp(-(double)d->gain[k] / (2.0 * d->n)); }

static bool is_told(const design* d, int k, int i) {
  return isfinite(d->half[(ptrdiff_t)k * d->n + i]);
}

static void put_answer(cr_json* j, const design* d) {
  const cr_runs_fit* f = d->f;
  cr_real value = 0, values[CR_MAX_PARAMETERS];
  cr_json_open(j, NULL, '{');
  cr_json_open(j, "order", '[');
  for (int k = 0; k < d->nrun; k++) {
    cr_json_open(j, NULL, '{');
    cr_json_string(j, "plan", plan_name(d, k));
    cr_json_real(j, "gain", d->gain[k]);
    cr_json_real(j, "factor", (cr_real)factor(d, k));
    cr_json_close(j, '}');
  }
  cr_json_close(j, ']');
  cr_json_open(j, "expected", '{');
  for (int i = 0; i < d->n; i++) {
    cr_json_open(j, cr_identification_name(f->id, i), '{');
    (void)number_at(f, i, 0, values, &value, NULL);
    cr_json_real(j, "value", value);
    cr_json_open(j, "half_width", '[');
    for (int k = 0; k < d->nrun; k++) {
      cr_json_real(j, NULL, d->half[(ptrdiff_t)k * d->n + i]);
    }
    cr_json_close(j, ']');
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
  cr_json_open(j, "untold", '[');
  for (int i = 0; i < d->n; i++) {
    if (!is_told(d, d->nrun - 1, i)) {
      cr_json_string(j, NULL, cr_identification_name(f->id, i));
    }
  }
  cr_json_close(j, ']');
  cr_json_real(j, "confidence", (cr_real)d->confidence);
  cr_json_real(j, "seconds", (cr_real)(cri_seconds() - f->progress.start));
  cr_json_string(j, "output", f->folder);
  cr_json_close(j, '}');
}

static void print_widths(const design* d) {
  enum { MOST = 5 };
  int shown = d->nrun < MOST ? d->nrun : MOST;
  (void)printf("\nhalf width of the %g %% intervals that a fit would have\n%-28s %-11s",
               100 * d->confidence, "after plans", "value");
  for (int k = 0; k < shown; k++) {
    bool last = k == shown - 1 && d->nrun > 1;
    char text[24];
    (void)snprintf(text, sizeof text, last ? "all %d" : "%d", last ? d->nrun : k + 1);
    (void)printf(" %-11s", text);
  }
  (void)printf("\n");
  for (int i = 0; i < d->n; i++) {
    cr_real value = 0, values[CR_MAX_PARAMETERS];
    (void)number_at(d->f, i, 0, values, &value, NULL);
    (void)printf("%-28s %-11.5g", cr_identification_name(d->f->id, i), (double)value);
    for (int k = 0; k < shown; k++) {
      int at = k == shown - 1 ? d->nrun - 1 : k;
      if (is_told(d, at, i)) {
        (void)printf(" %-11.4g", (double)d->half[(ptrdiff_t)at * d->n + i]);
      } else {
        (void)printf(" %-11s", "not told");
      }
    }
    (void)printf("\n");
  }
}

static void print_answer(const design* d) {
  (void)printf("%-5s  %-28s %-10s intervals become\n", "order", "plan", "gain");
  for (int k = 0; k < d->nrun; k++) {
    (void)printf("%-5d  %-28s %-10.5g %.3g times as wide in the mean\n", k + 1, plan_name(d, k),
                 (double)d->gain[k], factor(d, k));
  }
  print_widths(d);
  for (int i = 0; i < d->n; i++) {
    if (!is_told(d, d->nrun - 1, i)) {
      (void)printf("%s: not told by all these plans together\n",
                   cr_identification_name(d->f->id, i));
    }
  }
  (void)printf("results in %s\n", d->f->folder);
}

// ---- files

static cr_status write_table(const design* d, cr_error* error) {
  char path[CR_MAX_PATH], *text = NULL;
  size_t size = 0;
  CR_TRY(cri_path_join(path, d->f->folder, "design.csv", error));
  FILE* to = open_memstream(&text, &size);
  if (to == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  (void)fprintf(to, "order,plan,gain,factor");
  for (int i = 0; i < d->n; i++) {
    (void)fprintf(to, ",\"%s\"", cr_identification_name(d->f->id, i));
  }
  (void)fprintf(to, "\n");
  for (int k = 0; k < d->nrun; k++) {
    (void)fprintf(to, "%d,\"%s\",%.17g,%.17g", k + 1, plan_name(d, k), (double)d->gain[k],
                  factor(d, k));
    for (int i = 0; i < d->n; i++) {
      (void)fprintf(to, ",%.17g", (double)d->half[(ptrdiff_t)k * d->n + i]);
    }
    (void)fprintf(to, "\n");
  }
  cr_status status = fclose(to) == 0 ? cri_file_write(path, text, size, error)
                                     : cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  free(text);
  return status;
}

static cr_status claim_folder(cr_runs_fit* f, cr_error* error) {
  char path[CR_MAX_PATH];
  CR_TRY(cr_fit_setup_folder(f, error));
  CR_TRY(cri_path_join(path, f->folder, "design.json", error));
  if (!f->o->force && access(path, F_OK) == 0) {
    return cri_fail(error, CR_ERR_ARG, "%s: holds an earlier design.json; --force overwrites it",
                    f->folder);
  }
  return cr_fit_setup_claim(f, error);
}

static cr_status finish(const design* d, cr_error* error) {
  cr_json j = {0};
  char path[CR_MAX_PATH];
  CR_TRY(write_table(d, error));
  CR_TRY(cri_path_join(path, d->f->folder, "design.json", error));
  put_answer(&j, d);
  cr_status status = j.failed ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path)
                              : cri_file_write(path, j.text, j.length, error);
  if (status == CR_OK && d->f->o->json) {
    cr_json_finish(&j);
    return CR_OK;
  }
  cr_json_free(&j);
  if (status == CR_OK) {
    print_answer(d);
  }
  return status;
}

// ---- all of it

static cr_status run(design* d, cr_error* error) {
  CR_TRY(cr_fit_setup(d->f, error));
  CR_TRY(claim_folder(d->f, error));
  CR_TRY(put_in_order(d, error));
  cri_progress_end(&d->f->progress);
  return finish(d, error);
}

cr_status cr_fit_design(const cr_fit_runs_options* o, bool (*stop)(void* context),
                        cr_error* error) {
  cr_fit_runs_options all = *o;
  all.held_out = 0;
  all.held_runs.n = 0;
  cr_runs_fit f = {.o = &all, .stop = stop, .progress = cri_progress_begin()};
  design d = {.f = &f};
  cr_status status = run(&d, error);
  cri_progress_end(&f.progress);
  free(d.information);
  free(d.order);
  cr_fit_setup_free(&f);
  return status;
}
