// SPDX-License-Identifier: Apache-2.0
// The signed distance against its definition, the least depth over directions: no direction of a
// fine sampling separates the shapes any sooner. Random pairs of all shapes, degenerate ones too.
#include "geometry/gjk_epa.h"

#include "checks/pair_check.h"
#include "geometry/convex_pair.h"
#include "scenes/hulls.h"
#include "support/close.h"

static const int32_t TYPES[6] = {CR_GEOM_SPHERE,   CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID,
                                 CR_GEOM_CYLINDER, CR_GEOM_BOX,     CR_GEOM_MESH};

static const cr_real ORIGIN[3] = {0, 0, 0};

typedef struct {
  solid s;
  cr_shape shape;
} body;

static void random_body(cr_random* r, const hull_store* hull, cr_real reach, body* b) {
  b->s = solid_random(r, CR_R(0.1), CR_R(0.5), reach);
  b->s.type = TYPES[cr_random_int(r, 6)];
  b->s.hull = b->s.type == CR_GEOM_MESH ? &hull->hull : NULL;

  // flat, on an axis, at the origin, now and then
  if (cr_random_int(r, 5) == 0) {
    b->s.size[cr_random_int(r, 3)] *= CR_R(1e-4);
  }
  if (cr_random_int(r, 3) == 0) {
    const cr_real identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    cr_copy(b->s.mat, identity, 9);
  }
  if (cr_random_int(r, 6) == 0) {
    b->s.pos[cr_random_int(r, 3)] = 0;
    b->s.pos[cr_random_int(r, 3)] = 0;
  }
  b->shape = solid_shape(&b->s);
}

// the best of many directions near n and everywhere, as a depth
static cr_real least_depth(cr_random* r, const cr_shape* a, const cr_shape* b, const cr_real n[3]) {
  cr_real least = cri_convex_depth(a, b, n), width = 4;
  for (int i = 0; i < 200; i++, width = i % 20 ? width : width / 8) {
    cr_real m[3];
    for (int k = 0; k < 3; k++) {
      m[k] = n[k] + width * cr_random_normal(r);
    }
    cr_normalize3(m);
    least = cr_min(least, cri_convex_depth(a, b, m));
  }
  return least;
}

TEST(distance_is_the_least_depth) {
  cr_random r = cr_random_seed(1, 0);
  hull_store store;
  hull_spindle(&store, 9, CR_R(0.3), CR_R(0.4));
  int rough = 0, n = 4000;
  for (int i = 0; i < n; i++) {
    body a, b;
    random_body(&r, &store, CR_R(0.4), &a);
    random_body(&r, &store, CR_R(0.4), &b);
    cr_core core_a = cri_core(&a.shape, ORIGIN), core_b = cri_core(&b.shape, ORIGIN);
    cr_optimum x;
    cr_nearest verdict = cri_gjk_epa(&core_a, &core_b, 100, &x);
    assert_int_not_equal(verdict, CR_NEAREST_FAR);
    rough += verdict == CR_NEAREST_ROUGH;
    assert_close(cr_norm3(x.normal), 1, CR_R(1e-12));
    cr_real depth = core_a.radius + core_b.radius - x.dist;
    cr_real tolerance = verdict == CR_NEAREST_ROUGH ? CR_R(1e-3) : CR_R(1e-9);
    assert_close(cri_convex_depth(&a.shape, &b.shape, x.normal), depth, tolerance);
    assert_true(least_depth(&r, &a.shape, &b.shape, x.normal) > depth - tolerance);
  }
  assert_true(200 * rough < n);
}

