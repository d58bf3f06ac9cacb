// SPDX-License-Identifier: Apache-2.0
// Aligned shapes: axes, edges, sides and faces parallel, or almost. Where forward is
// smooth the derivative of each number of a contact by each number of both shapes is that of forward, entry by
// entry. At a kink it lies between the slopes. The points of a contact are on both shapes.
#include "checks/shake.h"
#include "geometry/convex_pair.h"
#include "geometry/face_clipping.h"
#include "geometry/support_map.h"
#include "math/quat.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_HULL = 4, N_SHAPE = 9, N_IN = 2 * N_SHAPE, N_OUT = 7 };

#ifdef CR_LONG_DOUBLE
static const cr_real STEP = CR_R(1e-8), CLOSE = CR_R(1e-5);
#else
static const cr_real STEP = CR_R(1e-6), CLOSE = CR_R(1e-3);
#endif
// a change by more than this over a step is a leap
static const cr_real LEAP = 1000;

static void open_hulls(hull_store store[N_HULL], const cr_hull* hull[N_HULL]) {
  hull_prism(&store[0], 3, CR_R(0.5), CR_R(0.4));
  hull_prism(&store[1], 4, CR_R(0.6), CR_R(0.5));
  hull_prism(&store[2], 6, CR_R(0.4), CR_R(0.3));
  hull_spindle(&store[3], 6, CR_R(0.4), CR_R(0.5));
  for (int i = 0; i < N_HULL; i++) {
    hull[i] = &store[i].hull;
  }
}

// ---- poses

// one of the 24 turns of a cube
static void cube_turn(cr_random* r, cr_real mat[9]) {
  int i = cr_random_int(r, 3), j = (i + 1 + cr_random_int(r, 2)) % 3;
  cr_real x[3] = {0, 0, 0}, y[3] = {0, 0, 0}, z[3];
  x[i] = random_chance(r, CR_R(0.5)) ? 1 : -1;
  y[j] = random_chance(r, CR_R(0.5)) ? 1 : -1;
  cr_cross3(z, x, y);
  for (int k = 0; k < 3; k++) {
    mat[3 * k] = x[k];
    mat[3 * k + 1] = y[k];
    mat[3 * k + 2] = z[k];
  }
}

// moves b along a way until the two are `gap` apart, negative in overlap
static void approach(const solid* a, solid* b, const cr_real way[3], cr_real gap) {
  cr_real far = 4, near = 0, start[3];
  cr_copy3(start, b->pos);
  for (int k = 0; k < 60; k++) {
    cr_real middle = (far + near) / 2;
    cr_hit hit[CR_MAX_HITS];
    cr_copy3(b->pos, start);
    cr_accscl3(b->pos, way, middle);
    cr_shape shape_a = solid_shape(a), shape_b = solid_shape(b);
    shape_a.single = true;
    if (cri_convex_pair(&shape_a, &shape_b, CR_MAX, hit) == 1 && hit->dist > gap) {
      far = middle;
    } else {
      near = middle;
    }
  }
  cr_copy3(b->pos, start);
  cr_accscl3(b->pos, way, far);
}

// b's axes along those of a, or turned about one of them, or next to that; beside, over or under a
static void draw(cr_random* r, const int32_t type[2], const cr_hull* const* hull, int i,
                 solid s[2]) {
  static const cr_real off[4] = {0, CR_R(1e-12), CR_R(3e-11), CR_R(1e-3)};
  cr_real turn[9], way[3], axis[3];
  for (int k = 0; k < 2; k++) {
    s[k] = solid_random(r, CR_R(0.2), CR_R(0.6), k == 0 ? CR_R(0.5) : 0);
    s[k].type = type[k];
    s[k].hull = type[k] == CR_GEOM_MESH ? hull[cr_random_int(r, N_HULL)] : NULL;
  }
  if (i % 2) {
    const cr_real eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    cr_copy(s[0].mat, eye, 9);
  }
  cube_turn(r, turn);
  cr_matmul3(s[1].mat, s[0].mat, turn);
  cr_col3(axis, s[0].mat, cr_random_int(r, 3));
  if (i % 3 == 1) {
    solid_turn(&s[1], axis, cr_random_range(r, 0, 6));
  }
  random_unit3(r, way);
  if (i % 3 == 2) {
    cr_copy3(way, axis);
  }
  random_unit3(r, axis);
  solid_turn(&s[1], axis, off[i / 6 % 4]);
  cr_copy3(s[1].pos, s[0].pos);
  for (int k = 0; k < 3 && i % 6 > 2; k++) {
    s[1].pos[k] += CR_R(0.1) * cr_random_normal(r);
  }
  approach(&s[0], &s[1], way, cr_random_range(r, CR_R(-0.04), CR_R(0.03)));
}

