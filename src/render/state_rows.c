// SPDX-License-Identifier: Apache-2.0
#include "render/state_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/status.h"

// a row begins with time, qpos and qvel
enum { TIME, QPOS };

static const cr_real* row(const cr_state_rows* s, const cr_model* m, int k) {
  return s->rows + (ptrdiff_t)k * cr_state_size(m, CR_STATE_INTEGRATION);
}

cr_status cr_state_rows_take(cr_state_rows* s, const cr_model* m, const cr_data* d,
                             cr_error* error) {
  int width = cr_state_size(m, CR_STATE_INTEGRATION);
  if (s->n > 0 && !(cr_data_time(d) > row(s, m, s->n - 1)[TIME])) {
    return cri_fail(error, CR_ERR_ARG, "time %.9g s comes after %.9g s", (double)cr_data_time(d),
                    (double)row(s, m, s->n - 1)[TIME]);
  }
  CR_TRY(cr_data_check(m, d, error));
  if (s->n == s->room) {
    int room = 2 * s->room + 16;
    cr_real* larger = realloc(s->rows, (size_t)room * (size_t)width * sizeof *larger);
    if (larger == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "no memory for %d states", room);
    }
    s->rows = larger;
    s->room = room;
  }
  cr_status status = cr_state_get(m, d, s->rows + (ptrdiff_t)s->n * width, CR_STATE_INTEGRATION);
  if (status != CR_OK) {
    return cri_fail(error, status, "%s", cr_data_error(d));
  }
  s->n++;
  return CR_OK;
}

void cr_state_rows_free(cr_state_rows* s) {
  free(s->rows);
  *s = (cr_state_rows){0};
}

cr_real cr_state_rows_time(const cr_state_rows* s, const cr_model* m) {
  return s->n > 0 ? row(s, m, s->n - 1)[TIME] - row(s, m, 0)[TIME] : 0;
}

// the last row at or before a time
static int row_before(const cr_state_rows* s, const cr_model* m, cr_real time) {
  int low = 0, high = s->n - 1;
  while (low < high) {
    int k = (low + high + 1) / 2;
    if (row(s, m, k)[TIME] <= time) {
      low = k;
    } else {
      high = k - 1;
    }
  }
  return low;
}

// positions and velocities a share of the way to the next row; v has nv numbers
static cr_status blend(cr_real* x, const cr_real* next, cr_real share, const cr_model* m,
                       cr_real* v, cr_error* error) {
  int nq = cr_model_count(m, "nq"), nv = cr_model_count(m, "nv");
  cr_real* qvel = x + QPOS + nq;
  CR_TRY(cr_differentiate_pos(m, v, 1, x + QPOS, next + QPOS, error));
  CR_TRY(cr_integrate_pos(m, x + QPOS, v, share, error));
  for (int i = 0; i < nv; i++) {
    qvel[i] += share * (next[QPOS + nq + i] - qvel[i]);
  }
  x[TIME] += share * (next[TIME] - x[TIME]);
  return CR_OK;
}

cr_status cr_state_rows_at(const cr_state_rows* s, const cr_model* m, cr_real time, cr_data* d,
                           cr_error* error) {
  // a frame of a film at a recorded time shows that row, round-off aside
  const cr_real close = CR_R(1e-6);
  int width = cr_state_size(m, CR_STATE_INTEGRATION), nv = cr_model_count(m, "nv");
  cr_real at = row(s, m, 0)[TIME] + time, *x = malloc(((size_t)width + (size_t)nv) * sizeof *x);
  if (x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a state");
  }
  int k = row_before(s, m, at);
  const cr_real* next = row(s, m, k + 1 < s->n ? k + 1 : k);
  memcpy(x, row(s, m, k), (size_t)width * sizeof *x);
  cr_real gap = next[TIME] - x[TIME], share = gap > 0 ? (at - x[TIME]) / gap : 0;
  cr_status status = CR_OK;
  if (share > 1 - close) {
    memcpy(x, next, (size_t)width * sizeof *x);
  } else if (share > close) {
    status = blend(x, next, share, m, x + width, error);
  }
  if (status == CR_OK) {
    status = cr_state_set(m, d, x, CR_STATE_INTEGRATION);
    status = status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
  }
  free(x);
  return status;
}
