// SPDX-License-Identifier: Apache-2.0
// The processor's own counters, and pinning of a thread to its processor.
#ifndef CR_BENCH_COUNTERS_H
#define CR_BENCH_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/// Counts since the counters were opened, of this thread outside the kernel.
typedef struct {
  uint64_t cycles, instructions;
} cr_counts;

/// File descriptors of the two counters, -1 if there are none.
typedef struct {
  int cycles, instructions;
} cr_counters;

/// False if the system does not let this process count (a virtual machine, a setting of
/// perf_event_paranoid, no Linux).
bool cr_counters_open(cr_counters* c);
void cr_counters_close(cr_counters* c);
cr_counts cr_counters_read(const cr_counters* c);

/// Keeps this thread on its present processor. False if the system cannot do that.
bool cr_pin(void);

#endif
