// SPDX-License-Identifier: Apache-2.0
// A short run of tests/fuzz/geometry.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/io_shake.h"

enum { N = 6000 };

static void pairs_shaken_beside_mujoco(void** state) {
  static shake_tally tally[CR_N_GEOM_TYPE][CR_N_GEOM_TYPE];
  shake_bench bench;
  shake_bench_open(&bench);
  for (uint64_t i = 0; i < N; i++) {
    shake_one(&bench, 1, i, tally);
  }
  shake_bench_close(&bench);
  shake_tally t = shake_total(tally);
  print_message(
      "points off %ld; apart %ld, MuJoCo differs in %ld; overlapping %ld, deeper in %ld, "
      "less by %.1e; closed %ld, other contacts in %ld\n",
      t.off, t.apart, t.apart - t.same, t.overlap, t.worse, (double)t.beyond, t.closed,
      t.closed - t.alike);
  assert_int_equal(t.pairs, N);
  assert_int_equal(t.insane, 0);
  assert_int_equal(t.wrong, 0);
  assert_true(t.off <= N / 1000);
  assert_true(t.beyond < 1e-9);
  assert_true(t.same > 8 * t.apart / 10);
  assert_true(t.alike > 98 * t.closed / 100);
}

int test_geometry(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_shaken_beside_mujoco),
  };
  return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
