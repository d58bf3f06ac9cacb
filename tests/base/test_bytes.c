// SPDX-License-Identifier: Apache-2.0
// What is written is read again, and reading behind the end fails.
#include "base/bytes.h"

#include <stdlib.h>

#include "support/test.h"

TEST(numbers_there_and_back) {
  cri_writer w = {0};
  const cr_real x[3] = {CR_R(0.5), -3, 1024};
  cri_put(&w, "ab", 2);
  cri_put_number(&w, UINT64_C(0x0102030405060708), 8);
  cri_put_number(&w, (uint64_t)-7, 4);
  cri_put_reals(&w, x, 3);
  for (int i = 0; i < 200; i++) {
    cri_put_number(&w, (uint64_t)i, 2);
  }
  assert_false(w.failed);
  assert_int_equal(w.n, 2 + 8 + 4 + 24 + 400);
  assert_true(w.data[2] == 8 && w.data[9] == 1);
  cri_reader r = {.data = w.data, .n = w.n, .at = 2};
  cr_real y[3];
  assert_true(cri_get_number(&r, 8) == UINT64_C(0x0102030405060708));
  assert_int_equal(cri_get_int(&r), -7);
  cri_get_reals(&r, y, 3);
  assert_true(y[0] == x[0] && y[1] == x[1] && y[2] == x[2]);
  assert_true(cri_may_follow(&r, 200, 2) && !cri_may_follow(&r, 201, 2));
  assert_false(cri_may_follow(&r, UINT64_MAX, 8));
  for (int i = 0; i < 200; i++) {
    assert_int_equal(cri_get_number(&r, 2), i);
  }
  assert_false(r.failed);
  assert_true(cri_get_number(&r, 1) == 0 && r.failed);
  free(w.data);
  (void)state;
}
