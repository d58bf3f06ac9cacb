// SPDX-License-Identifier: Apache-2.0
// Gradients within a limit on memory, over more models, steps and limits.
#include "checks/memory_limits.h"
#include "support/close.h"

static const size_t more[] = {0, 1, 2, 3, 4, 7, 12, 20, 33, 60, 1000};
static const memory_range range = {
    .steps = 41, .seeds = 9, .more = more, .nmore = 11, .stride = 1, .tolerance = CR_R(1e-7)};

TEST(every_limit_has_the_same_bits) { memory_every_limit(&range); }
TEST(adaptive_steps_too) { memory_adaptive(&range); }
TEST(adaptive_steps_of_machines) { memory_adaptive_machines(&range); }
TEST(room_grows_within_limits) { memory_room_grows(&range); }
