// SPDX-License-Identifier: Apache-2.0
// Noise of planners: variance 1 over a row, how neighbours go together, the same numbers for a seed.
#include "control/control_noise.h"

#include "support/close.h"

enum { N = 64, ROWS = 4000 };

// mean square, and the mean product of neighbours over it
static void measure(cr_noise_colour colour, double* variance, double* neighbours) {
  static cr_real x[2 * N];
  double square = 0, product = 0;
  for (uint64_t k = 0; k < ROWS; k++) {
    cr_random random = cr_random_seed(9, k);
    cri_control_noise(&random, colour, N, 2, x);
    for (int j = 0; j < N; j++) {
      square += (double)(x[2 * j] * x[2 * j]);
      product += j > 0 ? (double)(x[2 * j] * x[2 * j - 2]) : 0;
    }
  }
  *variance = square / (ROWS * N);
  *neighbours = product / (ROWS * (N - 1)) / *variance;
}

TEST(variance_is_one) {
  double variance, neighbours;
  measure(CR_NOISE_WHITE, &variance, &neighbours);
  assert_close((cr_real)variance, 1, CR_R(0.02));
  assert_close((cr_real)neighbours, 0, CR_R(0.02));
  measure(CR_NOISE_BROWN, &variance, &neighbours);
  assert_close((cr_real)variance, 1, CR_R(0.06));
  assert_true(neighbours > 0.95 && neighbours < 1);
  // of seven octaves the k-th keeps its number from one step to the next 1 - 2^-k of the time
  measure(CR_NOISE_PINK, &variance, &neighbours);
  assert_close((cr_real)variance, 1, CR_R(0.03));
  assert_close((cr_real)neighbours, CR_R(0.716), CR_R(0.03));
}

TEST(a_seed_gives_the_same_numbers) {
  cr_real a[N], b[N];
  for (cr_noise_colour c = CR_NOISE_WHITE; c <= CR_NOISE_BROWN; c++) {
    cr_random one = cr_random_seed(4, 2), two = cr_random_seed(4, 2), other = cr_random_seed(4, 3);
    cri_control_noise(&one, c, N, 1, a);
    cri_control_noise(&two, c, N, 1, b);
    assert_all_close(a, b, N, 0);
    cri_control_noise(&other, c, N, 1, b);
    assert_true(a[0] != b[0] && a[N - 1] != b[N - 1]);
  }
}
