// SPDX-License-Identifier: Apache-2.0
// Wrapping against MuJoCo 4.0.0's numbers, closed forms, and what a shortest path satisfies.
#include "kinematics/wrap.h"

#include "base/random.h"
#include "math/quat.h"
#include "support/close.h"

static const cr_real origin[3] = {0, 0, 0};
static const cr_real upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// as mju_wrap of MuJoCo 4.0.0 gives them
TEST(wrap_matches_mujoco) {
  static const struct {
    bool cylinder, wraps;
    int side;
    cr_real length, point[6];
  } cases[] = {
      {false, false, -1, 0, {0}},
      {false,
       true,
       0,
       CR_R(0.33124808673204931),
       {CR_R(-0.059901221175382408), CR_R(-0.057329131353617752), CR_R(0.076296234436024207),
        CR_R(0.20438284405395579), CR_R(-0.0093556492132035873), CR_R(-0.044863544822733331)}},
      {false,
       true,
       1,
       0,
       {CR_R(0.026684104802827562), CR_R(0.29862661859138029), CR_R(0.021958422352008174),
        CR_R(0.026684104802827562), CR_R(0.29862661859138029), CR_R(0.021958422352008174)}},
      {true,
       true,
       -1,
       CR_R(0.093234830744119521),
       {CR_R(0.32305991852712429), CR_R(0.49579799635085042), CR_R(-0.091490127679130381),
        CR_R(0.40482467767154257), CR_R(0.49992883852140646), CR_R(-0.13572596904064771)}},
      {true,
       true,
       0,
       CR_R(0.64406278668136208),
       {CR_R(0.0013915216591068591), CR_R(0.18721353942846172), CR_R(-0.23293970421388108),
        CR_R(0.48660006538612993), CR_R(0.40811206820167256), CR_R(-0.21898851589636351)}},
      {true, false, 1, 0, {0}}};
  const cr_real ends[2][3] = {{CR_R(-0.6), CR_R(0.4), CR_R(0.3)},
                              {CR_R(0.5), CR_R(0.5), CR_R(-0.2)}};
  const cr_real sides[2][3] = {{CR_R(0.1), CR_R(-0.9), CR_R(0.3)},
                               {CR_R(0.1), CR_R(0.12), CR_R(0.05)}};
  const cr_real pos[3] = {CR_R(0.05), CR_R(0.1), CR_R(0.02)};
  cr_real quat[4] = {CR_R(0.8), CR_R(0.2), CR_R(-0.4), CR_R(0.4)}, mat[9];
  cr_quat_normalize(quat);
  cr_quat_to_mat(mat, quat);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cri_wrap w;
    const cr_real* side = cases[i].side < 0 ? NULL : sides[cases[i].side];
    bool wraps = cri_wrap_path(&w, ends[0], ends[1], pos, mat, CR_R(0.2), cases[i].cylinder, side);
    assert_int_equal(wraps, cases[i].wraps);
    for (int k = 0; wraps && k < 6; k++) {
      assert_close(w.point[k / 3][k % 3], cases[i].point[k], CR_R(1e-14));
    }
    if (wraps) {
      assert_close(w.length, cases[i].length, CR_R(1e-14));
    }
  }
}

// over a circle of radius 1 from (-2, h) to (2, h)
TEST(over_a_circle) {
  const cr_real h = CR_R(0.3), l = cr_sqrt(4 + h * h);
  const cr_real a[3] = {-2, h, 0}, b[3] = {2, h, 0}, below[3] = {0, -2, 0};
  cr_real beta = CR_PI - 2 * cr_atan2(h, 2), turn = cr_acos(1 / l);
  for (int cylinder = 0; cylinder < 2; cylinder++) {
    cri_wrap w;
    assert_true(cri_wrap_path(&w, a, b, origin, upright, 1, cylinder == 1, NULL));
    assert_close(w.length, beta - 2 * turn, 10 * CR_EPS);
    assert_close(w.point[0][0], -w.point[1][0], 10 * CR_EPS);
    // the side site sends it the long way round
    assert_true(cri_wrap_path(&w, a, b, origin, upright, 1, cylinder == 1, below));
    assert_close(w.length, 2 * CR_PI - beta - 2 * turn, 10 * CR_EPS);
    assert_true(w.point[0][1] < 0);
  }
}

TEST(touches_at_a_tangent) {
  cr_random r = cr_random_seed(1, 1);
  int around = 0, inside = 0;
  for (int i = 0; i < 3000; i++) {
    cr_real end[2][3], side[3];
    for (int k = 0; k < 3; k++) {
      end[0][k] = cr_random_normal(&r);
      end[1][k] = cr_random_normal(&r);
      side[k] = cr_random_normal(&r) * (i % 2 == 0 ? 1 : CR_R(0.1));
    }
    cri_wrap w;
    bool cylinder = i % 4 < 2;
    if (!cri_wrap_path(&w, end[0], end[1], origin, upright, CR_R(0.6), cylinder, side)) {
      continue;
    }
    cr_real lean[2], slope[2];
    for (int k = 0; k < 2; k++) {
      cr_real e[3], n[3];
      cr_copy3(n, w.point[k]);
      n[2] = cylinder ? 0 : n[2];
      assert_close(cr_norm3(n), CR_R(0.6), 100 * CR_EPS);
      cr_scl3(n, n, 1 / CR_R(0.6));
      cr_sub3(e, end[k], w.point[k]);
      cr_scl3(e, e, 1 / cr_norm3(e));
      lean[k] = cr_dot3(e, n);
      slope[k] = e[2];
    }
    if (w.branch < CR_WRAP_INSIDE) {
      // along the surface, and rising alike on both sides of it
      assert_close(lean[0], 0, CR_R(1e-7));
      assert_close(lean[1], 0, CR_R(1e-7));
      around++;
    } else {
      // reflected, as far as Newton's method goes
      assert_close(lean[0], lean[1], CR_R(1e-5));
      assert_close(w.length, 0, 0);
      inside++;
    }
    if (cylinder) {
      assert_close(slope[0], -slope[1], CR_R(1e-5));
    }
  }
  assert_true(around > 300 && inside > 300);
}

