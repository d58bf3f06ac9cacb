// SPDX-License-Identifier: Apache-2.0
// Sums over samples: means, intervals and weights of numbers that were worked out by hand; groups; a fresh beginning.
#include "gradient/moments.h"

#include "base/quantile.h"
#include "support/close.h"

static cr_error error;

static void make(cri_moments* s, int group, cr_estimator_kind kind) {
  assert_int_equal(cri_moments_make(s, 1, group, kind, &error), CR_OK);
  cri_moments_begin(s, 1);
}

// losses 2, 4 above a baseline of 1; gradients 1, 3; scores 1, 2: F = 2, summands of Z are 1 and 6
static void add_two(cri_moments* s) {
  static const cr_real gradient[2] = {1, 3}, score[2] = {1, 2};
  cri_moments_add(s, 2, &gradient[0], &score[0]);
  cri_moments_add(s, 4, &gradient[1], &score[1]);
}

TEST(means_and_intervals) {
  cri_moments s;
  cr_real g, half, F, Z;
  cr_smoothed_gradient to = {
      .size = sizeof to, .gradient = &g, .error = &half, .first = &F, .zeroth = &Z};
  for (int kind = 0; kind <= CR_ESTIMATOR_ALPHA; kind++) {
    const cr_estimator_options o = {
        .size = sizeof o, .kind = (cr_estimator_kind)kind, .bias = (cr_real)INFINITY};
    const cr_real q = cri_normal_quantile(CR_R(0.95));
    make(&s, 1, o.kind);
    add_two(&s);
    cri_moments_estimate(&s, &o, &to);
    assert_close(to.loss, 1, 0);
    assert_close(to.mean, 3, CR_R(1e-15));
    assert_close(to.mean_error, q, CR_R(1e-12));  // variance of the mean: (1 + 1) / (2 * 1)
    if (kind == CR_ESTIMATOR_FIRST) {
      assert_close(g, 2, CR_R(1e-15));
      assert_close(half, q, CR_R(1e-12));
      assert_close(to.first_variance, 2, CR_R(1e-12));
    } else if (kind == CR_ESTIMATOR_ZEROTH) {
      assert_close(g, CR_R(3.5), CR_R(1e-15));
      assert_close(half, CR_R(2.5) * q, CR_R(1e-12));
      assert_close(to.zeroth_variance, CR_R(12.5), CR_R(1e-12));
    } else {  // v_F = 1, v_Z = 6.25, c = 2.5: alpha* = 3.75 / 2.25, at most 1
      assert_close(F, 2, CR_R(1e-15));
      assert_close(Z, CR_R(3.5), CR_R(1e-15));
      assert_close(to.alpha, 1, 0);
      assert_int_equal(to.verdict, CR_ALPHA_FREE);
    }
    cri_moments_free(&s);
  }
}

// a group is one draw: its mean counts, not its members
TEST(groups) {
  cri_moments s;
  cr_real g, half;
  cr_smoothed_gradient to = {.size = sizeof to, .gradient = &g, .error = &half};
  const cr_estimator_options o = {.size = sizeof o};
  make(&s, 2, CR_ESTIMATOR_FIRST);
  add_two(&s);
  add_two(&s);
  cri_moments_estimate(&s, &o, &to);
  assert_close(g, 2, CR_R(1e-15));
  assert_close(half, 0, CR_R(1e-15));
  cri_moments_begin(&s, 5);
  add_two(&s);
  add_two(&s);
  cri_moments_estimate(&s, &o, &to);
  assert_close(g, 2, CR_R(1e-15));
  assert_close(to.loss, 5, 0);
  cri_moments_free(&s);
}

// alpha = 0 where eps > gamma, else the smaller of alpha* and (gamma - eps) / |F - Z|
TEST(bounds_on_the_bias) {
  cri_moments s;
  cr_real g;
  cr_smoothed_gradient to = {.size = sizeof to, .gradient = &g};
  cr_estimator_options o = {
      .size = sizeof o, .kind = CR_ESTIMATOR_ALPHA, .bias = (cr_real)INFINITY};
  make(&s, 1, o.kind);
  for (int i = 0; i < 400; i++) {  // F is always 2, summands of Z are 3 and 5
    const cr_real gradient = 2, score = 1;
    cri_moments_add(&s, i % 2 == 0 ? 4 : 6, &gradient, &score);
  }
  cri_moments_estimate(&s, &o, &to);
  const cr_real eps = to.certainty;
  assert_close(to.alpha, 1, 0);
  assert_close(to.distance, 2, CR_R(1e-12));
  o.bias = eps + CR_R(0.5);
  cri_moments_estimate(&s, &o, &to);
  assert_int_equal(to.verdict, CR_ALPHA_BOUNDED);
  assert_close(to.alpha, CR_R(0.25), CR_R(1e-12));
  assert_close(g, CR_R(3.5), CR_R(1e-12));
  o.bias = eps / 2;
  cri_moments_estimate(&s, &o, &to);
  assert_int_equal(to.verdict, CR_ALPHA_ZERO);
  assert_close(g, 4, CR_R(1e-12));
  cri_moments_free(&s);
}
