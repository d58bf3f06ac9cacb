// SPDX-License-Identifier: Apache-2.0
// The progress line.
#include "tools/progress.h"

#include <stdio.h>
#include <unistd.h>

cr_progress cri_progress_begin(void) {
  return (cr_progress){.shown = isatty(STDERR_FILENO) == 1, .start = cri_seconds()};
}

bool cri_progress_due(const cr_progress* p) { return p->shown && cri_seconds() - p->last > 0.1; }

void cri_progress_line(cr_progress* p, const char* text) {
  if (p->shown) {
    (void)fprintf(stderr, "\r\033[K%s", text);
    (void)fflush(stderr);
    p->last = cri_seconds();
    p->dirty = true;
  }
}

void cri_progress_left(cr_progress* p, const char* text, double spent, double done,
                       const char* of) {
  char line[320];
  double left = spent / done * (1 - done);
  if (done > 0 && done <= 1) {
    (void)snprintf(line, sizeof line, "%.256s, about %.0f s left%s", text, left, of);
    cri_progress_line(p, line);
  } else {
    cri_progress_line(p, text);
  }
}

void cri_progress_end(cr_progress* p) {
  if (p->dirty) {
    (void)fprintf(stderr, "\n");
    p->dirty = false;
  }
}
