// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Rows of tables with a row for each floor and draw, and means over draws.
#include "physics/contest.h"

#include <stdlib.h>

#include "support/close.h"

static const cri_part parts[] = {{1, 2}, {5, 3}, {50, 1}};
static const cri_contest contest = {.parts = parts, .nparts = 3};

TEST(each_row_has_a_floor_and_a_draw_of_its_own) {
  bool seen[3][3][CRI_N_FLOOR] = {{{false}}};
  assert_int_equal(cri_contest_rows(&contest), 6 * CRI_N_FLOOR);
  for (int row = 0; row < cri_contest_rows(&contest); row++) {
    int draw, floor;
    const cri_part* p = cri_contest_find(&contest, row, &draw, &floor);
    assert_true(p >= parts && p < parts + 3);
    assert_true(draw >= 0 && draw < p->draws && floor >= 0 && floor < CRI_N_FLOOR);
    assert_false(seen[p - parts][draw][floor]);
    seen[p - parts][draw][floor] = true;
  }
}

static int rising(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

TEST(seeds_differ) {
  int number[18];
  for (int row = 0; row < 18; row++) {
    int draw, floor;
    const cri_part* p = cri_contest_find(&contest, row, &draw, &floor);
    number[row] = cri_contest_number(floor, p, draw);
  }
  qsort(number, 18, sizeof *number, rising);
  for (int i = 1; i < 18; i++) {
    assert_true(number[i] > number[i - 1]);
  }
  // and are those of the draw, whatever else is computed
  const cri_contest alone = {.parts = parts + 1, .nparts = 1};
  int draw, floor;
  const cri_part* p = cri_contest_find(&alone, 4, &draw, &floor);
  assert_int_equal(cri_contest_number(floor, p, draw), (5 * 10 + 1) * CRI_N_FLOOR + 1);
}

TEST(a_spread_is_over_the_draws_of_a_floor) {
  cr_table table;
  assert_int_equal(cri_table_create(&table, "x.csv", "a,b", NULL, 36, NULL), CR_OK);
  for (int row = 0; row < 36; row++) {  // two rows for each floor and draw
    cri_table_row(&table, row)[1] = (cr_real)row;
  }
  // part 1 begins at row 6 of all, floor 2: rows 8, 11 and 14; the second of two: 17, 23 and 29
  const cri_spread is = cri_contest_spread(&contest, &table, 2, 1, 2, 1, 1);
  assert_true(is.mean == 23 && is.low == 17 && is.high == 29);
  const cri_spread one = cri_contest_spread(&contest, &table, 2, 0, 0, 2, 1);
  assert_true(one.mean == 30 && one.low == 30 && one.high == 30);
  cri_table_free(&table);
}
