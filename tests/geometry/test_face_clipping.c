// SPDX-License-Identifier: Apache-2.0
// Several contacts: counts and places in poses that are known. Derivatives: test_convex_pair.c.
#include "geometry/face_clipping.h"

#include "checks/pair_check.h"
#include "geometry/convex_pair.h"
#include "scenes/hulls.h"
#include "support/close.h"

static const cr_pair CONVEX = {cri_convex_pair, cri_convex_pair_tan, cri_convex_pair_bar};
static const cr_real X_AXIS[3] = {1, 0, 0};
static const cr_real Z_AXIS[3] = {0, 0, 1};

static solid of_type(solid s, int32_t type) {
  s.type = type;
  return s;
}

TEST(cylinder_stands_on_four_points_of_its_rim) {
  solid table = of_type(solid_at(0, 0, 0, 2, 1, 0), CR_GEOM_CYLINDER);
  solid can = of_type(solid_at(0, 0, CR_R(1.49), CR_R(0.3), CR_R(0.5), 0), CR_GEOM_CYLINDER);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&CONVEX, &table, &can, 0, hit), 4);
  for (int i = 0; i < 4; i++) {
    assert_close(hit[i].dist, CR_R(-0.01), CR_R(1e-14));
    assert_close(hit[i].normal[2], 1, CR_R(1e-14));
    cr_real rho = cr_sqrt(hit[i].pos[0] * hit[i].pos[0] + hit[i].pos[1] * hit[i].pos[1]);
    assert_close(rho, CR_R(0.3), CR_R(1e-14));
  }
}

TEST(lying_cylinder_touches_along_its_side) {
  solid can = of_type(solid_at(0, 0, CR_R(1.29), CR_R(0.3), CR_R(0.5), 0), CR_GEOM_CYLINDER);
  solid box = of_type(solid_at(0, CR_R(0.4), 0, 2, 1, 1), CR_GEOM_BOX);
  solid_turn(&can, X_AXIS, CR_PI / 2);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&CONVEX, &can, &box, 0, hit), 2);
  for (int i = 0; i < 2; i++) {
    assert_close(hit[i].dist, CR_R(-0.01), CR_R(1e-14));
    assert_close(hit[i].normal[2], -1, CR_R(1e-14));
    assert_close(cr_abs(hit[i].pos[1]), CR_R(0.5), CR_R(1e-14));
  }

  // over the side of the box it is cut off there
  box.pos[1] = CR_R(0.8);
  assert_int_equal(solid_hits(&CONVEX, &can, &box, 0, hit), 2);
  cr_real low = cr_min(hit[0].pos[1], hit[1].pos[1]);
  assert_close(low, CR_R(-0.2), CR_R(1e-14));
}

TEST(hull_on_hull_keeps_four_points) {
  hull_store store;
  hull_prism(&store, 6, CR_R(0.5), CR_R(0.25));
  solid a = of_type(solid_at(0, 0, 0, 0, 0, 0), CR_GEOM_MESH);
  solid b = of_type(solid_at(CR_R(0.1), CR_R(0.05), CR_R(0.49), 0, 0, 0), CR_GEOM_MESH);
  a.hull = b.hull = &store.hull;
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&CONVEX, &a, &b, 0, hit), 4);
  for (int i = 0; i < 4; i++) {
    assert_close(hit[i].dist, CR_R(-0.01), CR_R(1e-14));
  }

  // one only where several are not wanted
  cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
  shape_a.single = true;
  assert_int_equal(cri_convex_pair(&shape_a, &shape_b, 0, hit), 1);
}

// Polygons of a mesh are flat to single precision or worse. Where a cut polygon is warped, points on
// its edges follow the edges, points inside it follow the plane of its first corner.
TEST(warped_polygons_have_exact_derivatives) {
  hull_store flat, warped;
  cr_random r = cr_random_seed(3, 0);
  hull_prism(&flat, 5, CR_R(0.4), CR_R(0.25));
  hull_prism(&warped, 6, CR_R(0.5), CR_R(0.25));
  for (int i = 0; i < warped.hull.nvert; i++) {
    warped.vert[3 * i + 2] += CR_R(1e-4) * cr_random_normal(&r);
  }
  pair_report report = {0};
  for (int k = 0; k < 60; k++) {
    solid a = of_type(solid_at(0, 0, 0, 0, 0, 0), CR_GEOM_MESH);
    solid b = of_type(solid_at(CR_R(0.3) * cr_random_normal(&r), CR_R(0.3) * cr_random_normal(&r),
                               CR_R(0.48), 0, 0, 0),
                      CR_GEOM_MESH);
    a.hull = k % 2 ? &flat.hull : &warped.hull;
    b.hull = &warped.hull;
    solid_turn(&a, X_AXIS, CR_R(0.02) * cr_random_normal(&r));
    solid_turn(&b, Z_AXIS, cr_random_normal(&r));
    pair_check(&report, &CONVEX, &a, &b, 0, &r);
  }
  pair_report_assert(&report);
}