// pairs whose difference has no volume: there is no polytope to grow, and the depth across it is zero
TEST(pairs_without_volume_are_no_deeper_than_round_off) {
  static const struct {
    int32_t type_a, type_b;
    cr_real size_a[3], size_b[3], pos[3];
    bool crossed;  // b turned by a right angle about x
  } thin[] = {
      {CR_GEOM_CAPSULE, CR_GEOM_CAPSULE, {CR_R(0.1), 1, 0}, {CR_R(0.1), 1, 0}, {0, 0, 0}, true},
      {CR_GEOM_CAPSULE, CR_GEOM_CAPSULE, {CR_R(0.1), 1, 0}, {CR_R(0.1), 1, 0}, {0, 0, 0.5}, false},
      {CR_GEOM_SPHERE, CR_GEOM_SPHERE, {CR_R(0.1)}, {CR_R(0.1)}, {0, 0, 0}, false},
      {CR_GEOM_BOX, CR_GEOM_BOX, {0, 1, 1}, {0, 1, 1}, {0, 0.5, 0.25}, false},
      {CR_GEOM_BOX, CR_GEOM_CAPSULE, {0, 1, 1}, {CR_R(0.1), 1, 0}, {0, 0.5, 0.25}, true},
      {CR_GEOM_BOX, CR_GEOM_SPHERE, {0, 1, 1}, {CR_R(0.1)}, {0, 0.5, 0.25}, false},
  };
  for (size_t i = 0; i < sizeof thin / sizeof *thin; i++) {
    solid a = {.type = thin[i].type_a, .mat = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    solid b = {.type = thin[i].type_b, .mat = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (thin[i].crossed) {
      const cr_real turn[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
      cr_copy(b.mat, turn, 9);
    }
    cr_copy3(a.size, thin[i].size_a);
    cr_copy3(b.size, thin[i].size_b);
    cr_copy3(b.pos, thin[i].pos);
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    cr_core core_a = cri_core(&shape_a, ORIGIN), core_b = cri_core(&shape_b, ORIGIN);
    cr_optimum x;
    memset(&x, 0xff, sizeof x);
    assert_int_not_equal(cri_gjk_epa(&core_a, &core_b, 100, &x), CR_NEAREST_FAR);
    assert_close(cr_norm3(x.normal), 1, CR_R(1e-12));
    assert_close(x.dist, 0, CR_R(1e-9));
    cr_real depth = core_a.radius + core_b.radius - x.dist;
    assert_close(cri_convex_depth(&shape_a, &shape_b, x.normal), depth, CR_R(1e-9));
    for (int k = 0; k < 3; k++) {
      assert_close(x.on_b[k] - x.on_a[k], x.dist * x.normal[k], CR_R(1e-9));
    }
  }
}

// a box and a capsule inside it: the depth grows with them, also where they are larger than any robot
TEST(depth_scales_with_the_shapes) {
  static const cr_real scale[] = {1, CR_R(1e6), CR_R(1e11), CR_R(1e14)};
  cr_real one = 0;
  for (size_t i = 0; i < sizeof scale / sizeof *scale; i++) {
    const cr_real s = scale[i];
    const solid a = {
        .type = CR_GEOM_BOX, .size = {s, 2 * s, 3 * s}, .mat = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const solid b = {.type = CR_GEOM_CAPSULE,
                     .size = {CR_R(0.5) * s, s, 0},
                     .pos = {CR_R(0.3) * s, CR_R(0.2) * s, CR_R(0.1) * s},
                     .mat = {1, 0, 0, 0, 0, -1, 0, 1, 0}};
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    cr_core core_a = cri_core(&shape_a, ORIGIN), core_b = cri_core(&shape_b, ORIGIN);
    cr_optimum x;
    assert_int_equal(cri_gjk_epa(&core_a, &core_b, s, &x), CR_NEAREST_EXACT);
    one = i == 0 ? x.dist : one;
    assert_close(x.dist / s, one, CR_R(1e-9));
    assert_close(x.normal[0], 1, CR_R(1e-9));
  }
  // from the capsule's segment at 0.3 to the box's face at 1
  assert_close(one, CR_R(-0.7), CR_R(1e-9));
}

TEST(far_shapes_are_far) {
  cr_random r = cr_random_seed(2, 0);
  hull_store store;
  hull_prism(&store, 5, CR_R(0.3), CR_R(0.4));
  for (int i = 0; i < 1000; i++) {
    body a, b;
    random_body(&r, &store, 1, &a);
    random_body(&r, &store, 1, &b);
    cr_core core_a = cri_core(&a.shape, ORIGIN), core_b = cri_core(&b.shape, ORIGIN);
    cr_optimum x, again;
    (void)cri_gjk_epa(&core_a, &core_b, 100, &x);
    cr_real slack = CR_R(1e-3);
    assert_int_equal(cri_gjk_epa(&core_a, &core_b, x.dist - slack, &again), CR_NEAREST_FAR);
    assert_int_not_equal(cri_gjk_epa(&core_a, &core_b, x.dist + slack, &again), CR_NEAREST_FAR);
  }
}
