// SPDX-License-Identifier: Apache-2.0
// A short run of tests/fuzz/geometry.c.
#include "support/close.h"
#include "support/io_shake.h"

enum { N = 6000 };

TEST(pairs_shaken_beside_mujoco) { shake_test(1, N, N / 1000); }
