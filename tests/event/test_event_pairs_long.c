// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Every pair of shapes, hard, soft and smooth, methods and tolerances: the gradient with events is that of the
// motion, or a jump is reported as not counted, which is rare.
#include "carom/carom.h"
#include "checks/io_event_pairs.h"
#include "model/model.h"
#include "support/test.h"

static const pairs_method METHODS[] = {
    {"tsit5", 1e-5, 0.05},   {"tsit5", 1e-7, 5e-3},   {"tsit5", 1e-9, 5e-3},
    {"tsit5", 1e-11, 1e-3},  {"bosh3", 1e-5, 0.05},   {"bosh3", 1e-7, 5e-3},
    {"bosh3", 1e-9, 5e-3},   {"dopri5", 1e-6, 0.01},  {"dopri5", 1e-8, 5e-3},
    {"dopri5", 1e-10, 1e-3}, {"dopri8", 1e-6, 0.01},  {"dopri8", 1e-8, 5e-3},
    {"dopri8", 1e-10, 1e-3}, {"dopri8", 1e-12, 1e-3}, {"heun", 1e-6, 0.01}};

// a third of the methods on each scene, others on the next
enum { N = sizeof METHODS / sizeof METHODS[0], SPARSE = 3, LAUNCHES = 3 };

static bool is_there(int falling, int on, int collision) {
  return collision != CR_COLLISION_SOFT || on == 0 || (falling < 3 && on < 3);
}

static void check(int collision) {
  pairs_tally tally = {.runs = 0};
  for (int falling = 1; falling < PAIRS_SHAPES; falling++) {
    for (int on = 0; on < PAIRS_SHAPES; on++) {
      for (int launch = 0; launch < LAUNCHES && is_there(falling, on, collision); launch++) {
        pairs_check(falling, on, collision, launch, METHODS, N, SPARSE, &tally);
      }
    }
  }
  print_message("%d runs of %d scenes, %d of them at kinks; %d with uncounted events, %d wrong\n",
                tally.runs, tally.scenes, tally.kinks, tally.uncounted, tally.wrong);
  assert_int_equal(tally.wrong, 0);
  assert_true(20 * tally.kinks < tally.scenes && 300 * tally.uncounted < tally.runs);
}

TEST(hard_gradients_are_those_of_the_motion) { check(CR_COLLISION_HARD); }
TEST(soft_gradients_are_those_of_the_motion) { check(CR_COLLISION_SOFT); }
TEST(smooth_gradients_are_those_of_the_motion) { check(CR_COLLISION_SMOOTH); }
