// SPDX-License-Identifier: Apache-2.0
// Norms: closed forms, derivatives against differences, what they do at 0, and parameters that make no sense.
#include "math/norm.h"

#include "base/random.h"
#include "support/close.h"

static const cri_norm norms[] = {
    {CR_NORM_NULL, (cr_real)0, (cr_real)0},
    {CR_NORM_QUADRATIC, (cr_real)0, (cr_real)0},
    {CR_NORM_L22, (cr_real)0.3, (cr_real)2.5},
    {CR_NORM_L22, (cr_real)0.02, (cr_real)2},
    {CR_NORM_L2, (cr_real)0.1, (cr_real)0},
    {CR_NORM_COSH, (cr_real)0.7, (cr_real)0},
    {CR_NORM_POWER, (cr_real)2.5, (cr_real)0},
    {CR_NORM_POWER, (cr_real)1.5, (cr_real)0},
    {CR_NORM_POWER, (cr_real)1, (cr_real)0},
    {CR_NORM_SMOOTH_ABS, 0.2, 0},
    {CR_NORM_SMOOTH_ABS2, 0.3, 3},
    {CR_NORM_SMOOTH_ABS2, 0.3, 1.4},
    {CR_NORM_RECTIFY, (cr_real)0.25, (cr_real)0},
};
enum { N_NORM = (int)(sizeof norms / sizeof norms[0]), N = 4 };

#ifdef CR_LONG_DOUBLE
static const double bound = 1e-10;
#else
static const double bound = 1e-7;
#endif

TEST(values_are_the_formulas) {
  const cr_real r[2] = {3, -4};
  const struct {
    cri_norm norm;
    double value;
  } rows[] = {{{CR_NORM_NULL, (cr_real)0, (cr_real)0}, -1},
              {{CR_NORM_QUADRATIC, (cr_real)0, (cr_real)0}, 12.5},
              {{CR_NORM_L22, (cr_real)2, (cr_real)2}, 3.3851648071345040},
              {{CR_NORM_L22, (cr_real)1, (cr_real)4}, 4.001998801118769},
              {{CR_NORM_L2, (cr_real)12, (cr_real)0}, 1},
              {{CR_NORM_COSH, (cr_real)1, (cr_real)0}, 35.375894832},
              {{CR_NORM_POWER, (cr_real)2, (cr_real)0}, 25},
              {{CR_NORM_POWER, (cr_real)1, (cr_real)0}, 7},
              {{CR_NORM_SMOOTH_ABS, 4, 0}, 2.6568542494923802},
              {{CR_NORM_SMOOTH_ABS2, 4, 2}, 2.6568542494923802},
              {{CR_NORM_RECTIFY, (cr_real)1, (cr_real)0}, 3.0667372875}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_real value = cri_norm_value(&rows[i].norm, r, 2);
    assert_close(value, (cr_real)rows[i].value, 1e-7 * (1 + fabs(rows[i].value)));
  }
}

// all but two are 0 at 0, where their gradient is 0
TEST(at_zero) {
  const cr_real r[N] = {0};
  cr_real g[N], h[N], outer;
  for (int i = 0; i < N_NORM; i++) {
    cri_norm_derivatives(&norms[i], r, N, g, h, &outer);
    bool odd = norms[i].kind == CR_NORM_NULL || norms[i].kind == CR_NORM_RECTIFY;
    for (int k = 0; k < N; k++) {
      assert_true(isfinite(g[k]) && isfinite(h[k]) && isfinite(outer));
      assert_true(odd || g[k] == 0);
    }
    assert_close(odd ? 0 : cri_norm_value(&norms[i], r, N), 0, CR_R(1e-15));
  }
}

static cr_real slope(const cri_norm* norm, cr_real* r, int k) {
  const cr_real h = CR_R(1e-4), kept = r[k], steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  cr_real sum = 0;
  for (int i = 0; i < 4; i++) {
    r[k] = kept + steps[i] * h;
    sum += weights[i] * cri_norm_value(norm, r, N) / (12 * h);
  }
  r[k] = kept;
  return sum;
}

// the gradient's k-th number by number j
static cr_real second(const cri_norm* norm, cr_real* r, int k, int j) {
  const cr_real h = CR_R(1e-4), kept = r[j], steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  cr_real sum = 0, g[N], diagonal[N], outer;
  for (int i = 0; i < 4; i++) {
    r[j] = kept + steps[i] * h;
    cri_norm_derivatives(norm, r, N, g, diagonal, &outer);
    sum += weights[i] * g[k] / (12 * h);
  }
  r[j] = kept;
  return sum;
}

TEST(derivatives_match_differences) {
  cr_random random = cr_random_seed(5, 0);
  for (int i = 0; i < N_NORM; i++) {
    for (int trial = 0; trial < 20; trial++) {
      cr_real r[N], g[N], h[N], outer;
      for (int k = 0; k < N; k++) {
        r[k] = (random.state[0] & 1 ? 1 : -1) * cr_random_range(&random, CR_R(0.1), 2);
      }
      cri_norm_derivatives(&norms[i], r, N, g, h, &outer);
      for (int k = 0; k < N; k++) {
        assert_close(g[k], slope(&norms[i], r, k), (cr_real)bound * (1 + cr_abs(g[k])));
        for (int j = 0; j < N; j++) {
          cr_real H = (k == j ? h[k] : 0) + outer * r[k] * r[j];
          assert_close(H, second(&norms[i], r, k, j), (cr_real)bound * (1 + cr_abs(H)));
        }
      }
    }
  }
}

// what does not overflow: long residuals
TEST(far_out) {
  const cr_real r[1] = {CR_R(1e6)};
  cr_real g[1], h[1], outer;
  for (int i = 0; i < N_NORM; i++) {
    if (norms[i].kind != CR_NORM_COSH) {
      cri_norm_derivatives(&norms[i], r, 1, g, h, &outer);
      assert_true(isfinite(cri_norm_value(&norms[i], r, 1)) && isfinite(g[0]) && isfinite(h[0]));
    }
  }
  const cri_norm rectify = {CR_NORM_RECTIFY, CR_R(0.5), 0};
  assert_close(cri_norm_value(&rectify, r, 1), r[0], CR_R(1e-9));
}

static void refused(cri_norm norm, const char* because) {
  cr_error error = {0};
  assert_int_equal(cri_norm_check(&norm, "height", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, because));
  assert_non_null(strstr(error.text, "height"));
}

TEST(parameters_are_checked) {
  for (int i = 0; i < N_NORM; i++) {
    assert_int_equal(cri_norm_check(&norms[i], "x", NULL), CR_OK);
  }
  refused((cri_norm){CR_NORM_L2, (cr_real)0, (cr_real)0}, "p above 0");
  refused((cri_norm){CR_NORM_COSH, -1, 0}, "p above 0");
  refused((cri_norm){CR_NORM_POWER, (cr_real)0.5, (cr_real)0}, "p of 1 or more");
  refused((cri_norm){CR_NORM_L22, (cr_real)1, (cr_real)0.5}, "q of 1 or more");
  refused((cri_norm){CR_NORM_SMOOTH_ABS2, 0, 2}, "p above 0");
  refused((cri_norm){CR_NORM_RECTIFY, (cr_real)NAN, 0}, "p above 0");
  refused((cri_norm){(cr_norm)77, 1, 1}, "there is no norm 77");
}
