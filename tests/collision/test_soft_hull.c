// SPDX-License-Identifier: Apache-2.0
// Soft contacts of corners: against the published selection of four corners, written out with its
// large numbers; the displaced surface; derivatives.
#include "collision/soft_hull.h"

#include "checks/pair_check.h"
#include "math/quat.h"
#include "model/model.h"
#include "scenes/hulls.h"
#include "support/close.h"

static const cr_pair PAIR = {cri_soft_plane_hull, cri_soft_plane_hull_tan, cri_soft_plane_hull_bar};

// ---- the published formulas, with arrays

enum { MOST = 2 * HULL_VERTICES };

static cr_real step(cr_real x) { return 1 / (1 + cr_exp(-x)); }

static void soft_argmax(const cr_real* x, int n, cr_real s, cr_real* w) {
  cr_real mean = 0, square = 0, total = 0;
  for (int i = 0; i < n; i++) {
    mean += x[i] / (cr_real)n;
  }
  for (int i = 0; i < n; i++) {
    square += (x[i] - mean) * (x[i] - mean) / (cr_real)n;
  }
  for (int i = 0; i < n; i++) {
    w[i] = cr_exp(step((x[i] - mean) / cr_sqrt(square + CR_R(1e-6))) / s);
    total += w[i];
  }
  for (int i = 0; i < n; i++) {
    w[i] /= total;
  }
}

static void pick(const cr_real* logits, const cr_real* v, int n, cr_real s, cr_real p[3]) {
  cr_real w[MOST];
  soft_argmax(logits, n, s, w);
  cr_zero3(p);
  for (int i = 0; i < n; i++) {
    cr_accscl3(p, v + 3 * i, w[i]);
  }
}

static cr_real triangle(const cr_real a[3], const cr_real b[3], const cr_real v[3],
                        const cr_real n[3]) {
  cr_real ab[3], av[3], side[3];
  cr_sub3(ab, a, b);
  cr_cross3(side, n, ab);
  cr_sub3(av, a, v);
  return cr_abs(cr_dot3(av, side));
}

// the four points, each found with those before it
static void published(const cr_real* v, int n, const cr_real o[3], const cr_real normal[3],
                      cr_real s, cr_real point[4][3]) {
  cr_real depth[MOST] = {0}, w[MOST], far[MOST] = {0}, L[MOST] = {0}, logits[MOST] = {0}, most = 0;
  for (int i = 0; i < n; i++) {
    cr_real arm[3];
    cr_sub3(arm, o, v + 3 * i);
    depth[i] = cr_dot3(arm, normal);
  }
  soft_argmax(depth, n, s, w);
  for (int i = 0; i < n; i++) {
    most += w[i] * depth[i];
  }
  cr_real threshold = s * cr_log1p(cr_exp((most - CR_R(1e-3)) / s));
  for (int i = 0; i < n; i++) {
    L[i] = CR_R(-1e6) * (1 - step((depth[i] - threshold + CR_R(1e-10)) / s));
  }
  pick(L, v, n, s, point[0]);
  for (int i = 0; i < n; i++) {
    cr_real arm[3];
    cr_sub3(arm, point[0], v + 3 * i);
    far[i] = cr_dot3(arm, arm) + L[i];
  }
  pick(far, v, n, s, point[1]);
  for (int i = 0; i < n; i++) {
    logits[i] = triangle(point[0], point[1], v + 3 * i, normal) + L[i];
  }
  pick(logits, v, n, s, point[2]);
  for (int i = 0; i < n; i++) {
    logits[i] = triangle(point[0], point[2], v + 3 * i, normal) +
                triangle(point[1], point[2], v + 3 * i, normal) + 2 * L[i];
  }
  pick(logits, v, n, s, point[3]);
}

static int corners(const solid* b, cr_real* v) {
  int n = b->hull == NULL ? 8 : b->hull->nvert;
  for (int i = 0; i < n; i++) {
    cr_real x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = b->hull == NULL ? (i >> k & 1 ? b->size[k] : -b->size[k]) : b->hull->vert[3 * i + k];
    }
    cr_mulmat3(v + 3 * i, b->mat, x);
    cr_acc3(v + 3 * i, b->pos);
  }
  return n;
}

static void compare(const solid* plane, const solid* b, cr_real alike) {
  cr_real v[3 * MOST] = {0}, n[3], point[4][3], arm[3], expected[3];
  cr_hit hit[CR_MAX_HITS];
  cr_col3(n, plane->mat, 2);
  published(v, corners(b, v), plane->pos, n, b->softness, point);
  assert_int_equal(solid_hits(&PAIR, plane, b, CR_MAX, hit), 4);
  for (int i = 0; i < 4; i++) {
    cr_sub3(arm, point[i], plane->pos);
    cr_real dist = cr_dot3(arm, n);
    cr_copy3(expected, point[i]);
    cr_accscl3(expected, n, -dist / 2);
    // the other three are the first, as far as 1e6 hides what tells them apart
    cr_real tolerance = i == 0 ? CR_R(1e-9) : alike;
    assert_close(hit[i].dist, dist, tolerance);
    assert_all_close(hit[i].pos, expected, 3, tolerance);
  }
}

