// SPDX-License-Identifier: Apache-2.0
// A plane against each shape: contacts by hand and by brute force, rigid motions, derivatives.
#include "geometry/plane.h"

#include "checks/pair_check.h"
#include "math/quat.h"
#include "support/close.h"

#define TOLERANCE (64 * CR_EPS)

static const cr_pair SPHERE = {cri_plane_sphere, cri_plane_sphere_tan, cri_plane_sphere_bar};
static const cr_pair CAPSULE = {cri_plane_capsule, cri_plane_capsule_tan, cri_plane_capsule_bar};
static const cr_pair CYLINDER = {cri_plane_cylinder, cri_plane_cylinder_tan,
                                 cri_plane_cylinder_bar};
static const cr_pair BOX = {cri_plane_box, cri_plane_box_tan, cri_plane_box_bar};

static const cr_real X_AXIS[3] = {1, 0, 0};

// height of a point above the plane
static cr_real height(const solid* plane, const cr_real p[3]) {
  cr_real dif[3], n[3];
  cr_sub3(dif, p, plane->pos);
  cr_col3(n, plane->mat, 2);
  return cr_dot3(dif, n);
}

TEST(sphere_stands_on_its_lowest_point) {
  solid plane = solid_at(0, 0, 1, 0, 0, 0), sphere = solid_at(2, 3, CR_R(1.25), CR_R(0.5), 0, 0);
  const cr_real pos[3] = {2, 3, CR_R(0.875)}, up[3] = {0, 0, 1};
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&SPHERE, &plane, &sphere, 0, hit), 1);
  assert_close(hit[0].dist, CR_R(-0.25), TOLERANCE);
  assert_all_close(hit[0].pos, pos, 3, TOLERANCE);
  assert_all_close(hit[0].normal, up, 3, TOLERANCE);

  sphere.pos[2] = CR_R(1.75);
  assert_int_equal(solid_hits(&SPHERE, &plane, &sphere, CR_R(0.25), hit), 1);
  assert_int_equal(solid_hits(&SPHERE, &plane, &sphere, CR_R(0.24), hit), 0);
}

TEST(capsule_has_one_contact_an_end) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  solid capsule = solid_at(0, 0, CR_R(0.1), CR_R(0.2), CR_R(0.5), 0);
  cr_hit hit[CR_MAX_HITS];

  // lying along -y
  solid_turn(&capsule, X_AXIS, CR_PI / 2);
  assert_int_equal(solid_hits(&CAPSULE, &plane, &capsule, 0, hit), 2);
  for (int i = 0; i < 2; i++) {
    assert_close(hit[i].dist, CR_R(-0.1), TOLERANCE);
    assert_close(hit[i].pos[1], i == 0 ? CR_R(-0.5) : CR_R(0.5), TOLERANCE);
    assert_close(hit[i].hint[1], -1, TOLERANCE);
    assert_int_equal(hit[i].feature[0], i == 0 ? 1 : -1);
  }

  // standing: the lower end only
  capsule = solid_at(0, 0, CR_R(0.6), CR_R(0.2), CR_R(0.5), 0);
  assert_int_equal(solid_hits(&CAPSULE, &plane, &capsule, 0, hit), 1);
  assert_int_equal(hit[0].feature[0], -1);
  assert_close(hit[0].dist, CR_R(-0.1), TOLERANCE);
}

// the lowest of many points on the two rims
static cr_real lowest_rim_point(const solid* plane, const solid* cylinder) {
  cr_real lowest = CR_MAX;
  for (int i = 0; i < 2 * 3600; i++) {
    cr_real angle = CR_R(0.001) * CR_PI * (cr_real)i / CR_R(1.8), p[3];
    const cr_real local[3] = {cylinder->size[0] * cr_cos(angle), cylinder->size[0] * cr_sin(angle),
                              i % 2 ? cylinder->size[1] : -cylinder->size[1]};
    cr_mulmat3(p, cylinder->mat, local);
    cr_acc3(p, cylinder->pos);
    lowest = cr_min(lowest, height(plane, p));
  }
  return lowest;
}

