// SPDX-License-Identifier: Apache-2.0
// Needs: io
// One number over time without the rows in which it was not measured; doubts that several runs share.
#include <stdlib.h>

#include "measure/measurement_doubt.h"
#include "scenes/io_arm.h"
#include "support/close.h"

TEST(rows_without_a_number_are_left_out) {
  cr_real time[] = {0, 1, 2, 3, 7}, values[] = {0, 10, 1, (cr_real)NAN, 2, 12, 3, 13, 4, 14};
  const cri_channel c = {.width = 2, .rows = 5, .time = time, .values = values};
  cri_series s;
  assert_true(cri_series_of(&s, &c, 1));
  assert_int_equal(s.n, 4);
  assert_true(s.value[1] == 12 && s.time[1] == 2);
  assert_true(s.spacing == 2);  // of 2, 1 and 4
  cri_series_free(&s);
}

TEST(the_same_doubt_is_one_sentence) {
  cri_doubts list = {.n = 0};
  const cri_measured_run a = {.name = "a"}, b = {.name = "b"};
  cri_doubts_add(&list, &a, false, "gyro:", "5 ", "odd?");
  cri_doubts_add(&list, &b, true, "gyro:", "6 ", "odd?");
  cri_doubts_add(&list, &b, false, "gyro:", "6 ", "even?");
  assert_int_equal(list.n, 2);
  assert_string_equal(list.doubt[0].text, "run 'a': gyro: 5 odd?");
  assert_int_equal(list.doubt[0].runs, 2);
  assert_true(list.doubt[0].sure && !list.doubt[1].sure);
  free(list.doubt);
}
