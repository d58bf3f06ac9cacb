// SPDX-License-Identifier: Apache-2.0
// A longer run of tests/fuzz/geometry.c.
#include "checks/io_shake.h"
#include "support/close.h"

enum { N = 200000 };

TEST(pairs_shaken_beside_mujoco) { shake_test(2, N, N / 2000); }
