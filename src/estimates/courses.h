// SPDX-License-Identifier: Apache-2.0
// Descents by each of the three estimators, from several seeds, of several systems: a table with a row for each, and the medians over seeds along the way.
#ifndef CR_ESTIMATES_COURSES_H
#define CR_ESTIMATES_COURSES_H

#include "base/real.h"
#include "carom/carom.h"
#include "notebook/notebook.h"
#include "notebook/table.h"

enum { CR_COURSE_POINTS = 41, CR_COURSE_KINDS = CR_ESTIMATOR_ALPHA + 1 };

/// Names of the kinds, as in pictures and reports.
extern const char* const cri_course_kinds[CR_COURSE_KINDS];

/// What a descent leaves. Owner of the arrays: the caller of cr_courses_run.
typedef struct {
  int steps;        // to make, as the courses have it
  cr_real* losses;  // steps + 1
  cr_real* alphas;  // steps
  cr_real end;      // the first number at the end
} cr_course_result;

typedef struct {
  const char* file;           // CSV of the descents
  const char* const* titles;  // of the systems
  int systems, seeds, steps;
  /// Called by several threads at once.
  cr_status (*descend)(void* context, int system, cr_estimator_kind kind, int seed,
                       cr_course_result* result, cr_error* error);
  void* context;
} cr_courses;

/// Runs all, in parallel; a resumed study goes on. Free the table with cri_table_free, also after an error.
/// Errors   those of cri_sweep
cr_status cri_courses_run(cr_notebook* book, const cr_courses* courses, cr_table* table,
                          cr_error* error);

/// Medians over seeds: loss of point k (-1: the last), mean weight of the first order along the way, the first number at the end.
double cri_courses_loss(cr_table* table, int system, int kind, int k);
double cri_courses_alpha(cr_table* table, int system, int kind);
double cri_courses_end(cr_table* table, int system, int kind);

/// The first number at the end of one descent.
double cri_courses_end_of(cr_table* table, int system, int kind, int seed);

/// How many descents have a last loss above that at their start, or none.
int cri_courses_failed(cr_table* table, int system, int kind);

/// Writes the medians along the way to `file`: step, and columns <kind>_<system>.
cr_status cri_courses_save_medians(const cr_courses* courses, cr_table* table, const char* folder,
                                   const char* file, cr_error* error);

#endif
