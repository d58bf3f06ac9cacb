// SPDX-License-Identifier: Apache-2.0
// All pairs of shapes shaken, in every pose: distances against their definition, planes against their
// formula, the pairs with functions of their own against the general one, derivatives.
// tests/fuzz/geometry.c does more of the same, and beside MuJoCo.
#include "checks/shake.h"

#include "collision/collision.h"
#include "geometry/convex_pair.h"
#include "math/quat.h"
#include "scenes/random_model.h"
#include "support/close.h"

#define TOLERANCE CR_R(1e-9)

static const cr_pair CONVEX = {cri_convex_pair, cri_convex_pair_tan, cri_convex_pair_bar};

enum { N_HULL = 5 };

static void open_hulls(hull_store store[N_HULL], const cr_hull* hull[N_HULL]) {
  hull_prism(&store[0], 3, CR_R(0.5), CR_R(0.4));
  hull_prism(&store[1], 5, CR_R(0.3), CR_R(0.001));
  hull_spindle(&store[2], 6, CR_R(0.4), CR_R(0.5));
  hull_prism(&store[3], 16, CR_R(0.5), CR_R(0.5));
  hull_prism(&store[4], 4, CR_R(0.02), CR_R(0.6));
  for (int i = 0; i < N_HULL; i++) {
    hull[i] = &store[i].hull;
  }
}

static shake_pair draw(cr_random* r, const cr_hull* const* hull) {
  shake_pair p;
  int a = CR_GEOM_SPHERE + cr_random_int(r, 6), b = CR_GEOM_SPHERE + cr_random_int(r, 6);
  shake_draw(r, a < b ? a : b, a < b ? b : a, hull, N_HULL, &p);
  return p;
}

TEST(distances_are_what_they_are_defined_as) {
  enum { N = 8000 };
  hull_store store[N_HULL];
  const cr_hull* hull[N_HULL];
  int off = 0;
  open_hulls(store, hull);
  for (int i = 0; i < N; i++) {
    cr_random r = cr_random_seed(1, (uint64_t)i);
    shake_pair p = draw(&r, hull);
    shake_result x = shake_check(&p, &r);
    assert_true(x.sane);
    assert_close(x.extent, 0, TOLERANCE);
    assert_close(x.deeper, 0, TOLERANCE);
    off += !(x.outside < TOLERANCE);
  }
  // points of features that are nearly parallel have fewer digits than the distance
  assert_true(off <= N / 1000);
}

// MuJoCo's formula for a cylinder that nearly stands on a plane divides round-off by the tilt
static cr_real lost_digits(const solid* s, const cr_real n[3]) {
  cr_real u[3];
  cr_multmat3(u, s->mat, n);
  cr_real tilt = cr_sqrt(u[0] * u[0] + u[1] * u[1]);
  return s->type == CR_GEOM_CYLINDER ? 8 * CR_EPS / cr_max(tilt, CR_EPS) : 0;
}

TEST(planes_have_the_lowest_point) {
  hull_store store[N_HULL];
  const cr_hull* hull[N_HULL];
  open_hulls(store, hull);
  for (int i = 0; i < 6000; i++) {
    cr_random r = cr_random_seed(2, (uint64_t)i);
    shake_pair p = draw(&r, hull);
    solid plane = p.a;
    plane.type = CR_GEOM_PLANE;
    cr_shape a = solid_shape(&plane), b = solid_shape(&p.b);
    cr_hit hit[CR_MAX_HITS];
    cr_real n[3], least = CR_MAX, size = p.size;
    int count = cri_collision_pair(CR_GEOM_PLANE, p.b.type)->detect(&a, &b, CR_MAX, hit);
    cr_col3(n, plane.mat, 2);
    assert_in_range(count, 1, CR_MAX_HITS);
    for (int k = 0; k < count; k++) {
      least = cr_min(least, hit[k].dist);
      assert_close(cr_norm3(hit[k].normal), 1, CR_R(1e-12));
    }
    cr_real lowest = shake_lowest(&p.b, n) - cr_dot3(plane.pos, n);
    size = cr_max(size, cr_abs(lowest));
    assert_close(least / size, lowest / size, CR_R(1e-12) + lost_digits(&p.b, n));
  }
}

