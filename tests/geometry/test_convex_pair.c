// SPDX-License-Identifier: Apache-2.0
// The general pair: against the closed formulas of the pairs that have some, against balls, in the
// degenerate poses, and its derivatives for all pairs of types.
#include "geometry/convex_pair.h"

#include "checks/pair_check.h"
#include "geometry/box.h"
#include "geometry/box_box.h"
#include "geometry/sphere_capsule.h"
#include "model/model.h"
#include "scenes/hulls.h"
#include "support/close.h"

#define TOLERANCE CR_R(1e-11)

static const cr_pair CONVEX = {cri_convex_pair, cri_convex_pair_tan, cri_convex_pair_bar};

static solid random_of(cr_random* r, int32_t type, cr_real reach) {
  solid s = solid_random(r, CR_R(0.2), CR_R(0.6), reach);
  s.type = type;
  return s;
}

// the general pair finds what a closed formula finds
static void agrees(cr_pair_detect* closed, int32_t type_a, int32_t type_b, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 0);
  for (int i = 0; i < 2000; i++) {
    solid a = random_of(&r, type_a, CR_R(0.6)), b = random_of(&r, type_b, CR_R(0.6));
    cr_hit hit[CR_MAX_HITS], found[CR_MAX_HITS];
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    assert_int_equal(closed(&shape_a, &shape_b, 10, hit), 1);
    assert_int_equal(cri_convex_pair(&shape_a, &shape_b, 10, found), 1);
    assert_close(found[0].dist, hit[0].dist, TOLERANCE);
    for (int k = 0; k < 3; k++) {
      assert_close(found[0].normal[k], hit[0].normal[k], CR_R(1e-8));
      assert_close(found[0].pos[k], hit[0].pos[k], CR_R(1e-8));
    }
  }
}

TEST(agrees_with_sphere_box) { agrees(cri_sphere_box, CR_GEOM_SPHERE, CR_GEOM_BOX, 1); }
TEST(agrees_with_sphere_cylinder) {
  agrees(cri_sphere_cylinder, CR_GEOM_SPHERE, CR_GEOM_CYLINDER, 2);
}
TEST(agrees_with_sphere_capsule) { agrees(cri_sphere_capsule, CR_GEOM_SPHERE, CR_GEOM_CAPSULE, 3); }

// an ellipsoid with equal sizes is a sphere
TEST(round_ellipsoid_is_a_sphere) {
  cr_random r = cr_random_seed(4, 0);
  const int32_t type[3] = {CR_GEOM_CAPSULE, CR_GEOM_CYLINDER, CR_GEOM_BOX};
  for (int i = 0; i < 600; i++) {
    solid ball = random_of(&r, CR_GEOM_SPHERE, CR_R(0.7));
    solid other = random_of(&r, type[i % 3], CR_R(0.7)), round = ball;
    round.type = CR_GEOM_ELLIPSOID;
    round.size[1] = round.size[2] = round.size[0];
    bool first = other.type > CR_GEOM_ELLIPSOID;
    cr_hit hit[CR_MAX_HITS], found[CR_MAX_HITS];
    cr_shape s = solid_shape(&ball), e = solid_shape(&round), o = solid_shape(&other);
    assert_int_equal(cri_convex_pair(&s, &o, 10, hit), 1);
    assert_int_equal(
        first ? cri_convex_pair(&e, &o, 10, found) : cri_convex_pair(&o, &e, 10, found), 1);
    assert_close(found[0].dist, hit[0].dist, CR_R(1e-9));
    for (int k = 0; k < 3; k++) {
      assert_close(found[0].normal[k], first ? hit[0].normal[k] : -hit[0].normal[k], CR_R(1e-6));
      assert_close(found[0].pos[k], hit[0].pos[k], CR_R(1e-6));
    }
  }
}

