// SPDX-License-Identifier: Apache-2.0
// A number, and a number with slopes.
#include "actuator/affine.h"

#include "support/close.h"

TEST(closed_forms) {
  const cr_real p[3] = {2, -3, CR_R(0.5)}, l = CR_R(0.7), v = CR_R(-0.2);
  cri_curve_gradient g;
  assert_close(cri_fixed_curve(NULL, 0, p, CR_AS_IT_IS, l, v, &g), 2, 0);
  assert_true(g.length == 0 && g.velocity == 0 && g.prm[0] == 1);
  assert_close(cri_fixed_curve(NULL, 0, p, CR_OVER_LENGTH, l, v, &g), 0, 0);
  assert_true(g.length == 0 && g.velocity == 0 && g.prm[0] == 0);
  assert_close(cri_affine_curve(NULL, 0, p, CR_AS_IT_IS, l, v, &g), CR_R(-0.2), 8 * CR_EPS);
  assert_true(g.length == -3 && g.velocity == CR_R(0.5));
  assert_true(g.prm[0] == 1 && g.prm[1] == l && g.prm[2] == v);
  assert_close(cri_affine_curve(NULL, 0, p, CR_OVER_LENGTH, l, v, &g), -3, 0);
  assert_true(g.length == 0 && g.velocity == 0 && g.prm[0] == 0 && g.prm[1] == 1 && g.prm[2] == 0);
  assert_close(cri_affine_curve(NULL, 0, p, CR_OVER_VELOCITY, l, v, NULL), CR_R(0.5), 0);
}
