// SPDX-License-Identifier: Apache-2.0
// Medians of made descents: the loss falls from 8 by 2^-step, faster or slower by the seed; one kind gets worse.
#include "estimates/courses.h"

#include <math.h>
#include <stdio.h>

#include "support/close.h"
#include "support/scratch.h"
#include "support/test.h"
#include "tools/files.h"

enum { STEPS = 80, SEEDS = 3 };
static cr_error error;

static cr_status descend(void* context, int system, cr_estimator_kind kind, int seed,
                         cr_course_result* result, cr_error* e) {
  assert_int_equal(result->steps, STEPS);
  for (int k = 0; k <= STEPS; k++) {
    cr_real share = (cr_real)k / STEPS;
    result->losses[k] = kind == CR_ESTIMATOR_ZEROTH
                            ? 1 + share
                            : (cr_real)(1 + system) * cr_exp(-share * (cr_real)(1 + seed));
    if (k < STEPS) {
      result->alphas[k] = kind == CR_ESTIMATOR_FIRST ? 1 : k % 2 == 0 ? (cr_real)NAN : CR_R(0.25);
    }
  }
  result->end = (cr_real)seed;
  return CR_OK;
}

TEST(medians_are_over_seeds) {
  static const char* const titles[] = {"near", "far"};
  const cr_courses courses = {.file = "descents.csv",
                              .titles = titles,
                              .systems = 2,
                              .seeds = SEEDS,
                              .steps = STEPS,
                              .descend = descend};
  cr_notebook book;
  cr_table table = {0};
  const cr_study_request request = {.name = "courses", .folder = scratch_path(""), .threads = 2};
  assert_int_equal(cri_notebook_begin(&book, &request, &error), CR_OK);
  assert_int_equal(cri_courses_run(&book, &courses, &table, &error), CR_OK);
  assert_int_equal(table.rows, 2 * CR_COURSE_KINDS * SEEDS);
  assert_close(cri_courses_loss(&table, 1, CR_ESTIMATOR_FIRST, 0), 2, 0);
  assert_close(cri_courses_loss(&table, 1, CR_ESTIMATOR_FIRST, -1), 2 * exp(-2), CR_R(1e-15));
  assert_close(cri_courses_loss(&table, 0, CR_ESTIMATOR_ALPHA, 20), exp(-1), CR_R(1e-15));
  assert_close(cri_courses_alpha(&table, 0, CR_ESTIMATOR_FIRST), 1, 0);
  assert_close(cri_courses_alpha(&table, 0, CR_ESTIMATOR_ALPHA), 0.25, 0);
  assert_close(cri_courses_end(&table, 0, CR_ESTIMATOR_ALPHA), 1, 0);
  assert_int_equal(cri_courses_failed(&table, 0, CR_ESTIMATOR_ZEROTH), SEEDS);
  assert_int_equal(cri_courses_failed(&table, 0, CR_ESTIMATOR_FIRST), 0);
  assert_int_equal(cri_courses_save_medians(&courses, &table, book.folder, "medians.csv", &error),
                   CR_OK);
  char path[CR_MAX_PATH];
  assert_int_equal(cri_path_join(path, book.folder, "medians.csv", &error), CR_OK);
  cr_table medians = {0};
  assert_int_equal(
      cri_table_create(&medians, "medians.csv",
                       "step,first_near,zeroth_near,alpha_near,first_far,zeroth_far,alpha_far",
                       NULL, CR_COURSE_POINTS, &error),
      CR_OK);
  assert_int_equal(cri_table_load(&medians, book.folder, &error), CR_OK);
  assert_int_equal(medians.rows, CR_COURSE_POINTS);
  assert_close(cri_table_row(&medians, 40)[0], STEPS, 0);
  assert_close(cri_table_row(&medians, 40)[4], 2 * exp(-2), CR_R(1e-12));
  cri_table_free(&medians);
  cri_table_free(&table);
  cri_notebook_free(&book);
}
