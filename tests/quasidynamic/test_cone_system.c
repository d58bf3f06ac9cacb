// SPDX-License-Identifier: Apache-2.0
// The scaled cone program: rows and forces are transposes, the residual vanishes at a solution alone, the factor is that of I + B'B.
#include "quasidynamic/cone_system.h"

#include "math/dense_cholesky.h"
#include "support/close.h"

static cri_cone c;

// |x|^2 / 2 - b'x, x_0 >= |x_1| / 2
static void open_problem(void) {
  assert_int_equal(cri_cone_create(&c, 2, 2, NULL), CR_OK);
  c.nv = c.nrow = 2;
  c.nblock = 1;
  c.dim[0] = 2;
  c.Q[0] = c.Q[3] = 1;
  c.G[0] = 1;
  c.G[3] = CR_R(0.5);
  c.b[0] = -1;
  c.b[1] = CR_R(0.9);
}
static void close_problem(void) { cri_cone_free(&c); }
AROUND_EACH(open_problem, close_problem)

TEST(rows_and_forces_are_transposes) {
  const cr_real y[2] = {CR_R(0.3), -2}, z[2] = {CR_R(0.7), CR_R(0.4)};
  cr_real r[2], q[2] = {0};
  assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
  cri_cone_rows(&c, y, NULL, r);
  cri_cone_add_forces(&c, z, q);
  assert_close(cri_cone_dot(r, z, 2), cri_cone_dot(y, q, 2), CR_R(1e-15));
  assert_close(cri_cone_largest(y, 2), 2, 0);
}

TEST(the_residual_vanishes_at_the_solution) {
  for (int smooth = 0; smooth < 2; smooth++) {
    c.weight = smooth * CR_R(20.0);
    assert_close(cri_cone_target(&c), smooth * CR_R(0.05), CR_R(1e-17));
    assert_close(cri_cone_level(&c, 0, CR_R(0.1)), CR_R(0.2), CR_R(1e-16));
    assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
    assert_true(cri_cone_residual(&c) < CR_R(1e-10));
    c.y[0] += CR_R(1e-3);
    assert_true(cri_cone_residual(&c) > CR_R(1e-4));
  }
}

TEST(the_factor_is_that_of_the_hessian) {
  cr_real x[2] = {1, 2}, H[4] = {1, 0, 0, 1};
  c.weight = 20;
  assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
  assert_true(cri_cone_barrier(&c));
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 4; k++) {
      H[k] += c.B[2 * i + k / 2] * c.B[2 * i + k % 2];
    }
  }
  cr_dense_chol_solve(c.H, 2, x);
  assert_close(H[0] * x[0] + H[1] * x[1], 1, CR_R(1e-10));
  assert_close(H[2] * x[0] + H[3] * x[1], 2, CR_R(1e-10));
}
