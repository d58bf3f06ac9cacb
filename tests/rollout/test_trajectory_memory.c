// SPDX-License-Identifier: Apache-2.0
// Gradients within a limit on memory, over a few models and limits; trajectory_memory_long has more.
#include "support/close.h"
#include "support/memory_limits.h"

static const size_t more[] = {0, 1, 3, 12, 1000};
static const memory_range range = {
    .steps = 23, .seeds = 6, .more = more, .nmore = 5, .stride = 2, .tolerance = CR_R(1e-6)};

static void every_limit_has_the_same_bits(void** state) { memory_every_limit(&range); }
static void adaptive_steps_too(void** state) { memory_adaptive(&range); }
static void adaptive_steps_of_machines(void** state) { memory_adaptive_machines(&range); }
static void room_grows_within_limits(void** state) { memory_room_grows(&range); }

int test_trajectory_memory(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_limit_has_the_same_bits),
      cmocka_unit_test(adaptive_steps_too),
      cmocka_unit_test(adaptive_steps_of_machines),
      cmocka_unit_test(room_grows_within_limits),
  };
  return cmocka_run_group_tests_name("trajectory_memory", tests, NULL, NULL);
}
