// SPDX-License-Identifier: Apache-2.0
// Spheres, capsules, cylinders: distances against search and closed forms, the special positions,
// derivatives.
#include "geometry/sphere_capsule.h"

#include "checks/pair_check.h"
#include "support/close.h"

#define TOLERANCE (256 * CR_EPS)

static const cr_pair SPHERE_SPHERE = {cri_sphere_sphere, cri_axes_tan, cri_axes_bar};
static const cr_pair SPHERE_CAPSULE = {cri_sphere_capsule, cri_axes_tan, cri_axes_bar};
static const cr_pair CAPSULE_CAPSULE = {cri_capsule_capsule, cri_axes_tan, cri_axes_bar};
static const cr_pair SPHERE_CYLINDER = {cri_sphere_cylinder, cri_sphere_cylinder_tan,
                                        cri_sphere_cylinder_bar};

static const cr_real X_AXIS[3] = {1, 0, 0}, Y_AXIS[3] = {0, 1, 0};

// distance from p to the axis of a capsule
static cr_real to_axis(const solid* capsule, const cr_real p[3]) {
  cr_real dif[3], axis[3];
  cr_sub3(dif, p, capsule->pos);
  cr_col3(axis, capsule->mat, 2);
  cr_accscl3(dif, axis, -cr_clip(cr_dot3(axis, dif), -capsule->size[1], capsule->size[1]));
  return cr_norm3(dif);
}

// distance between two axes: that from a point of the first is convex in its place, so thirds close
// in on the least
static cr_real between_axes(const solid* a, const solid* b) {
  cr_real low = -a->size[1], high = a->size[1], axis[3];
  cr_col3(axis, a->mat, 2);
  for (int i = 0; i < 200; i++) {
    cr_real third = (high - low) / 3, p[3], q[3];
    cr_copy3(p, a->pos);
    cr_accscl3(p, axis, low + third);
    cr_copy3(q, a->pos);
    cr_accscl3(q, axis, high - third);
    if (to_axis(b, p) < to_axis(b, q)) {
      high -= third;
    } else {
      low += third;
    }
  }
  cr_real p[3];
  cr_copy3(p, a->pos);
  cr_accscl3(p, axis, (low + high) / 2);
  return to_axis(b, p);
}

TEST(sphere_sphere_is_the_distance_of_the_centres) {
  solid a = solid_at(1, 0, 0, CR_R(0.5), 0, 0), b = solid_at(1, CR_R(1.25), 0, 1, 0, 0);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&SPHERE_SPHERE, &a, &b, 0, hit), 1);
  assert_close(hit[0].dist, CR_R(-0.25), TOLERANCE);
  assert_close(hit[0].normal[1], 1, TOLERANCE);
  assert_close(hit[0].pos[1], CR_R(0.375), TOLERANCE);
  assert_int_equal(solid_hits(&SPHERE_SPHERE, &a, &b, CR_R(-0.3), hit), 0);
  b.pos[1] = 2;
  assert_int_equal(solid_hits(&SPHERE_SPHERE, &a, &b, CR_R(0.4), hit), 0);
}

TEST(sphere_capsule_is_the_distance_to_the_axis) {
  cr_random r = cr_random_seed(1, 0);
  bool seen[3] = {false, false, false};
  for (int i = 0; i < 100; i++) {
    solid a = solid_random(&r, CR_R(0.1), 1, 1), b = solid_random(&r, CR_R(0.1), 1, 1);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&SPHERE_CAPSULE, &a, &b, 10, hit), 1);
    assert_close(hit[0].dist, to_axis(&b, a.pos) - a.size[0] - b.size[0], TOLERANCE);
    seen[hit[0].feature[1] + 1] = true;
  }
  assert_true(seen[0] && seen[1] && seen[2]);
}

