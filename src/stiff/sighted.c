// SPDX-License-Identifier: Apache-2.0
// Tosses in memory.
#include "stiff/sighted.h"

#include <stdlib.h>

#include "stiff/sights.h"

void cri_sighted_free(cri_sighted* s) {
  free(s->first);
  free(s->seen);
  *s = (cri_sighted){.n = 0};
}

const cr_real* cri_sighted_toss(const cri_sighted* s, int i, int* rows) {
  *rows = (int)(s->first[i + 1] - s->first[i]);
  return s->seen + (ptrdiff_t)CRI_STATE * s->first[i];
}

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "no memory for tosses");
}

static cr_status add(cri_sighted* s, int i, const cr_model* m, cr_data* d, int floor, int toss,
                     cr_real* state, cr_error* error) {
  int rows;
  CR_TRY(cri_tossed_run(m, d, floor, toss, state, &rows, error));
  s->first[i + 1] = s->first[i] + (int32_t)(rows - 1);
  cr_real* more = realloc(s->seen, (size_t)s->first[i + 1] * CRI_STATE * sizeof *more);
  CR_TRY(more != NULL ? CR_OK : no_memory(error));
  s->seen = more;
  return cri_tossed_see(m, &cri_sights[CRI_SCRIPTS], toss, state, rows,
                        more + (ptrdiff_t)CRI_STATE * s->first[i], error);
}

cr_status cri_sighted_make(cri_sighted* s, const cr_model* m, cr_data* d, int floor, int from,
                           int n, cr_error* error) {
  cr_real* state = malloc((size_t)cri_floors[floor].most * CRI_STATE * sizeof *state);
  *s = (cri_sighted){.n = n, .first = calloc((size_t)n + 1, sizeof *s->first)};
  cr_status status = state != NULL && s->first != NULL ? CR_OK : no_memory(error);
  for (int i = 0; i < n && status == CR_OK; i++) {
    status = add(s, i, m, d, floor, from + i, state, error);
  }
  free(state);
  return status;
}