// numbers are finite and normals of unit length; a single distance is that along its normal, several
// are cut by the rim of a face, tilted by up to 5 degrees; and no other of some directions parts the
// shapes sooner
static void assert_sane(const cr_shape* a, const cr_shape* b) {
  cr_hit hit[CR_MAX_HITS];
  int n = cri_convex_pair(a, b, 100, hit);
  assert_in_range(n, 1, 4);
  int deepest = 0;
  for (int i = 0; i < n; i++) {
    assert_true(isfinite(hit[i].dist));
    assert_close(cr_norm3(hit[i].normal), 1, CR_R(1e-12));
    for (int k = 0; k < 3; k++) {
      assert_true(isfinite(hit[i].pos[k]));
    }
    deepest = hit[i].dist < hit[deepest].dist ? i : deepest;
  }
  cr_real dist = hit[deepest].dist;
  cr_real cut = dist + cri_convex_depth(a, b, hit[deepest].normal), rim = n > 1 ? CR_R(0.1) : 0;
  assert_true(cut >= -CR_R(1e-9) && cut <= rim + CR_R(1e-9));
  cr_random r = cr_random_seed(1, 0);
  for (int i = 0; i < 30; i++) {
    cr_real along[3] = {cr_random_normal(&r), cr_random_normal(&r), cr_random_normal(&r)};
    cr_normalize3(along);
    assert_true(-cri_convex_depth(a, b, along) <= dist + CR_R(1e-9));
  }
}

static const int32_t TYPES[5] = {CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID,
                                 CR_GEOM_CYLINDER, CR_GEOM_BOX};

TEST(degenerate_poses_have_an_answer) {
  const cr_real x[3] = {1, 0, 0};
  cr_real shift[4] = {0, CR_R(1e-17), CR_R(1e-9), CR_R(0.9)};
  cr_real turn[3] = {0, CR_PI / 2, CR_R(1e-9)};
  for (int i = 0; i < 5; i++) {
    for (int k = 2; k < 5; k++) {
      for (int s = 0; s < 12; s++) {
        solid a = solid_at(0, 0, 0, CR_R(0.3), CR_R(0.3), CR_R(0.3));
        solid b = solid_at(0, 0, shift[s % 4], CR_R(0.3), CR_R(0.3), CR_R(0.3));
        a.type = TYPES[i];
        b.type = TYPES[k];
        solid_turn(&b, x, turn[s / 4]);
        cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
        assert_sane(&shape_a, &shape_b);
      }
    }
  }
}

TEST(thin_shapes_have_an_answer) {
  cr_random r = cr_random_seed(5, 0);
  for (int i = 0; i < 3000; i++) {
    solid a = random_of(&r, TYPES[i % 5], CR_R(0.4));
    solid b = random_of(&r, TYPES[2 + i % 3], CR_R(0.4));
    a.size[cr_random_int(&r, 3)] *= CR_R(1e-7);
    b.size[cr_random_int(&r, 3)] *= CR_R(1e-5);
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    assert_sane(&shape_a, &shape_b);
  }
}

// ---- derivatives

static void all_types(cr_real reach, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 0);
  for (int i = 0; i < 5; i++) {
    for (int k = i < 2 ? 2 : i; k < 5; k++) {
      pair_report report = {0};
      for (int n = 0; n < 60; n++) {
        solid a = random_of(&r, TYPES[i], reach), b = random_of(&r, TYPES[k], reach);
        pair_check(&report, &CONVEX, &a, &b, 10, &r);
      }
      pair_report_assert(&report);
    }
  }
}

// faces and lines nearly parallel, so that most poses have several contacts
TEST(derivatives_of_several) {
  cr_random r = cr_random_seed(8, 0);
  const int32_t pairs[4][2] = {{CR_GEOM_CAPSULE, CR_GEOM_CYLINDER},
                               {CR_GEOM_CYLINDER, CR_GEOM_CYLINDER},
                               {CR_GEOM_CYLINDER, CR_GEOM_BOX},
                               {CR_GEOM_BOX, CR_GEOM_BOX}};
  for (int i = 0; i < 4; i++) {
    pair_report report = {0};
    int several = 0;
    for (int n = 0; n < 200; n++) {
      solid a = random_of(&r, pairs[i][0], CR_R(0.3)), b = random_of(&r, pairs[i][1], CR_R(0.3));
      cr_real tilt[3] = {cr_random_normal(&r), cr_random_normal(&r), cr_random_normal(&r)};
      cr_real x[3] = {a.mat[0], a.mat[3], a.mat[6]};
      cr_copy(b.mat, a.mat, 9);
      if (n % 2 || i == 0) {
        solid_turn(&b, x, CR_PI / 2);
      }
      solid_turn(&b, tilt, CR_R(0.03));
      cr_hit hit[CR_MAX_HITS];
      several += solid_hits(&CONVEX, &a, &b, 10, hit) > 1;
      pair_check(&report, &CONVEX, &a, &b, 10, &r);
    }
    // of the disk's corners other ones may be chosen a step away
    assert_true(several > 60 && 2 * report.skipped < report.hits);
    report.skipped = 0;
    pair_report_assert(&report);
  }
}

