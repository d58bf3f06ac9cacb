// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A run with events and its gradient have the same bits again in the same rollout, whatever its memory held
// before, and where it grows in between.
#include "carom/carom.h"
#include "checks/io_event_pairs.h"
#include "model/model.h"
#include "support/test.h"

static const pairs_method METHODS[] = {{"tsit5", 1e-7, 0}, {"dopri8", 1e-9, 0}, {"bosh3", 1e-5, 0}};

enum { N = sizeof METHODS / sizeof METHODS[0] };

// every other pair
static bool is_there(int falling, int on, int collision) {
  bool exists = collision != CR_COLLISION_SOFT || on == 0 || (falling < 3 && on < 3);
  return exists && (falling + on + collision) % 2 == 1;
}

static void check(int collision) {
  for (int falling = 1; falling < PAIRS_SHAPES; falling++) {
    for (int on = 0; on < PAIRS_SHAPES; on++) {
      int launch = (falling + on) % 3;
      if (is_there(falling, on, collision)) {
        pairs_repeat(falling, on, collision, launch, &METHODS[(falling + 2 * on) % N]);
      }
    }
  }
}

TEST(hard_runs_repeat) { check(CR_COLLISION_HARD); }
TEST(soft_runs_repeat) { check(CR_COLLISION_SOFT); }
TEST(smooth_runs_repeat) { check(CR_COLLISION_SMOOTH); }
