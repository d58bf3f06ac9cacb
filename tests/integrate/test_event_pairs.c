// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A part of test_event_pairs_long.c: the gradient with events is that of the motion, or says that a jump was not
// counted, for shapes on a plane and on each other.
#include "carom/carom.h"
#include "model/model.h"
#include "support/io_event_pairs.h"

static const pairs_method METHODS[] = {{"tsit5", 1e-7, 0.01}, {"dopri8", 1e-10, 2e-3}};

static void check(const int scene[][4], int n) {
  pairs_tally tally = {.runs = 0};
  for (int i = 0; i < n; i++) {
    pairs_check(scene[i][0], scene[i][1], scene[i][2], scene[i][3], METHODS, 2, 1, &tally);
  }
  assert_int_equal(tally.wrong, 0);
  assert_true(4 * tally.kinks < tally.scenes && 4 * tally.uncounted < tally.runs);
}

// shape, what it falls on, collision, launch
static void gradients_on_a_plane_are_those_of_the_motion(void** state) {
  static const int scenes[][4] = {{4, 0, CR_COLLISION_HARD, 1},   {5, 0, CR_COLLISION_HARD, 2},
                                  {6, 0, CR_COLLISION_HARD, 0},   {4, 0, CR_COLLISION_SMOOTH, 0},
                                  {5, 0, CR_COLLISION_SMOOTH, 1}, {5, 0, CR_COLLISION_SOFT, 0},
                                  {3, 0, CR_COLLISION_HARD, 0}};
  check(scenes, sizeof scenes / sizeof scenes[0]);
}

static void gradients_on_each_other_are_those_of_the_motion(void** state) {
  static const int scenes[][4] = {{1, 6, CR_COLLISION_HARD, 1},
                                  {2, 2, CR_COLLISION_HARD, 0},
                                  {2, 6, CR_COLLISION_HARD, 0},
                                  {3, 1, CR_COLLISION_HARD, 2},
                                  {5, 1, CR_COLLISION_SMOOTH, 0}};
  check(scenes, sizeof scenes / sizeof scenes[0]);
}

int test_event_pairs(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_on_a_plane_are_those_of_the_motion),
      cmocka_unit_test(gradients_on_each_other_are_those_of_the_motion),
  };
  return cmocka_run_group_tests_name("event_pairs", tests, NULL, NULL);
}
