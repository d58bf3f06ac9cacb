// SPDX-License-Identifier: Apache-2.0
// Faces and lines of shapes: corners lie in their planes and go around them, lines lie on the surface. Contacts on
// them: test_face_clipping.c.
#include "geometry/facet.h"

#include "scenes/hulls.h"
#include "support/close.h"

#define TOLERANCE (64 * CR_EPS)

static const cr_real POS[3] = {CR_R(0.3), CR_R(-0.2), 1};
static const cr_real TURNED[9] = {0, -1, 0, 0, 0, -1, 1, 0, 0};
static const cr_real SIZE[3] = {CR_R(0.5), CR_R(0.4), CR_R(0.3)};

static cr_shape shape_of(int32_t type, const cr_hull* hull) {
  return (cr_shape){.pos = POS, .mat = TURNED, .size = SIZE, .type = type, .hull = hull};
}

static cr_core core_of(const cr_shape* s) {
  cr_core c = {.shape = s};
  cr_copy3(c.pos, s->pos);
  return c;
}

// corners in one plane, outside seen from the centre, clockwise about the outward normal
static void check_flat(const cr_core* c, int32_t id, int n) {
  cri_flat f = cri_flat_of(c, id);
  cr_real first[3], arm[3], area[3] = {0, 0, 0};
  assert_int_equal(f.n, n);
  cri_flat_corner(&f, 0, first);
  cr_sub3(arm, first, c->pos);
  cr_real height = cr_dot3(arm, f.normal);
  assert_true(height > 0);
  for (int i = 0; i < n; i++) {
    cr_real p[3], q[3], from[3], to[3];
    cri_flat_corner(&f, i, p);
    cri_flat_corner(&f, (i + 1) % n, q);
    cr_sub3(from, p, c->pos);
    cr_sub3(to, q, c->pos);
    assert_close(cr_dot3(from, f.normal), height, TOLERANCE);
    cr_acccross3(area, from, to);
  }
  assert_true(cr_dot3(area, f.normal) < 0);
}

TEST(corners_go_around_their_faces) {
  hull_store store;
  hull_prism(&store, 6, CR_R(0.5), CR_R(0.25));
  const cr_shape box = shape_of(CR_GEOM_BOX, NULL), can = shape_of(CR_GEOM_CYLINDER, NULL),
                 prism = shape_of(CR_GEOM_MESH, &store.hull);
  const cr_core b = core_of(&box), c = core_of(&can), p = core_of(&prism);
  for (int32_t id = 0; id < 6; id++) {
    check_flat(&b, id, 4);
  }
  check_flat(&c, 0, CRI_DISK_CORNERS);
  check_flat(&c, 1, CRI_DISK_CORNERS);
  for (int32_t id = 0; id < store.hull.npoly; id++) {
    check_flat(&p, id, store.hull.num[id]);
  }
}

// at the corner of a box three faces and three edges meet, which begin or end there
TEST(a_corner_has_three_faces_and_edges) {
  const cr_shape box = shape_of(CR_GEOM_BOX, NULL);
  const cr_core b = core_of(&box);
  const cr_touch corner = {.kind = CR_TOUCH_POINT, .id = {13 + 1 - 3 + 9}};
  const cr_real x[3] = {SIZE[0], -SIZE[1], SIZE[2]}, m[3] = {0, 0, 1};
  cr_real at[3];
  cr_mulmat3(at, TURNED, x);
  cr_acc3(at, POS);
  int32_t id[CRI_MOST_FACETS];
  assert_int_equal(cri_flats_near(&b, &corner, id), 3);
  for (int i = 0; i < 3; i++) {
    cri_flat f = cri_flat_of(&b, id[i]);
    cr_real p[3], arm[3];
    cri_flat_corner(&f, 0, p);
    cr_sub3(arm, at, p);
    assert_close(cr_dot3(arm, f.normal), 0, TOLERANCE);
  }
  assert_int_equal(cri_lines_near(&b, &corner, id), 3);
  for (int i = 0; i < 3; i++) {
    cri_dual l = cri_dual_of(&b, id[i], m);
    cr_real from[2];
    for (int e = 0; e < 2; e++) {
      cr_real arm[3];
      cr_sub3(arm, l.end[e], at);
      from[e] = cr_norm3(arm);
    }
    assert_close(cr_min(from[0], from[1]), 0, TOLERANCE);
    assert_true(cr_max(from[0], from[1]) > CR_R(0.5));
  }
}

// a capsule's follows the direction, a cylinder's is as far as its radius
TEST(lines_of_round_sides_are_beside_the_axis) {
  const cr_real m[3] = {CR_R(0.36), CR_R(0.48), CR_R(0.8)};
  static const int32_t types[2] = {CR_GEOM_CYLINDER, CR_GEOM_CAPSULE};
  for (int k = 0; k < 2; k++) {
    const cr_shape s = shape_of(types[k], NULL);
    const cr_core c = core_of(&s);
    const cr_touch side = {.kind = CR_TOUCH_SIDE};
    int32_t id[CRI_MOST_FACETS];
    assert_true(cri_has_round_side(&c));
    assert_int_equal(cri_lines_near(&c, &side, id), 1);
    cri_dual l = cri_dual_of(&c, id[0], m);
    cr_real axis[3], arm[3], length[3];
    cr_col3(axis, TURNED, 2);
    cr_sub3(length, l.end[1], l.end[0]);
    assert_close(cr_norm3(length), 2 * SIZE[1], TOLERANCE);
    assert_close(cr_dot3(l.axis, axis), 1, TOLERANCE);
    cr_sub3(arm, l.end[0], POS);
    cr_accscl3(arm, axis, -cr_dot3(arm, axis));
    cr_real along = cr_dot3(m, axis), across = cr_sqrt(1 - along * along);
    assert_close(cr_norm3(arm), k == 0 ? SIZE[0] : SIZE[0] * across, TOLERANCE);
    assert_true(cr_dot3(arm, m) > 0);
  }
}
