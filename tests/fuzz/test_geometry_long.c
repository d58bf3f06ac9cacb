// SPDX-License-Identifier: Apache-2.0
// A longer run of tests/fuzz/geometry.c.
#include "support/close.h"
#include "support/io_shake.h"

enum { N = 200000 };

static void pairs_shaken_beside_mujoco(void** state) { shake_test(2, N, N / 2000); }

int test_geometry_long(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_shaken_beside_mujoco),
  };
  return cmocka_run_group_tests_name("geometry_long", tests, NULL, NULL);
}