TEST(derivatives_of_hulls) {
  cr_random r = cr_random_seed(9, 0);
  hull_store prism, spindle;
  hull_prism(&prism, 7, CR_R(0.4), CR_R(0.3));
  hull_spindle(&spindle, 9, CR_R(0.4), CR_R(0.5));
  for (int i = 0; i < 6; i++) {
    pair_report report = {0};
    for (int n = 0; n < 120; n++) {
      cr_real reach = n % 2 ? CR_R(0.25) : 1;
      solid a = random_of(&r, i < 5 ? TYPES[i] : CR_GEOM_MESH, reach);
      solid b = random_of(&r, CR_GEOM_MESH, reach);
      a.hull = i < 5 ? NULL : &prism.hull;
      b.hull = n % 4 < 2 ? &prism.hull : &spindle.hull;
      pair_check(&report, &CONVEX, &a, &b, 10, &r);
    }

    // a face may be named by three other vertices a step away
    assert_true(3 * report.skipped < 2 * report.hits);
    report.skipped = 0;
    pair_report_assert(&report);
  }
}

// polygons that are flat only roughly, as those of hulls in single precision: corners that clipping
// makes move along the sides as they are, not in the plane of the polygon
TEST(derivatives_of_bent_hulls) {
  cr_random r = cr_random_seed(10, 0);
  hull_store bent[2];
  for (int k = 0; k < 2; k++) {
    hull_prism(&bent[k], 5 + k, CR_R(0.4), CR_R(0.3));
    for (int i = 0; i < 3 * bent[k].hull.nvert; i++) {
      bent[k].vert[i] += CR_R(1e-4) * cr_random_normal(&r);
    }
  }
  pair_report report = {0};
  int several = 0;
  for (int n = 0; n < 200; n++) {
    solid a = random_of(&r, CR_GEOM_MESH, CR_R(0.1)), b = a;
    cr_real tilt[3] = {cr_random_normal(&r), cr_random_normal(&r), cr_random_normal(&r)};
    solid_turn(&b, tilt, CR_R(0.03));
    for (int k = 0; k < 3; k++) {
      b.pos[k] += CR_R(0.6) * a.mat[3 * k + 2] + CR_R(0.15) * cr_random_normal(&r);
    }
    a.hull = &bent[0].hull;
    b.hull = &bent[1].hull;
    cr_hit hit[CR_MAX_HITS];
    several += solid_hits(&CONVEX, &a, &b, 10, hit) > 1;
    pair_check(&report, &CONVEX, &a, &b, 10, &r);
  }
  assert_true(several > 60 && 2 * report.skipped < report.hits);
  report.skipped = 0;
  pair_report_assert(&report);
}

// the contact of parallel sides is on the line between the axes, wherever the search came from: turning
// one about its axis changes nothing
TEST(parallel_cylinders_touch_between_their_axes) {
  cr_random r = cr_random_seed(11, 0);
  for (int n = 0; n < 100; n++) {
    solid a = random_of(&r, CR_GEOM_CYLINDER, CR_R(0.3)), b = a;
    cr_real axis[3], off[3], dif[3];
    cr_col3(axis, a.mat, 2);
    b.size[0] = CR_R(0.3) + CR_R(0.2) * cr_random_uniform(&r);
    for (int k = 0; k < 3; k++) {
      off[k] = cr_random_normal(&r);
    }
    cr_accscl3(off, axis, -cr_dot3(axis, off));
    cr_normalize3(off);
    cr_accscl3(b.pos, off, CR_R(0.98) * (a.size[0] + b.size[0]));
    cr_accscl3(b.pos, axis, CR_R(0.1) * cr_random_normal(&r));
    cr_hit hit[CR_MAX_HITS];
    cr_hit_tan t;
    int hits = solid_hits(&CONVEX, &a, &b, 0, hit);
    assert_true(hits > 0);
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    cr_shape_tan a_tan = {{0}, {0}, {0}}, b_tan = {{0}, {0}, {0}};
    cr_copy3(a_tan.rot, axis);
    for (int i = 0; i < hits; i++) {
      cri_convex_pair_tan(&shape_a, &shape_b, hit[i].feature, hit[i].local, &a_tan, &b_tan, &t);
      assert_close(t.dist, 0, CR_R(1e-12));
      cr_sub3(dif, hit[i].pos, a.pos);
      cr_accscl3(dif, axis, -cr_dot3(axis, dif));
      cr_accscl3(dif, off, -cr_dot3(off, dif));
      assert_close(cr_norm3(dif), 0, CR_R(1e-9));
    }
  }
}