TEST(cylinder_touches_with_its_lowest_points) {
  cr_random r = cr_random_seed(3, 0);
  for (int i = 0; i < 40; i++) {
    solid plane = solid_random(&r, 0, 1, 1), cylinder = solid_random(&r, CR_R(0.2), 1, 1);
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&CYLINDER, &plane, &cylinder, 10, hit);
    assert_int_equal(n, 4);

    // the first is the lowest point of all; every point is on a rim
    assert_close(hit[0].dist, lowest_rim_point(&plane, &cylinder), CR_R(4e-6));
    cr_real point[4][3];
    for (int k = 0; k < n; k++) {
      cr_real plane_point[3], dif[3], local[3];
      hit_points(&hit[k], plane_point, point[k]);
      assert_close(height(&plane, plane_point), 0, 10 * TOLERANCE);
      cr_sub3(dif, point[k], cylinder.pos);
      cr_multmat3(local, cylinder.mat, dif);
      assert_close(cr_abs(local[2]), cylinder.size[1], 10 * TOLERANCE);
      assert_close(local[0] * local[0] + local[1] * local[1], cylinder.size[0] * cylinder.size[0],
                   10 * TOLERANCE);
    }

    // first, third and fourth are the corners of an equilateral triangle
    for (int k = 0; k < 3; k++) {
      const int corner[4] = {0, 2, 3, 0};
      cr_real side[3];
      cr_sub3(side, point[corner[k]], point[corner[k + 1]]);
      assert_close(cr_norm3(side), cr_sqrt(3) * cylinder.size[0], 10 * TOLERANCE);
    }
  }
}

TEST(flat_cylinder_stands_on_a_triangle_fixed_to_it) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  solid cylinder = solid_at(0, 0, CR_R(0.4), CR_R(0.3), CR_R(0.5), 0);
  cr_hit hit[CR_MAX_HITS];
  for (int flip = 0; flip < 2; flip++) {
    assert_int_equal(solid_hits(&CYLINDER, &plane, &cylinder, 0, hit), 3);
    for (int k = 0; k < 3; k++) {
      assert_close(hit[k].dist, CR_R(-0.1), TOLERANCE);
      assert_true(hit[k].feature[2] != 0);

      // a yaw carries the contact round
      cr_shape a = solid_shape(&plane), b = solid_shape(&cylinder);
      const cr_shape_tan still = {{0}, {0}, {0}}, yaw = {{0}, {0, 0, 1}, {0}};
      const cr_real expected[3] = {-hit[k].pos[1], hit[k].pos[0], 0};
      cr_hit_tan t;
      CYLINDER.tan(&a, &b, hit[k].feature, hit[k].local, &still, &yaw, &t);
      assert_all_close(t.pos, expected, 3, TOLERANCE);
    }
    cylinder.mat[4] = cylinder.mat[8] = -1;  // upside down
  }
}

