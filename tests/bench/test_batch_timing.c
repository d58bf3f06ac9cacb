// SPDX-License-Identifier: Apache-2.0
// The batch of a bench: every number of threads has its times, the bits are the same throughout, and
// MuJoCo's rollouts are there where they are asked for.
#include "bench/batch_timing.h"

#include <stdlib.h>
#include <string.h>

#include "support/close.h"

static cr_error error;

static cr_batch_measurement* measure(const cr_batch_bench* what) {
  cr_scene s;
  cr_batch_measurement* x = calloc(1, sizeof *x);
  assert_non_null(x);
  assert_int_equal(cr_scene_open(&s, "stack:2", 3, 1, &error), CR_OK);
  assert_int_equal(cr_batch_measure(&s, what, 5, x, &error), CR_OK);
  cr_scene_close(&s);
  return x;
}

static void assert_times(const cr_timing* t, int rounds) {
  assert_int_equal(t->n, rounds);
  for (int r = 0; r < rounds; r++) {
    assert_true(t->round[r] > 0);
  }
}

TEST(each_count_has_its_times) {
  const cr_batch_bench what = {
      .rollouts = 5, .steps = 4, .rounds = 2, .threads = {1, 3}, .ncount = 2, .peer = true};
  cr_batch_measurement* x = measure(&what);
  for (int k = 0; k < 2; k++) {
    assert_times(&x->gradient[k], 2);
    assert_times(&x->forward[k], 2);
    assert_times(&x->mujoco[k], 2);
    assert_times(&x->gradient_processor[k], 2);
  }
  assert_int_equal(x->gradient[2].n, 0);
  assert_true(x->same_bits && x->failed == 0 && x->rows > 0);
  free(x);
}

// the peer is left out, and a limit of memory leaves the bits alone
TEST(only_what_is_asked) {
  const cr_batch_bench what = {
      .rollouts = 3, .steps = 20, .rounds = 1, .threads = {2, 1}, .ncount = 2, .memory = 1 << 15};
  cr_batch_measurement* x = measure(&what);
  assert_times(&x->gradient[0], 1);
  assert_int_equal(x->mujoco[0].n, 0);
  assert_true(x->same_bits);
  free(x);
}

TEST(too_little_memory_is_told) {
  const cr_batch_bench what = {
      .rollouts = 1, .steps = 50, .rounds = 1, .threads = {1}, .ncount = 1, .memory = 100};
  cr_scene s;
  cr_batch_measurement* x = calloc(1, sizeof *x);
  assert_non_null(x);
  assert_int_equal(cr_scene_open(&s, "chain:3", 1, 1, &error), CR_OK);
  assert_int_not_equal(cr_batch_measure(&s, &what, 5, x, &error), CR_OK);
  assert_non_null(strstr(error.text, "100 bytes are too little"));
  cr_scene_close(&s);
  free(x);
}
