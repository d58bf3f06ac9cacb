// SPDX-License-Identifier: Apache-2.0
// Gradients within a limit on memory, over more models, steps and limits.
#include "support/close.h"
#include "support/memory_limits.h"

static const size_t more[] = {0, 1, 2, 3, 4, 7, 12, 20, 33, 60, 1000};
static const memory_range range = {
    .steps = 41, .seeds = 9, .more = more, .nmore = 11, .stride = 1, .tolerance = CR_R(1e-7)};

static void every_limit_has_the_same_bits(void** state) { memory_every_limit(&range); }
static void adaptive_steps_too(void** state) { memory_adaptive(&range); }
static void adaptive_steps_of_machines(void** state) { memory_adaptive_machines(&range); }
static void room_grows_within_limits(void** state) { memory_room_grows(&range); }

int test_trajectory_memory_long(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_limit_has_the_same_bits),
      cmocka_unit_test(adaptive_steps_too),
      cmocka_unit_test(adaptive_steps_of_machines),
      cmocka_unit_test(room_grows_within_limits),
  };
  return cmocka_run_group_tests_name("trajectory_memory_long", tests, NULL, NULL);
}