// The edge of a box over the end of a cylinder touches where it leaves the end, up to where they count as parallel. The
// point of the rim is known to round-off over the angle.
TEST(edge_nearly_parallel_to_a_disk_touches_its_rim) {
  const cr_real y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  cr_random r = cr_random_seed(12, 0);
  for (int n = 0; n < 4000; n++) {
    solid a = solid_at(0, 0, 0, CR_R(0.075), CR_R(0.05), 0);
    solid b = solid_at(0, 0, 0, CR_R(0.06), CR_R(0.1), CR_R(0.06));
    a.type = CR_GEOM_CYLINDER;
    b.type = CR_GEOM_BOX;
    cr_real yaw = 6 * cr_random_uniform(&r), c = CR_R(0.06) * cr_random_uniform(&r);
    cr_real angle = cr_pow(10, -4 - 5 * cr_random_uniform(&r));
    const cr_real across[3] = {cr_cos(yaw), cr_sin(yaw), 0};
    const cr_real along[3] = {-cr_sin(yaw), cr_cos(yaw), 0};
    solid_turn(&b, y, CR_PI / 4);
    solid_turn(&b, z, yaw);
    solid_turn(&b, across, angle);
    cr_accscl3(b.pos, across, c);
    b.pos[2] = CR_R(0.05) + CR_R(0.06) * cr_sqrt(2) - CR_R(0.01);
    solid by = random_of(&r, CR_GEOM_BOX, 0);
    solid turned_a = solid_carried(&a, &by), turned_b = solid_carried(&b, &by);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&CONVEX, &turned_a, &turned_b, 0, hit), 1);
    cr_real off[3];
    cr_multmat3(off, by.mat, hit[0].pos);
    cr_accscl3(off, across, -c);
    cr_accscl3(off, along, cr_sqrt(CR_R(0.075) * CR_R(0.075) - c * c));
    off[2] = 0;
    assert_close(cr_norm3(off), 0, CR_EPS / angle + CR_R(0.05) * angle);
  }
}

// a hull with the corners of a box is a box
TEST(hull_of_a_box_is_a_box) {
  cr_random r = cr_random_seed(10, 0);
  hull_store store;
  hull_prism(&store, 4, cr_sqrt(2), 1);
  for (int n = 0; n < 1000; n++) {
    solid a = random_of(&r, TYPES[n % 5], CR_R(0.8)), box = random_of(&r, CR_GEOM_BOX, 1);
    solid hull = box;
    cr_real z[3] = {box.mat[2], box.mat[5], box.mat[8]};
    box.size[0] = box.size[1] = box.size[2] = 1;
    hull.type = CR_GEOM_MESH;
    hull.hull = &store.hull;
    solid_turn(&hull, z, CR_PI / 4);
    cr_hit hit[CR_MAX_HITS], found[CR_MAX_HITS];
    cr_shape shape_a = solid_shape(&a), shape_box = solid_shape(&box);
    cr_shape shape_hull = solid_shape(&hull);
    shape_a.single = true;
    assert_int_equal(cri_convex_pair(&shape_a, &shape_box, 10, hit), 1);
    assert_int_equal(cri_convex_pair(&shape_a, &shape_hull, 10, found), 1);
    assert_close(found[0].dist, hit[0].dist, TOLERANCE);
  }
}

TEST(derivatives_apart) { all_types(2, 6); }
TEST(derivatives_overlapping) { all_types(CR_R(0.25), 7); }