// ---- entries

static cr_shape_tan unit(int k) {
  cr_shape_tan t = {{0}, {0}, {0}};
  *(k < 3 ? &t.pos[k] : k < 6 ? &t.rot[k - 3] : &t.size[k - 6]) = 1;
  return t;
}

static int hits_of(const solid s[2], bool single, cr_hit hit[CR_MAX_HITS]) {
  cr_shape a = solid_shape(&s[0]), b = solid_shape(&s[1]);
  a.single = single;
  return cri_convex_pair(&a, &b, CR_R(0.05), hit);
}

// with number k of the two shapes moved by h
static int hits_beside(const solid s[2], int k, cr_real h, bool single, cr_hit hit[CR_MAX_HITS]) {
  cr_shape_tan t = unit(k % N_SHAPE);
  solid moved[2] = {s[0], s[1]};
  moved[k / N_SHAPE] = solid_moved(&s[k / N_SHAPE], &t, h);
  return hits_of(moved, single, hit);
}

static void numbers(const cr_hit* h, cr_real x[N_OUT]) {
  x[0] = h->dist;
  cr_copy3(x + 1, h->pos);
  cr_copy3(x + 4, h->normal);
}

static void tangent(const solid s[2], const cr_hit* hit, int k, cr_real x[N_OUT]) {
  cr_shape a = solid_shape(&s[0]), b = solid_shape(&s[1]);
  cr_shape_tan still = {{0}, {0}, {0}}, moves = unit(k % N_SHAPE);
  cr_hit_tan t;
  cri_convex_pair_tan(&a, &b, hit->feature, hit->local, k < N_SHAPE ? &moves : &still,
                      k < N_SHAPE ? &still : &moves, &t);
  x[0] = t.dist;
  cr_copy3(x + 1, t.pos);
  cr_copy3(x + 4, t.normal);
}

// a single contact along a face: the place on it is one of many, and told to be (cri_collision_leaps)
static bool is_on_face(const cr_hit* hit) {
  int a = hit->feature[0] % 8, b = hit->feature[0] / 8;
  return hit->feature[0] < CR_MANIFOLD && (a == CR_TOUCH_FACE || b == CR_TOUCH_FACE) &&
         a >= CR_TOUCH_EDGE && b >= CR_TOUCH_EDGE;
}

typedef struct {
  int smooth, kinks, leaps, wrong;
} tally;

// one number of a contact by one number of a shape, its slopes to both sides, and its tangent
static void count(tally* t, cr_real right, cr_real left, cr_real at) {
  cr_real slack = CLOSE * (1 + cr_abs(right));
  if (cr_abs(right) > LEAP || cr_abs(left) > LEAP) {
    t->leaps++;
  } else if (cr_abs(right - left) > slack) {
    t->kinks++;
    t->wrong += at > cr_max(right, left) + slack || at < cr_min(right, left) - slack;
  } else {
    t->smooth++;
    t->wrong += !(cr_abs(at - right) <= 10 * slack);
  }
}

static void look(const solid s[2], bool single, tally* t) {
  cr_hit hit[CR_MAX_HITS], right[CR_MAX_HITS], left[CR_MAX_HITS];
  int n = hits_of(s, single, hit);
  for (int k = 0; k < N_IN; k++) {
    if (hits_beside(s, k, STEP, single, right) != n ||
        hits_beside(s, k, -STEP, single, left) != n) {
      continue;
    }
    for (int c = 0; c < n; c++) {
      cr_real at[N_OUT], x[N_OUT], r[N_OUT], l[N_OUT];
      tangent(s, &hit[c], k, at);
      numbers(&hit[c], x);
      numbers(&right[c], r);
      numbers(&left[c], l);
      bool leaps = false;
      for (int e = 0; e < N_OUT; e++) {
        leaps = leaps || cr_abs(r[e] - x[e]) > LEAP * STEP || cr_abs(x[e] - l[e]) > LEAP * STEP;
      }
      for (int e = 0; e < N_OUT && !leaps && !is_on_face(&hit[c]); e++) {
        count(t, (r[e] - x[e]) / STEP, (x[e] - l[e]) / STEP, at[e]);
      }
      t->leaps += leaps;
    }
  }
}

static void all_types(bool single) {
  hull_store store[N_HULL];
  const cr_hull* hull[N_HULL];
  tally t = {0};
  open_hulls(store, hull);
  for (int32_t a = CR_GEOM_SPHERE; a <= CR_GEOM_MESH; a++) {
    for (int32_t b = a; b <= CR_GEOM_MESH; b++) {
      for (int i = 0; i < 60; i++) {
        cr_random r = cr_random_seed(77, (uint64_t)i);
        solid s[2];
        draw(&r, (const int32_t[]){a, b}, hull, i, s);
        look(s, single, &t);
      }
      assert_int_equal(t.wrong, 0);
    }
  }
  assert_true(t.smooth > 100000);
  assert_true(t.kinks < t.smooth / 50 && t.leaps < t.smooth / 50);
}

