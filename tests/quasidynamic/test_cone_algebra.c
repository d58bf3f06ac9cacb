// SPDX-License-Identifier: Apache-2.0
// The algebra of cones: what its functions are defined by.
#include "quasidynamic/cone_algebra.h"

#include "base/random.h"
#include "support/close.h"

static cr_random random_;

static void draw(cr_real* v, int n) {
  for (int i = 0; i < n; i++) {
    v[i] = 2 * cr_random_uniform(&random_) - 1;
  }
}

static void draw_inside(cr_real* v, int n) {
  draw(v, n);
  v[0] = cri_cone_tail(v, n) + cr_abs(v[0]) + CR_R(0.01);
}

// p o (p - v) = level e, and both factors are in the cone
TEST(the_projection_splits_a_vector) {
  random_ = cr_random_seed(1, 0);
  for (int k = 0; k < 400; k++) {
    const int n = 1 + k % 5;
    const cr_real level = k % 2 == 0 ? 0 : CR_R(0.3);
    cr_real v[5], p[5], q[5], r[5];
    draw(v, n);
    cri_cone_project(v, n, level, p);
    for (int i = 0; i < n; i++) {
      q[i] = p[i] - v[i];
    }
    assert_true(cri_cone_least(p, n) > CR_R(-1e-14));
    assert_true(cri_cone_least(q, n) > CR_R(-1e-14));
    cri_cone_product(p, q, n, r);
    assert_close(r[0], level, CR_R(1e-14));
    for (int i = 1; i < n; i++) {
      assert_close(r[i], 0, CR_R(1e-14));
    }
  }
}

TEST(division_undoes_the_product) {
  random_ = cr_random_seed(2, 0);
  for (int k = 0; k < 100; k++) {
    const int n = 1 + k % 5;
    cr_real u[5], v[5], r[5];
    draw_inside(u, n);
    draw(v, n);
    cri_cone_product(u, v, n, r);
    cri_cone_divide(u, r, n, r);
    assert_all_close(r, v, n, CR_R(1e-11));
  }
}

TEST(a_step_ends_on_the_boundary) {
  random_ = cr_random_seed(3, 0);
  int ends = 0;
  for (int k = 0; k < 400; k++) {
    const int n = 1 + k % 5;
    cr_real v[5], d[5];
    draw_inside(v, n);
    draw(d, n);
    const cr_real alpha = cri_cone_step(v, d, n);
    for (int i = 0; i < n; i++) {
      v[i] += alpha * d[i];
    }
    assert_true(cri_cone_least(v, n) > CR_R(-1e-13));
    ends += alpha < 1;
    assert_true(alpha == 1 || cri_cone_least(v, n) < CR_R(1e-13));
  }
  assert_true(ends > 40);
}

TEST(the_scaling_makes_both_one_vector) {
  random_ = cr_random_seed(4, 0);
  for (int k = 0; k < 100; k++) {
    const int n = 1 + k % 5;
    cr_real s[5], z[5], w[5], a[5], b[5];
    draw_inside(s, n);
    draw_inside(z, n);
    const cr_real beta = cri_cone_scaling(s, z, n, w);
    cri_cone_scale(w, beta, z, n, a);
    cri_cone_unscale(w, beta, s, n, b);
    assert_all_close(a, b, n, CR_R(1e-12));
    cri_cone_unscale(w, beta, a, n, a);
    assert_all_close(a, z, n, CR_R(1e-12));
  }
}