TEST(capsule_capsule_is_the_distance_of_the_axes) {
  cr_random r = cr_random_seed(2, 0);
  bool seen[9] = {false};
  for (int i = 0; i < 300; i++) {
    solid a = solid_random(&r, CR_R(0.1), 1, 1), b = solid_random(&r, CR_R(0.1), 1, 1);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 10, hit), 1);

    // the search is good to the root of the precision where the axes cross at a small distance
    assert_close(hit[0].dist + a.size[0] + b.size[0], between_axes(&a, &b), cr_sqrt(CR_EPS));

    // the contact is halfway between two points of the surfaces
    cr_real on_a[3], on_b[3];
    hit_points(&hit[0], on_a, on_b);
    assert_close(to_axis(&a, on_a), a.size[0], cr_sqrt(CR_EPS) + (hit[0].local[5] < CR_R(1e-3)));
    seen[3 * hit[0].feature[0] + hit[0].feature[1] + 4] = true;
  }
  for (int k = 0; k < 9; k++) {
    assert_true(seen[k]);
  }
}

TEST(parallel_capsules_touch_at_the_ends_of_their_overlap) {
  solid a = solid_at(0, 0, 0, CR_R(0.2), 1, 0),
        b = solid_at(CR_R(0.3), 0, CR_R(0.5), CR_R(0.2), 1, 0);
  cr_hit hit[CR_MAX_HITS];
  for (int flip = 0; flip < 2; flip++) {
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 0, hit), 2);
    assert_close(hit[0].dist, CR_R(-0.1), TOLERANCE);
    assert_close(hit[1].dist, CR_R(-0.1), TOLERANCE);
    assert_close(hit[0].pos[2], CR_R(-0.5), TOLERANCE);
    assert_close(hit[1].pos[2], 1, TOLERANCE);
    solid_turn(&b, X_AXIS, CR_PI);
  }

  // tilted by more than 1e-4 they touch once, by less still twice
  solid_turn(&b, Y_AXIS, CR_R(0.9e-4));
  assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 0, hit), 2);
  solid_turn(&b, Y_AXIS, CR_R(0.2e-4));
  assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 0, hit), 1);
}

TEST(capsules_in_line_touch_at_their_ends) {
  solid a = solid_at(0, 0, 0, CR_R(0.2), 1, 0), b = solid_at(0, 0, CR_R(2.3), CR_R(0.2), 1, 0);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 0, hit), 2);
  for (int i = 0; i < 2; i++) {
    assert_close(hit[i].dist, CR_R(-0.1), TOLERANCE);
    assert_close(hit[i].normal[2], 1, TOLERANCE);
    assert_close(hit[i].pos[2], CR_R(1.15), TOLERANCE);
  }
}

TEST(capsule_without_length_is_a_sphere) {
  cr_random r = cr_random_seed(3, 0);
  for (int i = 0; i < 20; i++) {
    solid a = solid_random(&r, CR_R(0.1), 1, 1), b = solid_random(&r, CR_R(0.1), 1, 1);
    cr_hit as_capsule[CR_MAX_HITS], as_sphere[CR_MAX_HITS];
    a.size[1] = 0;
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 10, as_capsule), 1);
    assert_int_equal(solid_hits(&SPHERE_CAPSULE, &a, &b, 10, as_sphere), 1);
    assert_close(as_capsule[0].dist, as_sphere[0].dist, TOLERANCE);
    assert_all_close(as_capsule[0].pos, as_sphere[0].pos, 3, TOLERANCE);
    b.size[1] = 0;
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 10, as_capsule), 1);
    assert_int_equal(solid_hits(&SPHERE_SPHERE, &a, &b, 10, as_sphere), 1);
    assert_close(as_capsule[0].dist, as_sphere[0].dist, TOLERANCE);
  }
}

// signed distance from p to the surface of a solid cylinder
static cr_real to_cylinder(const solid* c, const cr_real p[3]) {
  cr_real dif[3], local[3];
  cr_sub3(dif, p, c->pos);
  cr_multmat3(local, c->mat, dif);
  cr_real across = cr_sqrt(local[0] * local[0] + local[1] * local[1]) - c->size[0];
  cr_real along = cr_abs(local[2]) - c->size[1];
  if (across < 0 && along < 0) {
    return cr_max(across, along);
  }
  cr_real x = cr_max(across, 0), y = cr_max(along, 0);
  return cr_sqrt(x * x + y * y);
}

