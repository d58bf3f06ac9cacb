// SPDX-License-Identifier: Apache-2.0
// The length over which contacts share, by hand.
#include "collision/merge_share.h"

#include "support/close.h"

enum { PLANE, BALL, PLATE, ROD, TETRAHEDRON, N_GEOM };

static int32_t types[N_GEOM] = {CR_GEOM_PLANE, CR_GEOM_SPHERE, CR_GEOM_BOX, CR_GEOM_CYLINDER,
                                CR_GEOM_MESH};
static cr_real sizes[3 * N_GEOM] = {5,         5,         5,          CR_R(0.1),  0,         0,
                                    CR_R(0.5), CR_R(0.4), CR_R(0.02), CR_R(0.05), CR_R(0.3), 0};
static int32_t meshes[N_GEOM] = {-1, -1, -1, -1, 0};

static cr_real widths[1] = {CR_R(0.1)};

static cr_model scene(int collision) {
  return (cr_model){.ngeom = N_GEOM,
                    .collision = collision,
                    .softness = CR_R(0.05),
                    .geom_type = types,
                    .geom_size = sizes,
                    .geom_dataid = meshes,
                    .mesh_width = widths};
}

static cri_merge_share of(const cr_model* m, int a, int b, bool general) {
  const int32_t geom[2] = {a, b};
  return cri_merge_share_of(m, geom, general);
}

TEST(follows_the_smaller_geom) {
  cr_model m = scene(CR_COLLISION_SMOOTH);
  cri_merge_share s = of(&m, PLANE, BALL, false);
  assert_close(s.length, CR_R(0.053), CR_EPS);
  assert_close(s.slope, CR_R(0.53), CR_EPS);
  assert_true(s.geom == BALL && s.size == 0);
  s = of(&m, BALL, PLATE, false);
  assert_close(s.length, CR_R(0.0106), CR_EPS);
  assert_true(s.geom == PLATE && s.size == 2);
  s = of(&m, PLATE, ROD, true);
  assert_close(s.length, 2 * cr_sin(CR_PI / 36) * CR_R(0.02), 8 * CR_EPS);
  assert_close(s.slope, 2 * cr_sin(CR_PI / 36), 8 * CR_EPS);
  assert_close(of(&m, BALL, ROD, false).length, CR_R(0.0265), CR_EPS);
}

TEST(mesh_goes_by_its_nearest_face) {
  cr_model m = scene(CR_COLLISION_SMOOTH);
  cri_merge_share s = of(&m, PLANE, TETRAHEDRON, false);
  assert_close(s.length, CR_R(0.053), 2 * CR_EPS);
  assert_true(s.slope == 0);
}

TEST(others_do_not_share) {
  cr_model m = scene(CR_COLLISION_HARD);
  assert_true(of(&m, PLANE, BALL, false).length == 0);
  m = scene(CR_COLLISION_SOFT);
  assert_true(of(&m, PLANE, BALL, false).length == 0);
}
