// SPDX-License-Identifier: Apache-2.0
#include "view/recorded_motion.h"

#include <math.h>
#include <stdlib.h>

#include "view/recorded_states.h"

// the rows to show, in order; returns how many
static int choose(int* row, const cr_recorded* r, double fps) {
  const double* time = cr_recorded_times(r);
  int last = cr_recorded_rows(r) - 1, n = 0;
  double next = time[0];
  for (int k = 0; k <= last; k++) {
    if (k == last || time[k] >= next) {
      row[n++] = k;
      // round-off in the times does not count
      next = time[0] + (floor((time[k] - time[0]) * fps + 1e-6) + 1 - 1e-6) / fps;
    }
  }
  return n;
}

static cr_status take_frames(cr_shown_motion* s, const cr_recorded* r, const int* row, int n,
                             cr_error* error) {
  cr_data* d;
  CR_TRY(cr_data_create(&d, s->m, error));
  cr_status status = CR_OK;
  for (int k = 0; k < n && status == CR_OK; k++) {
    cr_error inner = {0};
    status = cr_recorded_set(r, row[k], s->m, d, &inner);
    if (status == CR_OK) {
      status = cr_shown_motion_take(s, d, &inner);
    }
    if (status != CR_OK) {
      status = cri_fail(error, status, "%s: row %d: %s", s->name, row[k], inner.text);
    }
  }
  cr_data_destroy(d);
  return status;
}

static cr_status show(cr_shown_motion* s, const cr_recorded* r, const char* path, double fps,
                      cr_error* error) {
  int* row = calloc((size_t)cr_recorded_rows(r), sizeof *row);
  if (row == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for %d rows", path, cr_recorded_rows(r));
  }
  int n = choose(row, r, fps);
  cr_status status = take_frames(s, r, row, n, error);
  free(row);
  return status;
}

cr_status cr_recorded_motion(cr_shown_motion* s, const char* path, double fps, cr_error* error) {
  cr_recorded* r;
  CR_TRY(cr_recorded_open(&r, s->m, path, error));
  cr_status status = show(s, r, path, fps, error);
  cr_recorded_close(r);
  return status;
}
