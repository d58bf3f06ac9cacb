// SPDX-License-Identifier: Apache-2.0
// Counters only grow, and with the work between two looks; where the system does not count, all is zero.
// A pinned thread stays on its processor.
#define _GNU_SOURCE  // sched_getaffinity, CPU_COUNT
#include "bench/counters.h"

#include <sched.h>

#include "support/close.h"

static volatile int sink;

static uint64_t instructions_of(const cr_counters* c, int n) {
  uint64_t before = cr_counters_read(c).instructions;
  for (int i = 0; i < n; i++) {
    sink = i;
  }
  return cr_counters_read(c).instructions - before;
}

TEST(counts_are_of_the_work) {
  cr_counters c;
  if (!cr_counters_open(&c)) {
    assert_int_equal(instructions_of(&c, 1000), 0);
    assert_int_equal(cr_counters_read(&c).cycles, 0);
    cr_counters_close(&c);
    skip();
  }
  uint64_t little = instructions_of(&c, 1000), much = instructions_of(&c, 100000);
  assert_true(little >= 1000 && much >= 100000);
  assert_true(much > 20 * little);
  uint64_t cycles = cr_counters_read(&c).cycles;
  (void)instructions_of(&c, 1000);
  assert_true(cr_counters_read(&c).cycles > cycles);
  cr_counters_close(&c);
  assert_int_equal(cr_counters_read(&c).instructions, 0);
  cr_counters_close(&c);  // a second time is harmless
}

#if defined(__linux__)
TEST(pinned_thread_has_one_processor) {
  cpu_set_t before, after;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  assert_true(cr_pin());
  assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
  assert_int_equal(CPU_COUNT(&after), 1);
  assert_true(CPU_ISSET((size_t)sched_getcpu(), &after));
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}
#else
TEST(pinned_thread_has_one_processor) { assert_false(cr_pin()); }
#endif