// the path again from what was kept of it: to the last digit, with all that its derivatives read
TEST(recalls_what_it_kept) {
  cr_random r = cr_random_seed(2, 1);
  const cr_real pos[3] = {CR_R(0.1), CR_R(-0.2), CR_R(0.05)};
  cr_real quat[4] = {CR_R(0.8), CR_R(0.2), CR_R(-0.4), CR_R(0.4)}, mat[9];
  cr_quat_normalize(quat);
  cr_quat_to_mat(mat, quat);
  int wraps[2] = {0};
  for (int i = 0; i < 400; i++) {
    cr_real end[2][3], side[3], tan[4][3], mat_tan[9], kept[CR_WRAP_KEPT];
    cr_real point_tan[2][2][3], length_tan[2];
    for (int k = 0; k < 3; k++) {
      end[0][k] = cr_random_normal(&r);
      end[1][k] = cr_random_normal(&r);
      side[k] = cr_random_normal(&r) * (i % 2 == 0 ? 1 : CR_R(0.1));
    }
    for (int k = 0; k < 12; k++) {
      tan[k / 3][k % 3] = cr_random_normal(&r);
    }
    cr_rot_tan(mat_tan, tan[3], mat);
    cri_wrap w, again;
    bool cylinder = i % 4 < 2;
    if (!cri_wrap_path(&w, end[0], end[1], pos, mat, CR_R(0.6), cylinder, side)) {
      continue;
    }
    cri_wrap_keep(&w, kept);
    cri_wrap_recall(&again, end[0], end[1], pos, mat, CR_R(0.6), cylinder, w.branch, kept);
    for (int k = 0; k < 6; k++) {
      assert_true(w.point[k / 3][k % 3] == again.point[k / 3][k % 3]);
    }
    assert_true(w.length == again.length);
    cri_wrap_path_tan(&w, tan[0], tan[1], tan[2], mat_tan, 1, point_tan[0], &length_tan[0]);
    cri_wrap_path_tan(&again, tan[0], tan[1], tan[2], mat_tan, 1, point_tan[1], &length_tan[1]);
    for (int k = 0; k < 6; k++) {
      assert_true(point_tan[0][k / 3][k % 3] == point_tan[1][k / 3][k % 3]);
    }
    assert_true(length_tan[0] == length_tan[1]);
    wraps[w.branch >= CR_WRAP_INSIDE]++;
  }
  assert_true(wraps[0] > 40 && wraps[1] > 40);
}

// nothing of this may give NaN, or wrap
TEST(degenerate_paths_are_straight) {
  const cr_real a[3] = {2, 0, 0}, b[3] = {0, 2, 0}, in[3] = {CR_R(0.1), 0, 0};
  const cr_real side[3] = {CR_R(0.2), 0, CR_R(0.1)};
  cri_wrap w;
  for (int cylinder = 0; cylinder < 2; cylinder++) {
    bool c = cylinder == 1;
    assert_false(cri_wrap_path(&w, a, a, origin, upright, 1, c, NULL));
    assert_false(cri_wrap_path(&w, origin, b, origin, upright, 1, c, NULL));
    assert_false(cri_wrap_path(&w, in, b, origin, upright, 1, c, NULL));
    assert_false(cri_wrap_path(&w, a, in, origin, upright, 1, c, side));
    assert_false(cri_wrap_path(&w, a, b, origin, upright, 0, c, NULL));
    assert_int_equal(w.branch, CR_WRAP_NOT);
  }
}

// ends and centre on a line: any plane will do, and the half circle is the length
TEST(collinear_ends_go_half_around) {
  const cr_real a[3] = {0, 0, 3}, b[3] = {0, 0, -2}, zero[9] = {0};
  cri_wrap w;
  assert_true(cri_wrap_path(&w, a, b, origin, upright, 1, false, NULL));
  assert_close(w.length, CR_PI - cr_acos(CR_R(1.0) / 3) - cr_acos(CR_R(0.5)), 10 * CR_EPS);
  cr_real move[3] = {1, 0, 0}, point_tan[2][3], length_tan;
  cri_wrap_path_tan(&w, move, move, move, zero, 0, point_tan, &length_tan);
  assert_close(length_tan, 0, 10 * CR_EPS);
  assert_close(point_tan[0][0], 1, 10 * CR_EPS);
}

// a larger geom: the length on it grows with the radius by its angle, and what leaves it shrinks
TEST(the_radius_stretches_by_the_angle) {
  const cr_real a[3] = {-2, CR_R(0.3), 0}, b[3] = {2, CR_R(0.3), 0};
  const cr_real zero[9] = {0};
  cri_wrap w;
  cr_real point_tan[2][3], length_tan, e[3], whole = 0;
  assert_true(cri_wrap_path(&w, a, b, origin, upright, 1, false, NULL));
  cri_wrap_path_tan(&w, zero, zero, zero, zero, 1, point_tan, &length_tan);
  for (int k = 0; k < 2; k++) {
    cr_sub3(e, w.point[k], k == 0 ? a : b);
    whole += cr_dot3(e, point_tan[k]) / cr_norm3(e);
  }
  assert_close(whole + length_tan, w.length, 100 * CR_EPS);
}
