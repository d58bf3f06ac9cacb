// SPDX-License-Identifier: Apache-2.0
// Time that only runs forward, from a moment that is fixed while the machine is up.
#ifndef CR_TOOLS_CLOCK_H
#define CR_TOOLS_CLOCK_H

#include <time.h>

static inline double cri_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double cri_microseconds(void) { return 1e6 * cri_seconds(); }

/// Processor time of all threads of this process.
static inline double cri_process_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
