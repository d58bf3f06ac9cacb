// SPDX-License-Identifier: Apache-2.0
// The optimum on given features: points by hand, and refusal where the features are not those.
#include "geometry/feature_solve.h"

#include "checks/pair_check.h"
#include "scenes/hulls.h"
#include "support/close.h"

static const cr_real ORIGIN[3] = {0, 0, 0};

TEST(ellipsoids_on_an_axis_touch_at_their_poles) {
  solid a = solid_at(0, 0, 0, 1, CR_R(0.5), CR_R(0.4)), b = solid_at(2, 0, 0, CR_R(0.7), 1, 1);
  a.type = b.type = CR_GEOM_ELLIPSOID;
  cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
  cr_core core_a = cri_core(&shape_a, ORIGIN), core_b = cri_core(&shape_b, ORIGIN);
  cr_optimum x = {.a = {CR_TOUCH_SMOOTH, {0, 0, 0}},
                  .b = {CR_TOUCH_SMOOTH, {0, 0, 0}},
                  .normal = {CR_R(0.98), CR_R(0.1), CR_R(-0.17)}};
  cr_normalize3(x.normal);
  assert_true(cri_optimum(&core_a, &core_b, &x));
  assert_close(x.dist, CR_R(0.3), CR_R(1e-14));
  assert_close(x.normal[0], 1, CR_R(1e-14));
  assert_close(x.on_a[0], 1, CR_R(1e-14));
  assert_close(x.on_b[0], CR_R(1.3), CR_R(1e-14));
}

TEST(crossed_edges_touch_where_they_cross) {
  const cr_real z[3] = {0, 0, 1}, y[3] = {0, 1, 0};
  solid a = solid_at(0, 0, 0, 1, 1, 1), b = solid_at(0, 0, CR_R(2.9), 1, 1, 1);
  a.type = b.type = CR_GEOM_BOX;
  solid_turn(&a, y, CR_PI / 4);
  solid_turn(&b, y, CR_PI / 4);
  solid_turn(&b, z, CR_PI / 2);
  cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
  cr_core core_a = cri_core(&shape_a, ORIGIN), core_b = cri_core(&shape_b, ORIGIN);

  // the edge on top of a has the signs (-1, ., 1), that below b (1, ., -1)
  cr_optimum x = {.a = {CR_TOUCH_EDGE, {13 - 1 + 9, 0, 0}},
                  .b = {CR_TOUCH_EDGE, {13 + 1 - 9, 0, 0}},
                  .normal = {CR_R(0.1), 0, 1}};
  cr_normalize3(x.normal);
  cr_optimum other = x;
  bool found = cri_optimum(&core_a, &core_b, &x);
  assert_true(found);
  assert_close(x.dist, CR_R(2.9) - 2 * cr_sqrt(2), CR_R(1e-14));
  assert_close(x.on_a[0], 0, CR_R(1e-14));
  assert_close(x.on_a[1], 0, CR_R(1e-14));

  // an edge on the far side is not the optimum's
  other.a.id[0] = 13 + 1 - 9;
  assert_false(cri_optimum(&core_a, &core_b, &other));
}

// an edge that rises over another one looks parallel to it from above, but it touches at its corner only
TEST(edges_that_only_look_parallel_do_not_touch_along_them) {
  const cr_real y[3] = {0, 1, 0};
  const cr_real corner[6][3] = {
      {0, 0, 0},         {1, CR_R(0.3), 1},         {-1, CR_R(0.3), 1},
      {0, 1, CR_R(0.5)}, {1, CR_R(1.3), CR_R(1.5)}, {-1, CR_R(1.3), CR_R(1.5)}};
  solid a = solid_at(0, 0, -cr_sqrt(2), 1, 1, 1), b = solid_at(0, 0, CR_R(0.5), 0, 0, 0);
  hull_store store;
  hull_wedge(&store, corner);
  a.type = CR_GEOM_BOX;
  b.type = CR_GEOM_MESH;
  b.hull = &store.hull;
  solid_turn(&a, y, CR_PI / 4);
  cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
  cr_core core_a = cri_core(&shape_a, ORIGIN), core_b = cri_core(&shape_b, ORIGIN);
  cr_optimum point = {.a = {CR_TOUCH_EDGE, {13 - 1 + 9, 0, 0}},
                      .b = {CR_TOUCH_POINT, {0, 0, 0}},
                      .normal = {0, 0, 1},
                      .on_b = {0, CR_R(0.4), CR_R(0.7)}};
  cr_optimum edge = point;
  edge.b = (cr_touch){CR_TOUCH_EDGE, {0, 3, 0}};
  assert_true(cri_optimum(&core_a, &core_b, &point));
  assert_close(point.dist, CR_R(0.5), CR_R(1e-14));
  assert_true(cr_norm3(point.on_a) < CR_R(1e-14));
  assert_false(cri_optimum(&core_a, &core_b, &edge));
}