// where a pair has functions of its own, its least distance is that of the general one; capsules have
// MuJoCo's formula, which takes what is nearly parallel for parallel. (Boxes touch by MuJoCo's rules
// instead, which prefer some features to others.)
TEST(closed_pairs_agree) {
  const int types[][2] = {{CR_GEOM_SPHERE, CR_GEOM_SPHERE},
                          {CR_GEOM_SPHERE, CR_GEOM_CAPSULE},
                          {CR_GEOM_SPHERE, CR_GEOM_CYLINDER},
                          {CR_GEOM_SPHERE, CR_GEOM_BOX},
                          {CR_GEOM_CAPSULE, CR_GEOM_CAPSULE}};
  int other = 0;
  for (int i = 0; i < 10000; i++) {
    cr_random r = cr_random_seed(3, (uint64_t)i);
    const int* type = types[i % 5];
    shake_pair p;
    shake_draw(&r, type[0], type[1], NULL, 0, &p);
    cr_shape a = solid_shape(&p.a), b = solid_shape(&p.b);
    cr_hit hit[CR_MAX_HITS], general[CR_MAX_HITS];
    int n = cri_collision_pair(type[0], type[1])->detect(&a, &b, CR_MAX, hit);
    a.single = true;
    assert_int_equal(cri_convex_pair(&a, &b, CR_MAX, general), 1);
    cr_real least = CR_MAX;
    for (int k = 0; k < n; k++) {
      assert_true(isfinite(hit[k].dist) && isfinite(cr_norm3(hit[k].pos)));
      assert_close(cr_norm3(hit[k].normal), 1, CR_R(1e-12));
      least = cr_min(least, hit[k].dist);
    }
    cr_real size = cr_max(p.size, cr_abs(least));
    bool capsules = type[0] == CR_GEOM_CAPSULE;
    other += !(cr_abs(least - general->dist) < TOLERANCE * size);
    assert_close(least / size, general->dist / size, capsules ? CR_R(1e-7) : TOLERANCE);
  }
  assert_true(other < 10);
}

// on shapes that are neither thin nor tiny, so that differences tell; transposes on all
TEST(derivatives_hold) {
  hull_store store[N_HULL];
  const cr_hull* hull[N_HULL];
  pair_report plain = {.hits = 0}, all = {.hits = 0};
  open_hulls(store, hull);
  for (int i = 0; i < 1500; i++) {
    cr_random r = cr_random_seed(4, (uint64_t)i);
    shake_pair p = draw(&r, hull);
    pair_check(&all, &CONVEX, &p.a, &p.b, CR_MAX, &r);
  }
  assert_close(all.bar_error, 0, CR_R(1e-7));
  const int32_t types[] = {CR_GEOM_SPHERE,   CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID,
                           CR_GEOM_CYLINDER, CR_GEOM_BOX,     CR_GEOM_MESH};
  for (int i = 0; i < 600; i++) {
    cr_random r = cr_random_seed(5, (uint64_t)i);
    solid s[2];
    for (int k = 0; k < 2; k++) {
      s[k] = solid_random(&r, CR_R(0.2), CR_R(0.6), CR_R(0.8));
      s[k].type = types[k == 0 ? i % 6 : i / 6 % 6];
      s[k].hull = s[k].type == CR_GEOM_MESH ? hull[cr_random_int(&r, 2) * 2] : NULL;
    }
    bool swap = s[0].type > s[1].type;
    pair_check(&plain, &CONVEX, &s[swap], &s[!swap], CR_R(0.2), &r);
  }
  pair_report_assert(&plain);
}
