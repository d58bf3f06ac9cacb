// SPDX-License-Identifier: Apache-2.0
// Support points and features of each shape, against sampling and against their own definition.
#include "geometry/support_map.h"

#include "checks/pair_check.h"
#include "scenes/hulls.h"
#include "support/close.h"

#define TOLERANCE (256 * CR_EPS)

static const int32_t TYPES[6] = {CR_GEOM_SPHERE,   CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID,
                                 CR_GEOM_CYLINDER, CR_GEOM_BOX,     CR_GEOM_MESH};

static const cr_real ORIGIN[3] = {0, 0, 0};

static void random_unit(cr_random* r, cr_real n[3]) {
  for (int k = 0; k < 3; k++) {
    n[k] = cr_random_normal(r);
  }
  cr_normalize3(n);
}

// no support point of another direction is farther along m
TEST(support_is_farthest) {
  cr_random r = cr_random_seed(1, 0);
  hull_store store;
  hull_spindle(&store, 11, CR_R(0.3), CR_R(0.5));
  for (int i = 0; i < 600; i++) {
    solid s = solid_random(&r, CR_R(0.1), 1, 1);
    s.type = TYPES[i % 6];
    s.hull = s.type == CR_GEOM_MESH ? &store.hull : NULL;
    cr_shape shape = solid_shape(&s);
    cr_core c = cri_core(&shape, ORIGIN);
    cr_real m[3], p[3], other[3], q[3];
    random_unit(&r, m);
    (void)cri_support(&c, m, p);
    for (int k = 0; k < 20; k++) {
      random_unit(&r, other);
      (void)cri_support(&c, other, q);
      assert_true(cr_dot3(q, m) <= cr_dot3(p, m) + TOLERANCE);
    }
  }
}

// climbing the graph of a hull ends where searching all vertices does
TEST(climbing_finds_the_best_vertex) {
  cr_random r = cr_random_seed(2, 0);
  hull_store store;
  hull_prism(&store, 13, CR_R(0.3), CR_R(0.5));
  solid s = solid_at(0, 0, 0, 0, 0, 0);
  s.type = CR_GEOM_MESH;
  for (int i = 0; i < 300; i++) {
    cr_hull all = store.hull;
    all.graph = NULL;
    cr_real m[3], p[3], q[3];
    random_unit(&r, m);
    s.hull = &store.hull;
    cr_shape with_graph = solid_shape(&s);
    s.hull = &all;
    cr_shape without = solid_shape(&s);
    cr_core c = cri_core(&with_graph, ORIGIN), d = cri_core(&without, ORIGIN);
    assert_int_equal(cri_support(&c, m, p), cri_support(&d, m, q));
  }
}

// W is the derivative of the support point with the normal
TEST(bend_is_the_derivative_of_the_point) {
  cr_random r = cr_random_seed(3, 0);
  const cr_real h = CR_R(1e-4);
  for (int i = 0; i < 400; i++) {
    solid s = solid_random(&r, CR_R(0.3), 1, 1);
    s.type = i % 2 ? CR_GEOM_ELLIPSOID : CR_GEOM_CYLINDER;
    cr_touch t = {i % 2 ? CR_TOUCH_SMOOTH : CR_TOUCH_RIM, {1, 0, 0}};
    cr_shape shape = solid_shape(&s);
    cr_core c = cri_core(&shape, ORIGIN);
    cr_real m[3], x[3], after[3], before[3], p[3], q[3], w[3];
    random_unit(&r, m);
    random_unit(&r, x);
    cr_accscl3(x, m, -cr_dot3(m, x));
    cr_copy3(after, m);
    cr_copy3(before, m);
    cr_accscl3(after, x, h);
    cr_accscl3(before, x, -h);
    cr_normalize3(after);
    cr_normalize3(before);
    cri_touch_point(&c, &t, after, p);
    cri_touch_point(&c, &t, before, q);
    cri_touch_bend(&c, &t, m, x, w);
    for (int k = 0; k < 3; k++) {
      assert_close(w[k], (p[k] - q[k]) / (2 * h), CR_R(1e-3));
    }
  }
}

// three corners that no polygon has are a face of their own, two an edge
TEST(corners_between_polygons) {
  hull_store store;
  hull_prism(&store, 6, CR_R(0.5), CR_R(0.25));
  cr_shape s = {.pos = (const cr_real[3]){0},
                .mat = (const cr_real[9]){1, 0, 0, 0, 1, 0, 0, 0, 1},
                .size = (const cr_real[3]){0},
                .type = CR_GEOM_MESH,
                .bound = 1,
                .hull = &store.hull};
  cr_core core = cri_core(&s, s.pos);
  const int32_t id[3] = {1, 5, 8};  // two above, one below, on three sides
  cr_real e1[3], e2[3], n[3], p[3], out[3];
  cr_sub3(e1, store.vert + 3 * id[1], store.vert + 3 * id[0]);
  cr_sub3(e2, store.vert + 3 * id[2], store.vert + 3 * id[0]);
  cr_cross3(n, e1, e2);
  cr_normalize3(n);
  for (int turned = 0; turned < 2; turned++) {
    cr_touch touch[CR_MAX_TOUCH];
    cr_real axis[3];
    assert_int_equal(cri_touches(&core, n, id, 3, touch), 1);
    assert_int_equal(touch[0].kind, CR_TOUCH_FACE);
    assert_int_equal(cri_touch_polygon(&store.hull, touch), -1);
    assert_int_equal(cri_touch_axis(&core, touch, axis), 2);
    assert_close(cr_dot3(axis, n), 1, CR_R(1e-14));
    for (int k = 0; k < 3; k++) {
      p[k] =
          (store.vert[3 * id[0] + k] + store.vert[3 * id[1] + k] + store.vert[3 * id[2] + k]) / 3;
      out[k] = store.vert[3 * id[0] + k] + CR_R(0.01) * (store.vert[3 * id[0] + k] - p[k]);
    }
    assert_true(cri_touch_holds(&core, touch, p, CR_R(1e-9)));
    assert_false(cri_touch_holds(&core, touch, out, CR_R(1e-9)));
    cr_scl3(n, n, -1);
  }
  cr_touch touch[CR_MAX_TOUCH];
  const int32_t across[2] = {1, 8};
  assert_int_equal(cri_touches(&core, n, across, 2, touch), 1);
  assert_int_equal(touch[0].kind, CR_TOUCH_EDGE);
  assert_true(touch[0].id[0] == 1 && touch[0].id[1] == 8);
}
