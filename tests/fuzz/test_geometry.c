// SPDX-License-Identifier: Apache-2.0
// A short run of tests/fuzz/geometry.c.
#include "support/close.h"
#include "support/io_shake.h"

enum { N = 6000 };

static void pairs_shaken_beside_mujoco(void** state) { shake_test(1, N, N / 1000); }

int test_geometry(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_shaken_beside_mujoco),
  };
  return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