// the lowest point of a disk that is tilted, by however little, stays where it is while the cylinder turns
// about its axis; so do the two beside it
TEST(a_turn_about_its_axis_moves_no_point_of_a_tilted_cylinder) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  const cr_real tilts[] = {CR_R(1e-12), CR_R(1e-9), CR_R(1e-7), CR_R(1e-2)}, x[3] = {1, 0, 0};
  for (int i = 0; i < 4; i++) {
    solid cylinder = solid_at(0, 0, CR_R(0.4), CR_R(0.3), CR_R(0.5), 0);
    solid_turn(&cylinder, x, tilts[i]);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&CYLINDER, &plane, &cylinder, 0, hit), 3);
    cr_shape a = solid_shape(&plane), b = solid_shape(&cylinder);
    const cr_shape_tan still = {{0}, {0}, {0}};
    cr_shape_tan turn = {{0}, {0}, {0}};
    cr_col3(turn.rot, cylinder.mat, 2);
    for (int k = 0; k < 3; k++) {
      const cr_real nothing[3] = {0, 0, 0};
      cr_hit_tan t;
      CYLINDER.tan(&a, &b, hit[k].feature, hit[k].local, &still, &turn, &t);
      assert_all_close(t.pos, nothing, 3, CR_R(1e-5) / tilts[i] * CR_EPS + TOLERANCE);

      // a tilt, and its transpose
      const cr_shape_tan tilt = {{0}, {CR_R(0.3), CR_R(-0.7), CR_R(0.2)}, {0}};
      const cr_hit_tan bar = {.pos = {1, 2, 3}};
      cr_shape_tan a_bar = still, b_bar = still;
      CYLINDER.tan(&a, &b, hit[k].feature, hit[k].local, &still, &tilt, &t);
      CYLINDER.bar(&a, &b, hit[k].feature, hit[k].local, &bar, &a_bar, &b_bar);
      assert_close(cr_dot3(b_bar.rot, tilt.rot), cr_dot3(bar.pos, t.pos),
                   (1 + CR_R(1e-5) / tilts[i]) * 100 * CR_EPS * (1 + cr_norm3(t.pos)));
    }
  }
}

// however little it is tilted: heights of the rim from the sine of the tilt, which the third row of the
// pose holds to all digits
TEST(nearly_flat_cylinder_keeps_its_digits) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  const cr_real r = CR_R(0.3), half = CR_R(0.5);
  int points = 0;
  for (int k = 0; k < 200; k++) {
    const cr_real turn[3] = {0, 0, 1}, tilt[3] = {cr_cos((cr_real)k), cr_sin((cr_real)k), 0};
    cr_real angle = cr_exp((cr_real)(-k) / 5);  // to 1e-17
    solid cylinder = solid_at(0, 0, CR_R(0.4), r, half, 0);
    solid_turn(&cylinder, turn, (cr_real)(7 * k));
    solid_turn(&cylinder, tilt, k % 2 == 0 ? angle : CR_PI - angle);
    const cr_real* low = cylinder.mat + 6;
    cr_real sine = cr_sqrt(low[0] * low[0] + low[1] * low[1]);
    cr_real base = CR_R(0.4) - half * cr_abs(low[2]);
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&CYLINDER, &plane, &cylinder, 1, hit);
    for (int i = 0; i < n; i++) {
      bool below = hit[i].feature[0] != 1, first = hit[i].feature[0] < 2;
      cr_real expected = base + (below ? 0 : 2 * half * cr_abs(low[2]));
      expected += r * sine * (first ? -1 : CR_R(0.5));
      bool fixed = sine < 2 * CR_MINVAL;  // then it may be any place of the rim
      assert_close(hit[i].dist, expected, fixed ? 4 * CR_MINVAL : 8 * CR_EPS);
      points++;
    }
  }
  assert_true(points > 600);
}

TEST(box_touches_with_up_to_four_corners) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  solid box = solid_at(0, 0, CR_R(0.25), 1, 2, CR_R(0.5));
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&BOX, &plane, &box, 0, hit), 4);
  for (int i = 0; i < 4; i++) {
    const cr_real pos[3] = {i & 1 ? 1 : -1, i & 2 ? 2 : -2, CR_R(-0.125)};
    assert_int_equal(hit[i].feature[0], i);
    assert_close(hit[i].dist, CR_R(-0.25), TOLERANCE);
    assert_all_close(hit[i].pos, pos, 3, TOLERANCE);
  }

  // on an edge, on a corner, too high
  solid_turn(&box, X_AXIS, CR_R(0.5));
  box.pos[2] = CR_R(1.2);
  assert_int_equal(solid_hits(&BOX, &plane, &box, 0, hit), 2);
  const cr_real diagonal[3] = {1, -1, CR_R(0.1)};
  solid_turn(&box, diagonal, CR_R(0.2));
  box.pos[2] = cr_abs(box.mat[6]) + 2 * cr_abs(box.mat[7]) + cr_abs(box.mat[8]) / 2 - CR_R(0.01);
  assert_int_equal(solid_hits(&BOX, &plane, &box, 0, hit), 1);
  box.pos[2] = 3;
  assert_int_equal(solid_hits(&BOX, &plane, &box, 0, hit), 0);
}

