// SPDX-License-Identifier: Apache-2.0
// Rows of the table: system, kind, seed, end, mean alpha, losses at evenly spaced steps.
#include "estimates/courses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "notebook/sweep.h"

const char* const cri_course_kinds[CR_COURSE_KINDS] = {"first", "zeroth", "alpha"};

enum { R_SYSTEM, R_KIND, R_SEED, R_END, R_ALPHA, R_LOSS, WIDTH = R_LOSS + CR_COURSE_POINTS };
enum { MOST_SEEDS = 64, HEADER = 1024 };

static const char* header(void) {
  static char text[HEADER];
  int at = snprintf(text, sizeof text, "system,kind,seed,end,alpha");
  for (int k = 0; k < CR_COURSE_POINTS; k++) {
    at += snprintf(text + at, sizeof text - (size_t)at, ",loss%d", k);
  }
  return text;
}

static int step_of(const cr_courses* c, int point) {
  return (int)((long)c->steps * point / (CR_COURSE_POINTS - 1));
}

static void fill(const cr_courses* c, const cr_course_result* result, cr_real* row) {
  cr_real sum = 0;
  int n = 0;
  for (int k = 0; k < c->steps; k++) {
    if (!isnan(result->alphas[k])) {
      sum += result->alphas[k];
      n++;
    }
  }
  row[R_ALPHA] = n > 0 ? sum / (cr_real)n : 0;
  row[R_END] = result->end;
  for (int k = 0; k < CR_COURSE_POINTS; k++) {
    row[R_LOSS + k] = result->losses[step_of(c, k)];
  }
}

static cr_status work(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const cr_courses* c = context;
  int seed = i % c->seeds, kind = i / c->seeds % CR_COURSE_KINDS;
  int system = i / c->seeds / CR_COURSE_KINDS;
  cr_course_result result = {.steps = c->steps,
                             .losses = calloc((size_t)c->steps + 1, sizeof(cr_real)),
                             .alphas = calloc((size_t)c->steps, sizeof(cr_real))};
  cr_status status = result.losses != NULL && result.alphas != NULL
                         ? CR_OK
                         : cri_fail(error, CR_ERR_MEMORY, "descent: no memory");
  if (status == CR_OK) {
    status = c->descend(c->context, system, (cr_estimator_kind)kind, seed, &result, error);
  }
  if (status == CR_OK) {
    row[R_SYSTEM] = (cr_real)system;
    row[R_KIND] = (cr_real)kind;
    row[R_SEED] = (cr_real)seed;
    fill(c, &result, row);
  }
  free(result.losses);
  free(result.alphas);
  return status;
}

cr_status cri_courses_run(cr_notebook* book, const cr_courses* courses, cr_table* table,
                          cr_error* error) {
  cr_courses copy = *courses;
  int rows = courses->systems * CR_COURSE_KINDS * courses->seeds;
  CR_TRY(cri_table_create(table, courses->file, header(), NULL, rows, error));
  return cri_sweep(book, table, cr_pool_size(book->pool), work, &copy, error);
}

// ---- medians

static int ascending(const void* a, const void* b) {
  const cr_real x = *(const cr_real*)a, y = *(const cr_real*)b;
  return (x > y) - (x < y);
}

static double median(cr_table* table, int system, int kind, int column) {
  cr_real values[MOST_SEEDS];
  int n = 0;
  for (int i = 0; i < table->rows && n < MOST_SEEDS; i++) {
    const cr_real* row = cri_table_row(table, i);
    if (row[R_SYSTEM] == (cr_real)system && row[R_KIND] == (cr_real)kind) {
      values[n++] = row[column];
    }
  }
  qsort(values, (size_t)n, sizeof *values, ascending);
  return n > 0 ? (double)(values[(n - 1) / 2] + values[n / 2]) / 2 : (double)NAN;
}

double cri_courses_loss(cr_table* table, int system, int kind, int k) {
  return median(table, system, kind, R_LOSS + (k < 0 ? CR_COURSE_POINTS - 1 : k));
}

double cri_courses_alpha(cr_table* table, int system, int kind) {
  return median(table, system, kind, R_ALPHA);
}

double cri_courses_end(cr_table* table, int system, int kind) {
  return median(table, system, kind, R_END);
}

double cri_courses_end_of(cr_table* table, int system, int kind, int seed) {
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if (row[R_SYSTEM] == (cr_real)system && row[R_KIND] == (cr_real)kind &&
        row[R_SEED] == (cr_real)seed) {
      return (double)row[R_END];
    }
  }
  return (double)NAN;
}

int cri_courses_failed(cr_table* table, int system, int kind) {
  int n = 0;
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    n += row[R_SYSTEM] == (cr_real)system && row[R_KIND] == (cr_real)kind &&
         !(row[R_LOSS + CR_COURSE_POINTS - 1] <= row[R_LOSS]);
  }
  return n;
}

cr_status cri_courses_save_medians(const cr_courses* courses, cr_table* table, const char* folder,
                                   const char* file, cr_error* error) {
  char names[HEADER];
  int at = snprintf(names, sizeof names, "step");
  for (int s = 0; s < courses->systems; s++) {
    for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
      at += snprintf(names + at, sizeof names - (size_t)at, ",%s_%s", cri_course_kinds[kind],
                     courses->titles[s]);
    }
  }
  cr_table medians = {0};
  CR_TRY(cri_table_create(&medians, file, names, NULL, CR_COURSE_POINTS, error));
  for (int k = 0; k < CR_COURSE_POINTS; k++) {
    cr_real* row = cri_table_row(&medians, k);
    *row++ = (cr_real)step_of(courses, k);
    for (int s = 0; s < courses->systems; s++) {
      for (int kind = 0; kind < CR_COURSE_KINDS; kind++) {
        *row++ = (cr_real)cri_courses_loss(table, s, kind, k);
      }
    }
  }
  cr_status status = cri_table_save(&medians, folder, error);
  cri_table_free(&medians);
  return status;
}
