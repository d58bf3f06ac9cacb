// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Parts of a smooth contact: what counts as a leap of it, and gradients across leaps of parts.
#include "event/event_parts.h"

#include "carom/carom.h"
#include "checks/io_event_pairs.h"
#include "support/test.h"

// one at x, that moves by 1 m/s along it
static cri_event_part part(cr_real feature, cr_real x, cr_real share) {
  return (cri_event_part){.feature = feature,
                          .at = {.at = {.pos = {x, 0, 0}, .normal = {0, 0, 1}},
                                 .rate = {.pos = {1, 0, 0}},
                                 .share = share,
                                 .left = cr_sqrt(share)}};
}

static cri_parts_change change(const cri_event_part* was, int n, const cri_event_part* now,
                               int n_now) {
  const cri_event_parts a = {n, was}, b = {n_now, now};
  cri_parts_change there = cri_parts_compare(&a, &b, CR_R(1e-3), 1);
  assert_int_equal(cri_parts_compare(&b, &a, CR_R(1e-3), 1), there);
  return there;
}

TEST(parts_that_move_as_they_may_stay) {
  const cri_event_part was[] = {part(1, 0, CR_R(0.6)), part(2, CR_R(0.3), CR_R(0.4))};
  cri_event_part now[] = {part(2, CR_R(0.301), CR_R(0.4)), part(1, CR_R(0.001), CR_R(0.6))};
  assert_int_equal(change(was, 2, now, 2), CRI_PARTS_STAY);
  now[0].feature = 3;
  assert_int_equal(change(was, 2, now, 2), CRI_PARTS_KINK);
  assert_int_equal(change(was, 0, now, 0), CRI_PARTS_STAY);
}

TEST(parts_that_move_farther_leap) {
  const cri_event_part was[] = {part(1, 0, CR_R(0.6)), part(2, CR_R(0.3), CR_R(0.4))};
  cri_event_part now[] = {part(1, 0, CR_R(0.6)), part(2, CR_R(0.31), CR_R(0.4))};
  assert_int_equal(change(was, 2, now, 2), CRI_PARTS_LEAP);
  now[1] = part(3, CR_R(0.31), CR_R(0.4));
  assert_int_equal(change(was, 2, now, 2), CRI_PARTS_LEAP);
  now[1] = part(2, CR_R(0.3), CR_R(0.4));
  now[1].at.at.normal[0] = CR_R(0.1);
  assert_int_equal(change(was, 2, now, 2), CRI_PARTS_LEAP);
}

TEST(parts_come_and_go_without_a_share) {
  const cri_event_part was[] = {part(1, 0, 1)};
  cri_event_part now[] = {part(1, 0, 1), part(2, CR_R(0.3), CR_R(1e-8))};
  assert_int_equal(change(was, 1, now, 2), CRI_PARTS_STAY);
  now[1] = part(2, CR_R(0.3), CR_R(0.01));
  assert_int_equal(change(was, 1, now, 2), CRI_PARTS_LEAP);
  // fast enough to have come in the meantime
  now[1].at.left_rate = 60;
  assert_int_equal(change(was, 1, now, 2), CRI_PARTS_STAY);
}

// two at one place weigh twice as much as one
TEST(two_that_become_one_leap) {
  const cri_event_part was[] = {part(1, 0, CR_R(0.5)), part(2, 0, CR_R(0.5))};
  const cri_event_part now[] = {part(3, 0, 1)};
  assert_int_equal(change(was, 2, now, 1), CRI_PARTS_LEAP);
}

// falling, on, launch: a box on a capsule, whose first part stays while the second leaps; pairs whose parts come and go
TEST(gradients_across_leaps_are_those_of_the_motion) {
  static const pairs_method methods[] = {{"tsit5", 1e-9, 5e-4}, {"dopri8", 1e-10, 1e-4}};
  static const int scenes[][3] = {{5, 2, 0}, {2, 4, 0}, {4, 5, 0}, {5, 5, 1}};
  pairs_tally tally = {.runs = 0};
  for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
    pairs_check(scenes[i][0], scenes[i][1], CR_COLLISION_SMOOTH, scenes[i][2], methods, 2, 1,
                &tally);
  }
  print_message("%d runs, %d uncounted, %d wrong\n", tally.runs, tally.uncounted, tally.wrong);
  assert_int_equal(tally.kinks, 0);
  assert_int_equal(tally.wrong, 0);
  assert_int_equal(tally.uncounted, 0);
}
