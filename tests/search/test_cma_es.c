// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"
#include "support/landscapes.h"

#include "search/global.h"

static const cr_global_options usual = {.size = sizeof usual,
                                        .method = CR_GLOBAL_CMA_ES,
                                        .islands = 2,
                                        .population = 24,
                                        .generations = 300,
                                        .has_target = true,
                                        .target = CR_R(1e-10)};

TEST(cma_finds_the_lowest_minimum_without_gradients) {
  int64_t evaluations;
  for (int n = 4; n <= 6; n++) {
    landscape levy = landscape_of(n, true);
    assert_int_equal(landscape_found(&levy, &usual, false, &evaluations), 20);
  }
  landscape rastrigin = landscape_of(3, false);
  assert_true(landscape_found(&rastrigin, &usual, false, &evaluations) >= 15);
}

// sum of (1000^(i / (n - 1)) y_i)^2, y turned: it takes a covariance to go down this ellipsoid in few steps. A search
// whose samples are round needs more than a hundred times as many
static cr_status ellipsoid(void* context, const cr_real* x, cr_real* value, cr_error* error) {
  enum { N = 5 };
  (void)context, (void)error;
  *value = 0;
  for (int i = 0; i < N; i++) {
    cr_real y = 0, scale = cr_pow(1000, (cr_real)i / (N - 1));
    for (int j = 0; j < N; j++) {  // cosines of 5 points are orthogonal
      y += cr_cos(CR_PI * (cr_real)i * (CR_R(0.5) + (cr_real)j) / N) * (x[j] - CR_R(0.3));
    }
    *value += scale * scale * y * y;
  }
  return CR_OK;
}

TEST(cma_learns_the_shape) {
  static const cr_real lower[5] = {-2, -2, -2, -2, -2}, upper[5] = {3, 3, 3, 3, 3};
  const cr_global_problem p = {
      .size = sizeof p, .n = 5, .lower = lower, .upper = upper, .value = ellipsoid};
  cr_global_options o = usual;
  cr_global_result result = {.size = sizeof result};
  cr_error error = {0};
  cr_real x[5] = {0};
  o.islands = 1;
  o.population = 10;
  o.generations = 400;
  assert_int_equal(cri_minimise_global(&p, &o, NULL, x, &result, &error), CR_OK);
  assert_string_equal(result.reason, "target reached");
  for (int i = 0; i < 5; i++) {
    assert_close(x[i], CR_R(0.3), CR_R(1e-5));
  }
}

// x[0] towards 2: the lowest place is a corner of the bounds
static cr_status slope(void* context, const cr_real* x, cr_real* value, cr_error* error) {
  (void)context, (void)error;
  *value = (x[0] - 2) * (x[0] - 2) + x[1] + 1;
  return CR_OK;
}

TEST(cma_ends_at_bounds) {
  static const cr_real lower[] = {-1, -1}, upper[] = {1, 1};
  const cr_global_problem p = {
      .size = sizeof p, .n = 2, .lower = lower, .upper = upper, .value = slope};
  cr_global_options o = usual;
  cr_error error = {0};
  cr_real x[] = {0, 0};
  o.has_target = false;
  assert_int_equal(cri_minimise_global(&p, &o, NULL, x, NULL, &error), CR_OK);
  assert_close(x[0], 1, CR_R(1e-6));
  assert_close(x[1], -1, CR_R(1e-6));
}