TEST(is_the_published_contact) {
  cr_random r = cr_random_seed(11, 0);
  hull_store store;
  for (int i = 0; i < 60; i++) {
    solid plane = solid_random(&r, 0, 1, CR_R(0.5)), b = solid_random(&r, CR_R(0.05), 1, 1);
    b.softness = i % 2 ? CR_R(0.1) : cr_random_range(&r, CR_R(0.05), 1);
    b.type = CR_GEOM_BOX;
    if (i % 3 == 0) {
      hull_prism(&store, 3 + i % 7, CR_R(0.3), CR_R(0.4));
      b.type = CR_GEOM_MESH;
      b.hull = &store.hull;
    }
    compare(&plane, &b, CR_R(1e-2));
  }
}

// of the size and the softness published, the four points differ by less than is seen
TEST(four_are_one) {
  cr_random r = cr_random_seed(13, 0);
  for (int i = 0; i < 60; i++) {
    solid plane = solid_random(&r, 0, 1, CR_R(0.5)), b = solid_random(&r, CR_R(0.05), CR_R(0.1), 1);
    cr_real n[3], height = cr_random_range(&r, CR_R(-0.01), CR_R(0.1));
    cr_col3(n, plane.mat, 2);
    cr_copy3(b.pos, plane.pos);
    cr_accscl3(b.pos, n, height);
    b.softness = CR_R(0.1);
    b.type = CR_GEOM_BOX;
    compare(&plane, &b, CR_R(1e-6));
  }
}

// where the surface of a cube of 100 mm is, by how far a contact is from where it should be
TEST(surface_lies_inside) {
  const cr_real half = CR_R(0.05), root2 = cr_sqrt(2), root3 = cr_sqrt(3);
  const cr_real x[3] = {1, 0, 0}, corner[3] = {1, -1, 0};
  solid plane = solid_at(0, 0, 0, 0, 0, 0), cube = solid_at(0, 0, half, half, half, half);
  cr_hit hit[CR_MAX_HITS];
  cube.type = CR_GEOM_BOX;
  cube.softness = CR_R(0.1);

  solid_hits(&PAIR, &plane, &cube, CR_MAX, hit);
  assert_close(hit[0].dist, CR_R(0.0010), CR_R(0.00005));
  solid edge = cube;
  edge.pos[2] = root2 * half;
  solid_turn(&edge, x, CR_PI / 4);
  solid_hits(&PAIR, &plane, &edge, CR_MAX, hit);
  assert_close(hit[0].dist, CR_R(0.0040), CR_R(0.00005));
  solid tip = cube;
  tip.pos[2] = root3 * half;
  solid_turn(&tip, corner, cr_atan2(root2, 1));
  solid_hits(&PAIR, &plane, &tip, CR_MAX, hit);
  assert_close(hit[0].dist, CR_R(0.0114), CR_R(0.00005));

  // at 5 degrees the point is only a fifth of the way to the edge
  solid tilted = cube;
  solid_turn(&tilted, x, 5 * CR_PI / 180);
  tilted.pos[2] = half * (cr_cos(5 * CR_PI / 180) + cr_sin(5 * CR_PI / 180));
  solid_hits(&PAIR, &plane, &tilted, CR_MAX, hit);
  cr_real on_plane[3], on_cube[3], arm[3], in_cube[3];
  hit_points(&hit[0], on_plane, on_cube);
  cr_sub3(arm, on_cube, tilted.pos);
  cr_multmat3(in_cube, tilted.mat, arm);
  assert_close(cr_abs(in_cube[1]), CR_R(0.0105), CR_R(0.00005));
}

TEST(is_listed_within_the_margin) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0), cube = solid_at(0, 0, 1, 1, 1, 1);
  cr_hit hit[CR_MAX_HITS];
  cube.softness = CR_R(0.1);
  cube.type = CR_GEOM_BOX;
  solid_hits(&PAIR, &plane, &cube, CR_MAX, hit);
  cr_real dist = hit[0].dist;
  assert_int_equal(solid_hits(&PAIR, &plane, &cube, dist, hit), 4);
  assert_int_equal(solid_hits(&PAIR, &plane, &cube, dist * CR_R(0.999), hit), 0);
}

TEST(derivatives) {
  cr_random r = cr_random_seed(12, 0);
  pair_report report = {0};
  hull_store store;
  for (int i = 0; i < 100; i++) {
    solid plane = solid_random(&r, 0, 1, CR_R(0.5)), b = solid_random(&r, CR_R(0.2), 1, CR_R(0.5));
    b.softness = cr_random_range(&r, CR_R(0.1), 1);
    b.type = CR_GEOM_BOX;
    if (i % 2 == 0) {
      hull_prism(&store, 3 + i % 6, CR_R(0.5), CR_R(0.4));
      b.type = CR_GEOM_MESH;
      b.hull = &store.hull;
    }
    pair_check(&report, &PAIR, &plane, &b, CR_R(0.5), &r);
  }
  pair_report_assert(&report);
}
