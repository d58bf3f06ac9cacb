// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"
#include "support/landscapes.h"

static const cr_global_options usual = {.size = sizeof usual,
                                        .method = CR_GLOBAL_DIFFERENTIAL_EVOLUTION,
                                        .islands = 2,
                                        .generations = 300,
                                        .has_target = true,
                                        .target = CR_R(1e-10)};

TEST(differences_find_the_lowest_minimum) {
  int64_t evaluations, with_descent;
  cr_global_options descending = usual;
  descending.local = CR_LOCAL_LEVENBERG_MARQUARDT;
  for (int n = 4; n <= 6; n++) {
    landscape levy = landscape_of(n, true);
    assert_int_equal(landscape_found(&levy, &usual, false, &evaluations), 20);
    assert_int_equal(landscape_found(&levy, &descending, true, &with_descent), 20);
    assert_true(2 * with_descent < evaluations);  // what ways down are for
  }
  landscape rastrigin = landscape_of(4, false);
  assert_true(landscape_found(&rastrigin, &usual, false, &evaluations) >= 18);
}