TEST(deepest_corner_is_listed) {
  cr_random r = cr_random_seed(4, 0);
  for (int i = 0; i < 200; i++) {
    solid plane = solid_random(&r, 0, 1, 1), box = solid_random(&r, CR_R(0.2), 1, 1);
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&BOX, &plane, &box, 10, hit);
    cr_real deepest = CR_MAX, n_local[3], up[3];
    for (int k = 0; k < n; k++) {
      deepest = cr_min(deepest, hit[k].dist);
      assert_true(k == 0 || hit[k].feature[0] > hit[k - 1].feature[0]);
    }
    cr_col3(up, plane.mat, 2);
    cr_multmat3(n_local, box.mat, up);
    cr_real support = cr_abs(n_local[0]) * box.size[0] + cr_abs(n_local[1]) * box.size[1] +
                      cr_abs(n_local[2]) * box.size[2];
    // four corners of eight are not above the centre, and the deepest is among them
    assert_int_equal(n, 4);
    assert_close(deepest, height(&plane, box.pos) - support, 10 * TOLERANCE);
  }
}

TEST(contacts_move_with_the_scene) {
  const cr_pair* pairs[] = {&SPHERE, &CAPSULE, &CYLINDER, &BOX};
  cr_random r = cr_random_seed(5, 0);
  for (int i = 0; i < 80; i++) {
    solid a = solid_random(&r, 0, 1, CR_R(0.5)), b = solid_random(&r, CR_R(0.2), 1, CR_R(0.5));
    solid by = solid_random(&r, 0, 1, 2), a2 = solid_carried(&a, &by), b2 = solid_carried(&b, &by);
    cr_hit hit[CR_MAX_HITS], moved[CR_MAX_HITS];
    int n = solid_hits(pairs[i % 4], &a, &b, CR_R(0.1), hit);
    assert_int_equal(solid_hits(pairs[i % 4], &a2, &b2, CR_R(0.1), moved), n);
    for (int k = 0; k < n; k++) {
      cr_real pos[3], normal[3], hint[3];
      cr_mulmat3(pos, by.mat, hit[k].pos);
      cr_acc3(pos, by.pos);
      cr_mulmat3(normal, by.mat, hit[k].normal);
      cr_mulmat3(hint, by.mat, hit[k].hint);
      assert_close(moved[k].dist, hit[k].dist, 100 * TOLERANCE);
      for (int j = 0; j < 3; j++) {
        assert_close(moved[k].pos[j], pos[j], 100 * TOLERANCE);
        assert_close(moved[k].normal[j], normal[j], 100 * TOLERANCE);
        assert_close(moved[k].hint[j], hint[j], 100 * TOLERANCE);
      }
    }
  }
}

static void check_derivatives(const cr_pair* pair, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 0);
  pair_report report = {0};
  for (int i = 0; i < 100; i++) {
    solid plane = solid_random(&r, 0, 1, CR_R(0.5)), b = solid_random(&r, CR_R(0.2), 1, CR_R(0.5));
    pair_check(&report, pair, &plane, &b, CR_R(0.5), &r);
  }
  pair_report_assert(&report);
}

TEST(plane_sphere_derivatives) { check_derivatives(&SPHERE, 6); }
TEST(plane_capsule_derivatives) { check_derivatives(&CAPSULE, 7); }
TEST(plane_cylinder_derivatives) { check_derivatives(&CYLINDER, 8); }
TEST(plane_box_derivatives) { check_derivatives(&BOX, 9); }
