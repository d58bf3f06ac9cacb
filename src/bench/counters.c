// SPDX-License-Identifier: Apache-2.0
// Linux: perf_event_open(2), sched_setaffinity(2). Elsewhere nothing is counted and nothing pinned.
#if defined(__linux__)
#define _GNU_SOURCE  // syscall, sched_getcpu, CPU_SET
#endif
#include "bench/counters.h"

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_one(uint64_t event, int group) {
  struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                              .size = sizeof a,
                              .config = event,
                              .exclude_kernel = 1,
                              .exclude_hv = 1,
                              .read_format = PERF_FORMAT_GROUP};
  return (int)syscall(SYS_perf_event_open, &a, 0, -1, group, 0);
}

bool cr_counters_open(cr_counters* c) {
  c->cycles = open_one(PERF_COUNT_HW_CPU_CYCLES, -1);
  c->instructions = c->cycles < 0 ? -1 : open_one(PERF_COUNT_HW_INSTRUCTIONS, c->cycles);
  if (c->instructions < 0) {
    cr_counters_close(c);
  }
  return c->instructions >= 0;
}

void cr_counters_close(cr_counters* c) {
  if (c->instructions >= 0) {
    (void)close(c->instructions);
  }
  if (c->cycles >= 0) {
    (void)close(c->cycles);
  }
  *c = (cr_counters){-1, -1};
}

cr_counts cr_counters_read(const cr_counters* c) {
  uint64_t group[3];  // their number, then their values in the order they were opened
  if (c->cycles < 0 || read(c->cycles, group, sizeof group) != (ssize_t)sizeof group) {
    return (cr_counts){0};
  }
  return (cr_counts){group[1], group[2]};
}

bool cr_pin(void) {
  int here = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (here < 0) {
    return false;
  }
  CPU_SET((size_t)here, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

#else

bool cr_counters_open(cr_counters* c) {
  *c = (cr_counters){-1, -1};
  return false;
}

void cr_counters_close(cr_counters* c) { (void)c; }

cr_counts cr_counters_read(const cr_counters* c) {
  (void)c;
  return (cr_counts){0};
}

bool cr_pin(void) { return false; }

#endif
