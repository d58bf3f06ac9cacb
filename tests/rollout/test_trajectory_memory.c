// SPDX-License-Identifier: Apache-2.0
// Gradients within a limit on memory, over a few models and limits; trajectory_memory_long has more.
#include "checks/memory_limits.h"
#include "support/close.h"

static const size_t more[] = {0, 1, 3, 12, 1000};
static const memory_range range = {
    .steps = 23, .seeds = 6, .more = more, .nmore = 5, .stride = 2, .tolerance = CR_R(1e-6)};

TEST(every_limit_has_the_same_bits) { memory_every_limit(&range); }
TEST(adaptive_steps_too) { memory_adaptive(&range); }
TEST(adaptive_steps_of_machines) { memory_adaptive_machines(&range); }
TEST(room_grows_within_limits) { memory_room_grows(&range); }
