// SPDX-License-Identifier: Apache-2.0
// Scores.
#include "physics/physics_score.h"

#include <stdlib.h>

enum { SUMS = CRI_LOG_SUMS };

static cri_log_mean mean_of(const cr_real* groups, int n, double unit) {
  cri_log_mean mean = cri_log_mean_of(groups, 3 * SUMS, n);
  mean.arithmetic *= unit;
  mean.mean *= unit;
  mean.half *= unit;
  mean.deviation *= unit;
  return mean;
}

static cr_status add_all(const cr_model* m, cr_data* d, const cri_addition* more,
                         const cri_sighted* tosses, cr_real* groups, cr_error* error) {
  for (int i = 0; i < tosses->n; i++, groups += 3 * SUMS) {
    cri_oracle errors;
    int rows;
    const cr_real* seen = cri_sighted_toss(tosses, i, &rows);
    CR_TRY(cri_oracle_of(m, d, more, seen, rows, &errors, error));
    cri_log_sums_put(&errors.loss, groups);
    cri_log_sums_put(&errors.position, groups + SUMS);
    cri_log_sums_put(&errors.rotation, groups + 2 * SUMS);
  }
  return CR_OK;
}

cr_status cri_score_of(const cr_model* m, const cri_addition* more, const cri_sighted* tosses,
                       cri_score* score, cr_error* error) {
  cr_data* d = NULL;
  cr_real* groups = malloc((size_t)tosses->n * 3 * SUMS * sizeof *groups);
  CR_TRY(groups != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a score"));
  cr_status status = cr_data_create(&d, m, error);
  status = status == CR_OK ? add_all(m, d, more, tosses, groups, error) : status;
  if (status == CR_OK) {
    score->loss = mean_of(groups, tosses->n, 1.0 / 3);
    score->position = mean_of(groups + SUMS, tosses->n, 100 / cri_tossed_side);
    score->rotation = mean_of(groups + 2 * SUMS, tosses->n, 180 / (double)CR_PI);
  }
  cr_data_destroy(d);
  free(groups);
  return status;
}
