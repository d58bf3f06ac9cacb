// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"
#include "support/landscapes.h"

static const cr_global_options usual = {.size = sizeof usual,
                                        .method = CR_GLOBAL_BASIN_HOPPING,
                                        .local = CR_LOCAL_LEVENBERG_MARQUARDT,
                                        .islands = 2,
                                        .generations = 50,
                                        .has_target = true,
                                        .target = CR_R(1e-10)};

TEST(hops_find_the_lowest_of_many_minima) {
  int64_t evaluations;
  for (int n = 4; n <= 6; n++) {
    landscape rastrigin = landscape_of(n, false), levy = landscape_of(n, true);
    assert_true(landscape_found(&rastrigin, &usual, true, &evaluations) >= 18);
    assert_int_equal(landscape_found(&levy, &usual, true, &evaluations), 20);
  }
}

// an individual alone hops too, and never goes up: the temperature is that of a population
TEST(one_that_hops_alone) {
  int64_t evaluations;
  landscape levy = landscape_of(2, true);
  cr_global_options alone = usual;
  alone.islands = alone.population = 1;
  alone.generations = 200;
  assert_true(landscape_found(&levy, &alone, true, &evaluations) >= 18);
}
