// SPDX-License-Identifier: Apache-2.0
// Runs sorted by owner against sets of flags.
#include "math/runs.h"

#include "base/random.h"
#include "support/close.h"

enum { MOST = 40, LENGTH = 120, OWNERS = 5 };

TEST(runs_go_to_their_owners) {
  cr_random r = cr_random_seed(1, 2);
  for (int sample = 0; sample < 300; sample++) {
    cr_run run[MOST], to[MOST];
    int32_t owner[MOST], adr[OWNERS + 1], last[OWNERS];
    bool has[OWNERS][LENGTH] = {{false}};
    int n = 0;
    for (int at = 0; n < MOST && at < LENGTH - 8; n++) {
      owner[n] = cr_random_int(&r, OWNERS + 1) - 1;
      run[n] = (cr_run){at, at + 1 + cr_random_int(&r, 6)};
      for (int i = run[n].begin; i < run[n].end && owner[n] >= 0; i++) {
        has[owner[n]][i] = true;
      }
      at += cr_random_int(&r, 8);
    }
    cr_runs_by_owner(&(cr_owned_runs){n, run, owner}, OWNERS, adr, to, last);
    for (int k = 0; k < OWNERS; k++) {
      cr_runs own = {adr[k + 1] - adr[k], to + adr[k]};
      for (int i = 1; i < own.n; i++) {
        assert_true(own.run[i].begin > own.run[i - 1].end);
      }
      CR_EACH(i, own) {
        assert_true(has[k][i]);
        has[k][i] = false;
      }
      for (int i = 0; i < LENGTH; i++) {
        assert_false(has[k][i]);
      }
    }
  }
}

TEST(nobody_owns_nothing) {
  int32_t adr[3] = {7, 7, 7}, last[2], owner[1] = {-1};
  cr_run run[1] = {{3, 5}}, to[1];
  cr_runs_by_owner(&(cr_owned_runs){1, run, owner}, 2, adr, to, last);
  assert_true(adr[0] == 0 && adr[1] == 0 && adr[2] == 0);
}