TEST(single_contacts_move_as_forward_does) { all_types(true); }
TEST(several_contacts_move_as_forward_does) { all_types(false); }

// the two points of a single contact are on the shapes, and the normal is right
TEST(points_are_on_both_shapes) {
  hull_store store[N_HULL];
  const cr_hull* hull[N_HULL];
  open_hulls(store, hull);
  for (int i = 0; i < 1500; i++) {
    cr_random r = cr_random_seed(78, (uint64_t)i);
    int32_t type[2] = {CR_GEOM_SPHERE + cr_random_int(&r, 6),
                       CR_GEOM_SPHERE + cr_random_int(&r, 6)};
    solid s[2];
    bool swap = type[0] > type[1];
    draw(&r, (const int32_t[]){type[swap], type[!swap]}, hull, i, s);
    shake_pair p = {
        .a = s[0], .b = s[1], .size = solid_shape(&s[0]).bound + solid_shape(&s[1]).bound};
    shake_result x = shake_check(&p, &r);
    assert_true(x.sane);
    assert_close(x.extent, 0, CR_R(1e-9));
    assert_close(x.deeper, 0, CR_R(1e-9));
    assert_true(x.outside < CR_R(1e-9));
  }
}

// ---- parallel lines

// [collision_convex.o9] the place parts the way between the middles of the two as their lengths are
static void part_the_way(int32_t type_a, int32_t type_b) {
  for (int i = 0; i < 60; i++) {
    cr_random r = cr_random_seed(79, (uint64_t)i);
    solid s[2] = {solid_random(&r, CR_R(0.2), CR_R(0.6), CR_R(0.5)),
                  solid_random(&r, CR_R(0.2), CR_R(0.6), 0)};
    cr_real axis[3], way[3], arm[3];
    s[0].type = type_a;
    s[1].type = type_b;
    cr_copy(s[1].mat, s[0].mat, 9);
    cr_col3(axis, s[0].mat, 2);
    random_unit3(&r, way);
    cr_accscl3(way, axis, -cr_dot3(axis, way));
    cr_normalize3(way);
    cr_real slip = cr_random_range(&r, CR_R(-0.9), CR_R(0.9)) * (s[0].size[1] + s[1].size[1]);
    cr_copy3(s[1].pos, s[0].pos);
    cr_accscl3(s[1].pos, axis, slip);
    approach(&s[0], &s[1], way, cr_random_range(&r, CR_R(-0.02), CR_R(0.03)));
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(hits_of(s, true, hit), 1);
    cr_sub3(arm, hit->pos, s[0].pos);
    cr_real share = s[0].size[1] / (s[0].size[1] + s[1].size[1]);
    assert_close(cr_dot3(axis, arm), share * slip, CR_R(1e-9));

    // its derivative by the slip, by the lengths; and the distance turns about the middle of what is shared
    cr_real along[N_IN], by[N_OUT], turned = 0;
    for (int k = 0; k < N_IN; k++) {
      tangent(s, hit, k, by);
      along[k] = cr_dot3(axis, by + 1);
    }
    assert_close(cr_dot3(axis, along), 1 - share, CR_R(1e-9));
    assert_close(cr_dot3(axis, along + N_SHAPE), share, CR_R(1e-9));
    cr_real sum = s[0].size[1] + s[1].size[1];
    assert_close(along[7], s[1].size[1] / (sum * sum) * slip, CR_R(1e-9));
    assert_close(along[7 + N_SHAPE], -s[0].size[1] / (sum * sum) * slip, CR_R(1e-9));
    cr_real low = cr_max(-s[0].size[1], slip - s[1].size[1]);
    cr_real high = cr_min(s[0].size[1], slip + s[1].size[1]), lever[3];
    cr_cross3(lever, axis, hit->normal);
    for (int k = 0; k < 3; k++) {
      tangent(s, hit, 3 + k, by);
      turned += by[0] * lever[k];
    }
    assert_close(turned, -(low + high) / 2, CR_R(1e-9));
  }
}

TEST(parallel_sides_part_the_way) {
  part_the_way(CR_GEOM_CAPSULE, CR_GEOM_CAPSULE);
  part_the_way(CR_GEOM_CAPSULE, CR_GEOM_CYLINDER);
  part_the_way(CR_GEOM_CYLINDER, CR_GEOM_CYLINDER);
}