TEST(sphere_cylinder_is_the_distance_to_the_surface) {
  cr_random r = cr_random_seed(4, 0);
  int seen[3] = {0, 0, 0}, inside = 0;
  for (int i = 0; i < 300; i++) {
    solid a = solid_random(&r, CR_R(0.1), 1, 1), b = solid_random(&r, CR_R(0.3), 1, CR_R(0.5));
    cr_hit hit[CR_MAX_HITS];
    cr_real gap = to_cylinder(&b, a.pos), on_a[3], on_b[3];
    assert_int_equal(solid_hits(&SPHERE_CYLINDER, &a, &b, 10, hit), 1);
    hit_points(&hit[0], on_a, on_b);
    seen[hit[0].feature[2]]++;
    inside += gap < 0;
    assert_close(hit[0].dist, gap - a.size[0], TOLERANCE);
    assert_close(to_cylinder(&b, on_b), 0, TOLERANCE);
    cr_sub3(on_a, on_a, a.pos);
    assert_close(cr_norm3(on_a), a.size[0], TOLERANCE);
  }
  assert_true(seen[0] > 20 && seen[1] > 20 && seen[2] > 20 && inside > 20);
}

TEST(sphere_on_the_axis_of_a_cylinder_has_a_normal) {
  solid a = solid_at(0, 0, 0, CR_R(0.1), 0, 0), b = solid_at(0, 0, 0, CR_R(0.3), 1, 0);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&SPHERE_CYLINDER, &a, &b, 0, hit), 1);
  assert_close(hit[0].dist, CR_R(-0.4), TOLERANCE);
  assert_close(cr_norm3(hit[0].normal), 1, TOLERANCE);
  assert_close(hit[0].local[5], 0, 0);

  // derivatives are finite, the normal held
  cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
  const cr_shape_tan a_tan = {{1, 1, 1}, {1, 1, 1}, {0}}, b_tan = {{0}, {0}, {1, 0, 0}};
  cr_hit_tan t;
  SPHERE_CYLINDER.tan(&shape_a, &shape_b, hit[0].feature, hit[0].local, &a_tan, &b_tan, &t);
  assert_close(t.dist, -1 - cr_dot3(hit[0].normal, a_tan.pos), TOLERANCE);
  assert_close(cr_norm3(t.normal), 0, 0);
}

// ---- derivatives

static void check_derivatives(const cr_pair* pair, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 0);
  pair_report report = {0};
  for (int i = 0; i < 200; i++) {
    solid a = solid_random(&r, CR_R(0.2), 1, 1), b = solid_random(&r, CR_R(0.2), 1, 1);
    pair_check(&report, pair, &a, &b, 10, &r);
  }
  pair_report_assert(&report);
}

TEST(sphere_sphere_derivatives) { check_derivatives(&SPHERE_SPHERE, 5); }
TEST(sphere_capsule_derivatives) { check_derivatives(&SPHERE_CAPSULE, 6); }
TEST(capsule_capsule_derivatives) { check_derivatives(&CAPSULE_CAPSULE, 7); }
TEST(sphere_cylinder_derivatives) { check_derivatives(&SPHERE_CYLINDER, 8); }

