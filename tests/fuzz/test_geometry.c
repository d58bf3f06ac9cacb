// SPDX-License-Identifier: Apache-2.0
// A short run of tests/fuzz/geometry.c.
#include "checks/io_shake.h"
#include "support/close.h"

enum { N = 6000 };

TEST(pairs_shaken_beside_mujoco) { shake_test(1, N, N / 1000); }
