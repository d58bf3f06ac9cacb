// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"
#include "support/landscapes.h"

static const cr_global_options usual = {.size = sizeof usual,
                                        .method = CR_GLOBAL_RESTARTS,
                                        .local = CR_LOCAL_LEVENBERG_MARQUARDT,
                                        .islands = 2,
                                        .generations = 30,
                                        .has_target = true,
                                        .target = CR_R(1e-10)};

// few minima around: enough restarts find the lowest; with as many minima as Rastrigin has, they do not
TEST(restarts_find_the_lowest_of_few_minima) {
  int64_t evaluations;
  landscape levy = landscape_of(4, true), rastrigin = landscape_of(4, false);
  assert_int_equal(landscape_found(&levy, &usual, true, &evaluations), 20);
  assert_true(landscape_found(&rastrigin, &usual, true, &evaluations) < 10);
}
