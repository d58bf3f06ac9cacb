// SPDX-License-Identifier: Apache-2.0
// The choice of four corners: all of few, the largest of many, ties by order.
#include "geometry/polygon.h"

#include "support/close.h"

static void circle(cr_real* p, int n) {
  for (int i = 0; i < n; i++) {
    p[3 * i] = cr_cos(2 * CR_PI * (cr_real)i / (cr_real)n);
    p[3 * i + 1] = cr_sin(2 * CR_PI * (cr_real)i / (cr_real)n);
    p[3 * i + 2] = 0;
  }
}

TEST(few_corners_are_all_taken) {
  cr_real p[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  int corner[4];
  assert_int_equal(cri_quad_from(p, NULL, 4, 2, corner), 4);
  assert_int_equal(corner[0], 2);
  assert_int_equal(corner[1], 3);
  assert_int_equal(corner[2], 0);
  assert_int_equal(corner[3], 1);
  assert_int_equal(cri_quad_from(p, NULL, 3, 0, corner), 3);
}

static cr_real area(const cr_real* p, const int corner[4]) {
  cr_real ac[3], bd[3], c[3];
  cr_sub3(ac, p + 3 * corner[0], p + 3 * corner[2]);
  cr_sub3(bd, p + 3 * corner[1], p + 3 * corner[3]);
  cr_cross3(c, ac, bd);
  return cr_norm3(c) / 2;
}

// the largest is a square, of area 2; a walk comes near
TEST(many_corners_leave_a_large_quadrilateral) {
  cr_real p[48];
  int corner[4];
  circle(p, 16);
  cri_quad(p, 16, corner);
  assert_true(area(p, corner) > CR_R(1.8));
  assert_int_equal(cri_quad_from(p, NULL, 16, 3, corner), 4);
  assert_int_equal(corner[0], 3);
  assert_true(area(p, corner) > CR_R(1.8));
}

// round-off does not choose among equal squares
TEST(ties_are_stable) {
  cr_real p[48], q[48];
  int corner[4], again[4];
  circle(p, 16);
  for (int i = 0; i < 48; i++) {
    q[i] = p[i] * (1 + CR_EPS * (cr_real)(i % 5 - 2));
  }
  cri_quad(p, 16, corner);
  cri_quad(q, 16, again);
  assert_memory_equal(corner, again, sizeof corner);
}
