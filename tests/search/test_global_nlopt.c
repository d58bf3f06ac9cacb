// SPDX-License-Identifier: Apache-2.0
// The public function, with L-BFGS as its way down.
#include "support/close.h"
#include "support/landscapes.h"

static cr_error error;

static const cr_global_options usual = {.size = sizeof usual,
                                        .method = CR_GLOBAL_BASIN_HOPPING,
                                        .local = CR_LOCAL_LBFGS,
                                        .generations = 60,
                                        .has_target = true,
                                        .target = 1e-9};

TEST(hops_with_lbfgs) {
  for (int squares = 0; squares < 2; squares++) {
    int found = 0;
    for (int seed = 0; seed < 20; seed++) {
      landscape land = landscape_of(4, false);
      const cr_global_problem p = landscape_problem(&land, squares == 1);
      cr_global_options o = usual;
      o.seed = (uint64_t)seed;
      cr_real x[4] = {4, 4, 4, 4};
      if (cr_minimise_global(&p, &o, x, NULL, &error) != CR_OK) {
        fail_msg("%s", error.text);
      }
      found += landscape_miss(&land, x) < 1e-4;
    }
    assert_true(found >= 18);
  }
}

// a way down that comes to where there is no value ends at its best place
TEST(lbfgs_and_places_that_are_none) {
  landscape land = landscape_of(2, false);
  const cr_global_problem p = landscape_problem(&land, false);
  cr_real x[] = {-3, 4};
  land.none_above = -0.5;
  land.instead = HUGE_VAL;
  assert_int_equal(cr_minimise_global(&p, &usual, x, NULL, &error), CR_OK);
  assert_true(x[0] <= -0.5);
  land.instead = NAN;
  assert_int_equal(cr_minimise_global(&p, &usual, x, NULL, &error), CR_ERR_NONFINITE);
  assert_string_equal(error.text, "the value is not a number");
  land = landscape_of(2, false);
  land.fail_at = 30;
  assert_int_equal(cr_minimise_global(&p, &usual, x, NULL, &error), CR_ERR_DIVERGED);
  assert_string_equal(error.text, "this run diverged");
}
