// SPDX-License-Identifier: Apache-2.0
// A plane against an ellipsoid and a hull: contacts by hand, derivatives.
#include "geometry/plane_convex.h"

#include "checks/pair_check.h"
#include "model/model.h"
#include "scenes/hulls.h"
#include "support/close.h"

static const cr_pair ELLIPSOID = {cri_plane_ellipsoid, cri_plane_ellipsoid_tan,
                                  cri_plane_ellipsoid_bar};
static const cr_pair HULL = {cri_plane_hull, cri_plane_hull_tan, cri_plane_hull_bar};

TEST(ellipsoid_stands_on_its_lowest_point) {
  const cr_real y[3] = {0, 1, 0};
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  solid e = solid_at(1, 2, CR_R(0.4), CR_R(0.2), CR_R(0.3), CR_R(0.5));
  e.type = CR_GEOM_ELLIPSOID;
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&ELLIPSOID, &plane, &e, 0, hit), 1);
  assert_close(hit[0].dist, CR_R(-0.1), 64 * CR_EPS);
  assert_close(hit[0].pos[2], CR_R(-0.05), 64 * CR_EPS);

  // turned by a: the lowest point is at the height sqrt(sum s^2 n^2) below the centre
  solid_turn(&e, y, CR_R(0.7));
  cr_real reach = cr_sqrt(CR_R(0.04) * cr_sin(CR_R(0.7)) * cr_sin(CR_R(0.7)) +
                          CR_R(0.25) * cr_cos(CR_R(0.7)) * cr_cos(CR_R(0.7)));
  assert_int_equal(solid_hits(&ELLIPSOID, &plane, &e, 1, hit), 1);
  assert_close(hit[0].dist, CR_R(0.4) - reach, 64 * CR_EPS);
}

TEST(hull_stands_on_four_corners) {
  hull_store store;
  hull_prism(&store, 8, CR_R(0.5), CR_R(0.2));
  solid plane = solid_at(0, 0, 0, 0, 0, 0), s = solid_at(0, 0, CR_R(0.19), 0, 0, 0);
  s.type = CR_GEOM_MESH;
  s.hull = &store.hull;
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&HULL, &plane, &s, 0, hit), 4);
  for (int i = 0; i < 4; i++) {
    assert_close(hit[i].dist, CR_R(-0.01), 64 * CR_EPS);
  }
  s.pos[2] = CR_R(0.21);
  assert_int_equal(solid_hits(&HULL, &plane, &s, 0, hit), 0);
}

TEST(derivatives) {
  cr_random r = cr_random_seed(1, 0);
  pair_report ellipsoid = {0}, hull = {0};
  hull_store store;
  hull_spindle(&store, 7, CR_R(0.5), CR_R(0.6));
  for (int i = 0; i < 200; i++) {
    solid plane = solid_random(&r, 0, 1, 1), e = solid_random(&r, CR_R(0.2), 1, 1);
    e.type = CR_GEOM_ELLIPSOID;
    pair_check(&ellipsoid, &ELLIPSOID, &plane, &e, 10, &r);
    e.type = CR_GEOM_MESH;
    e.hull = &store.hull;
    pair_check(&hull, &HULL, &plane, &e, 10, &r);
  }
  pair_report_assert(&ellipsoid);
  pair_report_assert(&hull);
}
