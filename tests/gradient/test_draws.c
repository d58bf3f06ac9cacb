// SPDX-License-Identifier: Apache-2.0
// Draws: mean, covariance and score of each kind, pairs that cancel, even points that fill every interval, replicates that
// differ, and the same numbers in whatever order they are asked for.
#include "gradient/draws.h"
#include "support/close.h"

enum { N = 3, SAMPLES = 4096 };

static const cr_real sigma[N] = {CR_R(0.5), 2, CR_R(1.5)};
static const cr_real S[N * N] = {4, 1, CR_R(0.5), 1, 2, CR_R(-0.3), CR_R(0.5), CR_R(-0.3), 1};

static cri_draws made(cr_draws kind, bool square, int samples) {
  const cr_estimator_options o = {.size = sizeof o,
                                  .kind = CR_ESTIMATOR_ALPHA,
                                  .samples = samples,
                                  .sigma = square ? NULL : sigma,
                                  .covariance = square ? S : NULL,
                                  .draws = kind,
                                  .seed = 5};
  cri_draws draws;
  cr_error error = {0};
  if (cri_draws_make(&draws, &o, N, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return draws;
}

// moments of w and of its score: E[w w'] = S, E[w score'] = 1
TEST(moments_are_those_of_the_distribution) {
  for (int k = 0; k < 6; k++) {
    bool square = k >= 3;
    cri_draws draws = made((cr_draws)(k % 3), square, SAMPLES);
    cr_real mean[N] = {0}, second[N * N] = {0}, mixed[N * N] = {0}, w[N], score[N];
    for (int i = 0; i < SAMPLES; i++) {
      cri_draws_get(&draws, i, w, score);
      for (int a = 0; a < N; a++) {
        mean[a] += w[a] / SAMPLES;
        for (int b = 0; b < N; b++) {
          second[N * a + b] += w[a] * w[b] / SAMPLES;
          mixed[N * a + b] += w[a] * score[b] / SAMPLES;
        }
      }
    }
    for (int a = 0; a < N; a++) {
      cr_real size = square ? cr_sqrt(S[N * a + a]) : sigma[a];
      assert_close(mean[a], 0, 5 * size / 64);
      for (int b = 0; b < N; b++) {
        cr_real other = square ? cr_sqrt(S[N * b + b]) : sigma[b];
        cr_real wanted = square ? S[N * a + b] : a == b ? sigma[a] * sigma[a] : 0;
        assert_close(second[N * a + b], wanted, CR_R(0.12) * size * other);
        assert_close(mixed[N * a + b], a == b, CR_R(0.15) * size / CR_R(0.5));
      }
    }
    cri_draws_free(&draws);
  }
}

TEST(pairs_cancel) {
  cri_draws draws = made(CR_DRAWS_ANTITHETIC, false, 8);
  assert_int_equal(cri_draws_group(&draws), 2);
  for (int i = 0; i < 8; i += 2) {
    cr_real a[N], b[N], again[N];
    cri_draws_get(&draws, i, a, NULL);
    cri_draws_get(&draws, i + 1, b, NULL);
    cri_draws_get(&draws, i, again, NULL);
    for (int k = 0; k < N; k++) {
      assert_true(a[k] == -b[k] && a[k] != 0 && a[k] == again[k]);
    }
  }
  cri_draws_free(&draws);
}

// of the 64 points of a replicate each 64th part of the first number's distribution has one
TEST(even_points_are_even) {
  cri_draws draws = made(CR_DRAWS_QUASI, false, 512);
  assert_int_equal(cri_draws_group(&draws), 64);
  cr_real first[2] = {0};
  for (int replicate = 0; replicate < 8; replicate++) {
    int seen[64] = {0};
    for (int i = 0; i < 64; i++) {
      cr_real w[N];
      cri_draws_get(&draws, 64 * replicate + i, w, NULL);
      double u = 0.5 * erfc(-(double)(w[0] / sigma[0]) / sqrt(2.0));
      seen[(int)fmin(64 * u, 63)]++;
      first[replicate % 2] = i == 0 ? w[0] : first[replicate % 2];
    }
    for (int i = 0; i < 64; i++) {
      assert_int_equal(seen[i], 1);
    }
    assert_true(first[0] != first[1]);
  }
  assert_int_equal(draws.base[0], 2);
  assert_int_equal(draws.base[1], 3);
  assert_int_equal(draws.base[2], 5);
  cri_draws_free(&draws);
}