// axes that cross: the normal is along u x v, and turns with both, also where the centres of the balls
// differ by round-off only
TEST(crossing_capsules_derivatives) {
  cr_random r = cr_random_seed(10, 0);
  for (int i = 0; i < 50; i++) {
    solid a = solid_random(&r, CR_R(0.2), 1, 1), b = a;
    cr_real turn[3] = {a.mat[0], a.mat[3], a.mat[6]};
    solid_turn(&b, turn, CR_R(0.2) + cr_random_uniform(&r));
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 0, hit), 1);
    assert_true(hit[0].local[5] < CR_R(1e-12));

    // turning both about the crossing, which is the centre of both
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    cr_shape_tan a_tan = {{0}, {1, -2, 3}, {1, 1, 0}}, b_tan = {{0}, {-2, 1, 1}, {-1, 1, 0}};
    cr_hit_tan t;
    cri_axes_tan(&shape_a, &shape_b, hit[0].feature, hit[0].local, &a_tan, &b_tan, &t);
    cr_real u[3], v[3], n[2][3], h = CR_R(1e-5);
    for (int k = 0; k < 2; k++) {
      solid a2 = solid_moved(&a, &a_tan, k ? -h : h), b2 = solid_moved(&b, &b_tan, k ? -h : h);
      cr_col3(u, a2.mat, 2);
      cr_col3(v, b2.mat, 2);
      cr_cross3(n[k], u, v);
      cr_normalize3(n[k]);
      cr_scl3(n[k], n[k], cr_dot3(n[k], hit[0].normal) < 0 ? -1 : 1);
    }
    cr_real radii = (a.size[0] - b.size[0]) / 2;
    for (int k = 0; k < 3; k++) {
      cr_real normal_tan = (n[0][k] - n[1][k]) / (2 * h);
      cr_real tolerance = CR_R(1e-7) * (10 + normal_tan * normal_tan);
      assert_close(t.normal[k], normal_tan, tolerance);
      // pos = p + n (ra - rb)/2, p at rest; sizes move it along n
      assert_close(t.pos[k], normal_tan * radii + hit[0].normal[k], tolerance);
    }
    assert_close(t.dist, 0, CR_R(1e-12));

    // the transpose
    cr_hit_tan bar = {CR_R(0.5), {1, 2, -1}, {2, -1, 1}, {0}};
    cr_shape_tan a_bar = {{0}, {0}, {0}}, b_bar = {{0}, {0}, {0}};
    cri_axes_bar(&shape_a, &shape_b, hit[0].feature, hit[0].local, &bar, &a_bar, &b_bar);
    cr_real left = bar.dist * t.dist + cr_dot3(bar.pos, t.pos) + cr_dot3(bar.normal, t.normal);
    cr_real right = cr_dot3(a_bar.rot, a_tan.rot) + cr_dot3(b_bar.rot, b_tan.rot) +
                    cr_dot3(a_bar.size, a_tan.size) + cr_dot3(b_bar.size, b_tan.size);
    assert_close(left, right, CR_R(1e-12) * (1 + cr_abs(left)));
  }
}

TEST(parallel_capsules_derivatives) {
  cr_random r = cr_random_seed(9, 0);
  pair_report report = {0};
  for (int i = 0; i < 100; i++) {
    solid a = solid_random(&r, CR_R(0.2), 1, 1), b = solid_random(&r, CR_R(0.2), 1, 1);
    cr_real tilt[3] = {cr_random_normal(&r), cr_random_normal(&r), cr_random_normal(&r)};
    cr_copy(b.mat, a.mat, 9);
    solid_turn(&b, tilt, CR_R(0.2e-4));
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a, &b, 10, hit), 2);

    // along directions that keep them parallel
    cr_hit_tan t;
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    cr_shape_tan a_tan = {{0}, {1, 2, 3}, {1, 1, 0}}, b_tan = {{3, 2, 1}, {1, 2, 3}, {1, -1, 0}};
    cr_real h = CR_R(1e-4);
    solid a2 = solid_moved(&a, &a_tan, h), b2 = solid_moved(&b, &b_tan, h);
    solid a1 = solid_moved(&a, &a_tan, -h), b1 = solid_moved(&b, &b_tan, -h);
    cr_hit after[CR_MAX_HITS], before[CR_MAX_HITS];
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a2, &b2, 10, after), 2);
    assert_int_equal(solid_hits(&CAPSULE_CAPSULE, &a1, &b1, 10, before), 2);
    for (int k = 0; k < 2; k++) {
      if (memcmp(after[k].feature, hit[k].feature, sizeof hit[k].feature) != 0 ||
          memcmp(before[k].feature, hit[k].feature, sizeof hit[k].feature) != 0) {
        report.skipped++;
        continue;
      }
      cri_axes_tan(&shape_a, &shape_b, hit[k].feature, hit[k].local, &a_tan, &b_tan, &t);
      assert_close(t.dist, (after[k].dist - before[k].dist) / (2 * h), CR_R(1e-4));
      for (int j = 0; j < 3; j++) {
        assert_close(t.pos[j], (after[k].pos[j] - before[k].pos[j]) / (2 * h), CR_R(1e-4));
      }
      report.hits++;
    }
  }
  assert_true(report.hits > 150 && report.skipped < 20);
}
