// SPDX-License-Identifier: Apache-2.0
// Sums of samples against plain formulas; groups; the weight of the first order at its three verdicts.
#include "gradient/moments.h"
#include "support/close.h"

enum { N = 2, SAMPLES = 12 };

static const cr_real f[SAMPLES] = {1, 2, CR_R(0.5), 4, 3, CR_R(1.5), 2, 2, 1, 3, 4, 0};
static const cr_real z[SAMPLES] = {3, -1, 4, -2, 6, 1, 0, 5, -3, 2, 2, 7};

static void fill(cri_moments* s, int group, cr_estimator_kind kind) {
  assert_int_equal(cri_moments_make(s, N, group, kind, NULL), CR_OK);
  for (int again = 0; again < 2; again++) {
    cri_moments_clear(s);
    for (int i = 0; i < SAMPLES; i++) {
      const cr_real F[N] = {f[i], 10 + f[i]}, Z[N] = {z[i], -z[i]};
      cri_moments_add(s, f[i] * f[i], kind == CR_ESTIMATOR_ZEROTH ? NULL : F,
                      kind == CR_ESTIMATOR_FIRST ? NULL : Z);
    }
  }
}

// variance of the mean of groups of x
static cr_real variance(const cr_real* x, int group) {
  int n = SAMPLES / group;
  cr_real mean = 0, square = 0;
  for (int i = 0; i < SAMPLES; i++) {
    mean += x[i] / SAMPLES;
  }
  for (int i = 0; i < n; i++) {
    cr_real part = 0;
    for (int k = 0; k < group; k++) {
      part += x[i * group + k] / (cr_real)group;
    }
    square += (part - mean) * (part - mean);
  }
  return square / (cr_real)(n * (n - 1));
}

TEST(means_and_variances) {
  for (int group = 1; group <= 3; group++) {
    cri_moments s;
    cr_real g[N], error[N];
    cr_smoothed_gradient to = {.size = sizeof to, .gradient = g, .error = error};
    fill(&s, group, CR_ESTIMATOR_FIRST);
    cri_moments_estimate(&s, &(cr_estimator_options){.kind = CR_ESTIMATOR_FIRST}, 5, &to);
    assert_close(g[0], 2, CR_R(1e-14));
    assert_close(g[1], 12, CR_R(1e-13));
    assert_close(to.first_variance, 2 * SAMPLES * variance(f, group), CR_R(1e-12));
    assert_close(error[0], CR_R(1.959963984540054) * cr_sqrt(variance(f, group)), CR_R(1e-12));
    assert_true(to.loss == 5 && to.alpha == 1 && isnan(to.zeroth_variance));
    cri_moments_free(&s);
  }
}

TEST(zeroth_order_alone) {
  cri_moments s;
  cr_real g[N];
  cr_smoothed_gradient to = {.size = sizeof to, .gradient = g};
  fill(&s, 1, CR_ESTIMATOR_ZEROTH);
  cri_moments_estimate(&s, &(cr_estimator_options){.kind = CR_ESTIMATOR_ZEROTH}, 0, &to);
  assert_close(g[0], 2, CR_R(1e-14));
  assert_close(to.zeroth_variance, 2 * SAMPLES * variance(z, 1), CR_R(1e-12));
  assert_true(to.alpha == 0 && isnan(to.first_variance));
  cri_moments_free(&s);
}

TEST(the_three_verdicts) {
  cri_moments s;
  fill(&s, 1, CR_ESTIMATOR_ALPHA);
  cr_smoothed_gradient to = {.size = sizeof to};
  cr_estimator_options o = {.kind = CR_ESTIMATOR_ALPHA, .bias = CR_R(1e9)};
  cri_moments_estimate(&s, &o, 0, &to);
  cr_real free_alpha = to.alpha, eps = to.certainty, apart = to.distance;
  assert_true(to.verdict == CR_ALPHA_FREE && free_alpha > 0 && free_alpha <= 1);
  assert_close(apart, cr_sqrt(14 * 14), CR_R(1e-12));  // F = (2, 12), Z = (2, -2)
  o.bias = eps + free_alpha * apart / 2;
  cri_moments_estimate(&s, &o, 0, &to);
  assert_int_equal(to.verdict, CR_ALPHA_BOUNDED);
  assert_close(to.alpha, free_alpha / 2, CR_R(1e-12));
  o.bias = eps * CR_R(0.999);
  cri_moments_estimate(&s, &o, 0, &to);
  assert_true(to.verdict == CR_ALPHA_ZERO && to.alpha == 0);
  cri_moments_free(&s);
}

TEST(mistakes_are_named) {
  cr_error error = {0};
  assert_int_equal(cri_moments_check(&(cr_estimator_options){.confidence = 1}, &error), CR_ERR_ARG);
  assert_int_equal(cri_moments_check(&(cr_estimator_options){.bias = -1}, &error), CR_ERR_ARG);
  assert_int_equal(cri_moments_check(&(cr_estimator_options){.kind = (cr_estimator_kind)7}, &error),
                   CR_ERR_ARG);
  assert_int_equal(cri_moments_check(&(cr_estimator_options){.bias = 1}, &error), CR_OK);
}
