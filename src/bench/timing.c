// SPDX-License-Identifier: Apache-2.0
#include "bench/timing.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double cr_timing_quantile(const cr_timing* t, double q) {
  double sorted[CR_MAX_ROUNDS];
  memcpy(sorted, t->round, (size_t)t->n * sizeof sorted[0]);
  qsort(sorted, (size_t)t->n, sizeof sorted[0], ascending);
  return t->n > 0 ? sorted[(int)(q * (t->n - 1) + 0.5)] : 0;
}

double cr_timing_median(const cr_timing* t) { return cr_timing_quantile(t, 0.5); }

cr_timing cr_timing_ratio(const cr_timing* a, const cr_timing* b) {
  cr_timing r = {.n = a->n < b->n ? a->n : b->n};
  for (int i = 0; i < r.n; i++) {
    r.round[i] = a->round[i] / b->round[i];
  }
  return r;
}
