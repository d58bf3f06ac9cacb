// SPDX-License-Identifier: Apache-2.0
// Height fields: against planes where they are flat or slanted, against all normals of a prism and a
// box, which cells are looked at, and derivatives by poses, sizes and heights.
#include "geometry/hfield.h"

#include "checks/pair_check.h"
#include "geometry/convex_pair.h"
#include "geometry/support_map.h"
#include "model/model.h"
#include "scenes/hulls.h"
#include "scenes/random_model.h"
#include "support/close.h"

#define TOLERANCE CR_R(1e-11)

static const cr_pair FIELD = {cri_hfield_convex, cri_hfield_convex_tan, cri_hfield_convex_bar};

enum { ROWS = 5, COLUMNS = 4, GRID = ROWS * COLUMNS };

// a field that owns its numbers
typedef struct {
  cr_real size[4], data[GRID];
  cr_terrain terrain;
  solid place;
} store;

static void open_store(store* s, cr_random* r) {
  const cr_real size[4] = {CR_R(0.8), CR_R(1.1), CR_R(0.5), CR_R(0.3)};
  cr_copy(s->size, size, 4);
  for (int i = 0; i < GRID; i++) {
    s->data[i] = cr_random_uniform(r);
  }
  s->terrain = (cr_terrain){ROWS, COLUMNS, s->size, s->data};
  s->place = solid_random(r, 1, 2, 1);
  s->place.type = CR_GEOM_HFIELD;
  s->place.terrain = &s->terrain;
}

// heights linear in the place: z = slope[0] x + slope[1] y + slope[2]
static void slant(store* s, const cr_real slope[3]) {
  for (int i = 0; i < GRID; i++) {
    cr_real x = (2 * (cr_real)(i % COLUMNS) / (COLUMNS - 1) - 1) * s->size[0];
    cr_real y = (2 * (cr_real)(i / COLUMNS) / (ROWS - 1) - 1) * s->size[1];
    s->data[i] = (slope[0] * x + slope[1] * y + slope[2]) / s->size[2];
  }
}

static solid random_of(cr_random* r, int32_t type, const hull_store* hull) {
  solid s = solid_random(r, CR_R(0.08), CR_R(0.25), 0);
  s.type = type;
  s.hull = type == CR_GEOM_MESH ? &hull->hull : NULL;
  return s;
}

// puts a shape at a point of the field's own frame
static void put(solid* s, const store* field, cr_real x, cr_real y, cr_real z) {
  const cr_real p[3] = {x, y, z};
  cr_mulmat3(s->pos, field->place.mat, p);
  cr_acc3(s->pos, field->place.pos);
}

static const int32_t TYPES[6] = {CR_GEOM_SPHERE,   CR_GEOM_CAPSULE, CR_GEOM_ELLIPSOID,
                                 CR_GEOM_CYLINDER, CR_GEOM_BOX,     CR_GEOM_MESH};

// ---- distances

TEST(a_slanted_field_is_a_plane) {
  cr_random r = cr_random_seed(1, 0);
  store s;
  hull_store hull;
  hull_prism(&hull, 5, CR_R(0.15), CR_R(0.2));
  open_store(&s, &r);
  const cr_real slope[3] = {CR_R(0.2), CR_R(-0.1), CR_R(0.25)};
  slant(&s, slope);
  cr_real up[3] = {-slope[0], -slope[1], 1}, normal[3];
  cr_normalize3(up);
  cr_mulmat3(normal, s.place.mat, up);
  for (int i = 0; i < 600; i++) {
    solid b = random_of(&r, TYPES[i % 6], &hull);
    cr_real x = cr_random_range(&r, CR_R(-0.3), CR_R(0.3)),
            y = cr_random_range(&r, CR_R(-0.4), CR_R(0.4));
    put(&b, &s, x, y, slope[0] * x + slope[1] * y + slope[2] + CR_R(0.3));

    // the shape moved along the normal until it is 0.01 above
    cr_shape shape = solid_shape(&b), field = solid_shape(&s.place);
    cr_real end[3], origin[3] = {0, 0, slope[2]};
    const cr_real none[3] = {0, 0, 0}, eye[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const cr_shape point = {.pos = none, .mat = eye, .size = none, .type = CR_GEOM_SPHERE};
    cr_mulmat3(end, s.place.mat, origin);
    cr_acc3(end, s.place.pos);
    cr_real above = -cri_convex_depth(&point, &shape, normal);  // lowest point along the normal
    cr_real depth = cr_dot3(normal, end) - above;
    cr_accscl3(b.pos, normal, depth + CR_R(0.01));

    cr_hit hit[CR_MAX_HITS];
    int n = cri_hfield_convex(&field, &shape, CR_R(0.02), hit);
    assert_in_range(n, 1, 30);
    int deepest = 0;
    for (int k = 0; k < n; k++) {
      deepest = hit[k].dist < hit[deepest].dist ? k : deepest;
    }
    assert_close(hit[deepest].dist, CR_R(0.01), TOLERANCE);
    for (int k = 0; k < 3; k++) {
      assert_close(hit[deepest].normal[k], normal[k], CR_R(1e-8));
    }
  }
}

// all normals that can separate a prism and a box
static void separating(cr_real corner[6][3], const solid* box, int i, cr_real n[3]) {
  static const int edge[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                 {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  static const int face[5][3] = {{0, 1, 2}, {3, 4, 5}, {0, 1, 3}, {1, 2, 4}, {2, 0, 5}};
  cr_real e1[3], e2[3];
  if (i < 3) {
    cr_col3(n, box->mat, i);
  } else if (i < 8) {
    cr_sub3(e1, corner[face[i - 3][1]], corner[face[i - 3][0]]);
    cr_sub3(e2, corner[face[i - 3][2]], corner[face[i - 3][0]]);
    cr_cross3(n, e1, e2);
  } else {
    cr_sub3(e1, corner[edge[(i - 8) / 3][1]], corner[edge[(i - 8) / 3][0]]);
    cr_col3(e2, box->mat, (i - 8) % 3);
    cr_cross3(n, e1, e2);
  }
  cr_normalize3(n);
}

TEST(prisms_meet_boxes_at_their_least_depth) {
  cr_random r = cr_random_seed(2, 0);
  store s;
  int seen = 0;
  open_store(&s, &r);
  for (int i = 0; i < 300; i++) {
    solid b = random_of(&r, CR_GEOM_BOX, NULL);
    put(&b, &s, cr_random_range(&r, -1, 1), cr_random_range(&r, -1, 1),
        cr_random_range(&r, 0, CR_R(0.6)));
    cr_shape shape = solid_shape(&b), field = solid_shape(&s.place);
    cr_hit hit[CR_MAX_HITS];
    int n = cri_hfield_convex(&field, &shape, 0, hit);
    for (int k = 0; k < n; k++) {
      // corners of the prism from the number of its cell: two triangles a cell, as in MuJoCo
      int prism = hit[k].feature[0] / 64, cell = prism / 2;
      int row = cell / (COLUMNS - 1), col = cell % (COLUMNS - 1);
      const int at[2][3][2] = {{{1, 0}, {0, 0}, {1, 1}}, {{0, 0}, {0, 1}, {1, 1}}};
      cr_real corner[6][3], least = CR_MAX;
      for (int c = 0; c < 6; c++) {
        int y = row + at[prism % 2][c % 3][0], x = col + at[prism % 2][c % 3][1];
        const cr_real p[3] = {(2 * (cr_real)x / (COLUMNS - 1) - 1) * s.size[0],
                              (2 * (cr_real)y / (ROWS - 1) - 1) * s.size[1],
                              c < 3 ? -s.size[3] : s.size[2] * s.data[y * COLUMNS + x]};
        cr_mulmat3(corner[c], s.place.mat, p);
        cr_acc3(corner[c], s.place.pos);
      }
      for (int c = 0; c < 35; c++) {
        cr_real m[3];
        separating(corner, &b, c, m);
        for (int sign = 0; sign < 2 && cr_norm3(m) > 0; sign++) {
          cr_scl3(m, m, -1);
          least = cr_min(least, cri_hfield_depth(&field, &shape, hit[k].feature, m));
        }
      }
      assert_close(hit[k].dist, -least, TOLERANCE);
      seen++;
    }
  }
  assert_true(seen > 500);
}

// ---- which prisms

TEST(cells_come_row_by_row_and_in_reach) {
  cr_random r = cr_random_seed(3, 0);
  store s;
  open_store(&s, &r);
  for (int i = 0; i < 400; i++) {
    solid b = random_of(&r, TYPES[i % 5], NULL);
    put(&b, &s, cr_random_range(&r, -1, 1), cr_random_range(&r, -1, 1),
        cr_random_range(&r, 0, CR_R(0.6)));
    cr_real margin = cr_random_range(&r, 0, CR_R(0.3));
    cr_shape shape = solid_shape(&b), field = solid_shape(&s.place);
    cr_hit hit[CR_MAX_HITS], all[CR_MAX_HITS];
    int n = cri_hfield_convex(&field, &shape, margin, hit), k = 0;

    // the same as those in reach when all prisms of the grid are looked at
    int every = cri_hfield_convex(&field, &shape, 4, all);
    assert_int_equal(every, 2 * (ROWS - 1) * (COLUMNS - 1));
    for (int j = 0; j < every; j++) {
      assert_int_equal(all[j].feature[0] / 64, j);
      if (all[j].dist <= margin) {
        assert_true(k < n);
        assert_int_equal(hit[k].feature[0] / 64, j);
        assert_close(hit[k].dist, all[j].dist, TOLERANCE);
        k++;
      }
    }
    assert_int_equal(k, n);
  }
}

TEST(there_are_at_most_fifty) {
  enum { WIDE = 12 };
  static cr_real data[WIDE * WIDE];
  const cr_real size[4] = {1, 1, 1, 1};
  const cr_terrain terrain = {WIDE, WIDE, size, data};
  solid a = solid_at(0, 0, 0, 1, 1, 1),
        b = solid_at(0, 0, CR_R(0.3), CR_R(0.99), CR_R(0.99), CR_R(0.2));
  a.type = CR_GEOM_HFIELD;
  a.terrain = &terrain;
  b.type = CR_GEOM_BOX;
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&FIELD, &a, &b, CR_R(0.2), hit), CR_MAX_HITS);
  for (int k = 0; k < CR_MAX_HITS; k++) {
    assert_close(hit[k].dist, CR_R(0.1), TOLERANCE);
  }
}

TEST(a_touch_at_the_border_is_found) {
  store s;
  cr_random r = cr_random_seed(4, 0);
  open_store(&s, &r);
  const cr_real flat[3] = {0, 0, CR_R(0.2)};
  slant(&s, flat);
  solid b = random_of(&r, CR_GEOM_SPHERE, NULL);
  cr_hit hit[CR_MAX_HITS];

  // beside the base; below it; above
  put(&b, &s, s.size[0] + b.size[0] - CR_R(0.01), CR_R(0.1), 0);
  assert_true(solid_hits(&FIELD, &s.place, &b, 0, hit) > 0);
  assert_close(hit[0].dist, CR_R(-0.01), TOLERANCE);
  put(&b, &s, CR_R(0.2), CR_R(0.1), -s.size[3] - b.size[0] + CR_R(0.02));
  assert_true(solid_hits(&FIELD, &s.place, &b, 0, hit) > 0);
  put(&b, &s, CR_R(0.2), CR_R(0.1), CR_R(0.2) + b.size[0] + CR_R(0.02));
  assert_int_equal(solid_hits(&FIELD, &s.place, &b, 0, hit), 0);
  assert_true(solid_hits(&FIELD, &s.place, &b, CR_R(0.021), hit) > 0);
}

// ---- derivatives

TEST(derivatives_by_poses) {
  cr_random r = cr_random_seed(5, 0);
  hull_store hull;
  hull_spindle(&hull, 6, CR_R(0.15), CR_R(0.2));
  for (int t = 0; t < 6; t++) {
    pair_report report = {.hits = 0};
    store s;
    open_store(&s, &r);
    for (int i = 0; i < 40; i++) {
      solid b = random_of(&r, TYPES[t], &hull);
      put(&b, &s, cr_random_range(&r, CR_R(-0.6), CR_R(0.6)),
          cr_random_range(&r, CR_R(-0.8), CR_R(0.8)), cr_random_range(&r, CR_R(0.2), CR_R(0.6)));
      pair_check(&report, &FIELD, &s.place, &b, CR_R(0.05), &r);
    }
    pair_report_assert(&report);
  }
}

// true if the place is a smooth matter here: which of several equal triangles it is taken from is one of
// round-off, and it leaps with it
static bool is_smooth(const cr_hit* before, const cr_hit* at, const cr_hit* after, cr_real slack) {
  bool smooth = memcmp(before->feature, at->feature, sizeof at->feature) == 0 &&
                memcmp(after->feature, at->feature, sizeof at->feature) == 0;
  for (int i = 0; i < 3; i++) {
    smooth = smooth && cr_abs(after->pos[i] + before->pos[i] - 2 * at->pos[i]) < slack;
  }
  return smooth;
}

// the largest difference of a tangent's place from the central one at the step h; returns the number
// of hits compared
static int compare_places(const solid* a, const solid* b, const cr_shape_tan* a_tan,
                          const cr_shape_tan* b_tan, cr_real* error) {
  const cr_real h = CR_R(1e-6);
  cr_shape field = solid_shape(a), shape = solid_shape(b);
  cr_hit hit[CR_MAX_HITS], side[2][CR_MAX_HITS];
  int n = solid_hits(&FIELD, a, b, 0, hit), compared = 0;
  for (int s = 0; s < 2; s++) {
    solid a2 = solid_moved(a, a_tan, s == 0 ? -h : h), b2 = solid_moved(b, b_tan, s == 0 ? -h : h);
    if (solid_hits(&FIELD, &a2, &b2, 0, side[s]) != n) {
      return 0;
    }
  }
  for (int k = 0; k < n; k++) {
    cr_hit_tan t;
    cri_hfield_convex_tan(&field, &shape, hit[k].feature, hit[k].local, a_tan, b_tan, &t);
    if (is_smooth(&side[0][k], &hit[k], &side[1][k], CR_R(1e-5) * h)) {
      for (int i = 0; i < 3; i++) {
        cr_real difference = (side[1][k].pos[i] - side[0][k].pos[i]) / (2 * h);
        *error = cr_max(*error, cr_abs(difference - t.pos[i]));
      }
      compared++;
    }
  }
  return compared;
}

// A box that is aligned with the field: its edges lie along the slopes and its faces along the flats. As
// both slip along each other the place of a contact goes with neither.
TEST(places_slide_along_parallel_features) {
  const cr_real slopes[2][3] = {{CR_R(0.23), 0, CR_R(0.3)}, {0, 0, CR_R(0.3)}};
  cr_random r = cr_random_seed(7, 0);
  for (int k = 0; k < 2; k++) {
    int compared = 0;
    cr_real error = 0;
    for (int i = 0; i < 60; i++) {
      store s;
      open_store(&s, &r);
      slant(&s, slopes[k]);
      solid b = random_of(&r, CR_GEOM_BOX, NULL);
      cr_copy(b.mat, s.place.mat, 9);
      put(&b, &s, cr_random_range(&r, CR_R(-0.6), CR_R(0.6)),
          cr_random_range(&r, CR_R(-0.8), CR_R(0.8)), CR_R(0.25) + b.size[2]);

      // both turn together, and slip
      cr_shape_tan a_tan = {{0}, {0}, {0}}, b_tan = {{0}, {0}, {0}};
      cr_real arm[3];
      for (int c = 0; c < 3; c++) {
        a_tan.pos[c] = cr_random_range(&r, -1, 1);
        b_tan.pos[c] = a_tan.pos[c] + cr_random_range(&r, -1, 1);
        a_tan.rot[c] = b_tan.rot[c] = i % 2 * cr_random_range(&r, -1, 1);
      }
      cr_sub3(arm, b.pos, s.place.pos);
      cr_acccross3(b_tan.pos, a_tan.rot, arm);
      compared += compare_places(&s.place, &b, &a_tan, &b_tan, &error);
    }
    assert_true(compared > 60);
    assert_true(error < CR_R(1e-8));
  }
}

// and as the box grows; where round-off chose a triangle beside the foot, that is stretched as well
TEST(places_stretch_along_parallel_features) {
  const cr_real slope[3] = {CR_R(0.23), 0, CR_R(0.3)};
  const cr_shape_tan still = {{0}, {0}, {0}}, grows = {.size = {CR_R(0.4), CR_R(0.7), CR_R(-0.5)}};
  cr_random r = cr_random_seed(8, 0);
  int right = 0, wrong = 0;
  for (int i = 0; i < 100; i++) {
    store s;
    open_store(&s, &r);
    slant(&s, slope);
    solid b = random_of(&r, CR_GEOM_BOX, NULL);
    cr_copy(b.mat, s.place.mat, 9);
    put(&b, &s, cr_random_range(&r, CR_R(-0.6), CR_R(0.6)),
        cr_random_range(&r, CR_R(-0.8), CR_R(0.8)), CR_R(0.25) + b.size[2]);
    cr_real error = 0;
    if (compare_places(&s.place, &b, &still, &grows, &error) > 0) {
      right += error < CR_R(1e-8);
      wrong += !(error < CR_R(1e-8));
    }
  }
  assert_true(right > 4 * wrong && right > 30);
}

// tangent of a hit when the numbers of the field move
static void lifted(const store* s, const solid* b, const cr_hit* hit, const cr_real size_tan[4],
                   const cr_real* data_tan, cr_hit_tan* hit_tan) {
  cr_shape field = solid_shape(&s->place), shape = solid_shape(b);
  cr_shape_tan a_tan = {{0}, {0}, {0}}, b_tan = {{0}, {0}, {0}};
  int32_t place[3];
  cri_hfield_heights(&s->terrain, hit->feature, place);
  const cr_real height_tan[3] = {data_tan[place[0]], data_tan[place[1]], data_tan[place[2]]};
  cri_hfield_lift_tan(&field, &shape, hit->feature, hit->local, size_tan, height_tan, &a_tan);
  cri_hfield_convex_tan(&field, &shape, hit->feature, hit->local, &a_tan, &b_tan, hit_tan);
}

TEST(derivatives_by_sizes_and_heights) {
  cr_random r = cr_random_seed(6, 0);
  hull_store hull;
  hull_spindle(&hull, 6, CR_R(0.15), CR_R(0.2));
  const cr_real h = CR_R(1e-5), weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  int compared = 0, skipped = 0;
  for (int i = 0; i < 240; i++) {
    store s, moved;
    open_store(&s, &r);
    solid b = random_of(&r, TYPES[i % 6], &hull);
    put(&b, &s, cr_random_range(&r, CR_R(-0.6), CR_R(0.6)),
        cr_random_range(&r, CR_R(-0.8), CR_R(0.8)), cr_random_range(&r, CR_R(0.2), CR_R(0.6)));
    cr_real size_tan[4], data_tan[GRID];
    for (int k = 0; k < GRID; k++) {
      data_tan[k] = cr_random_range(&r, -1, 1);
      size_tan[k % 4] = cr_random_range(&r, -1, 1);
    }
    cr_hit hit[CR_MAX_HITS], near[4][CR_MAX_HITS];
    int n = solid_hits(&FIELD, &s.place, &b, CR_R(0.05), hit), count[4];
    for (int k = 0; k < 4; k++) {
      moved = s;
      moved.terrain.size = moved.size;
      moved.terrain.data = moved.data;
      moved.place.terrain = &moved.terrain;
      for (int j = 0; j < GRID; j++) {
        moved.data[j] += at[k] * h * data_tan[j];
        moved.size[j % 4] += j < 4 ? at[k] * h * size_tan[j] : 0;
      }
      count[k] = solid_hits(&FIELD, &moved.place, &b, CR_R(0.05), near[k]);
    }
    for (int j = 0; j < n; j++) {
      cr_hit_tan hit_tan;
      cr_real dist = 0, pos[3] = {0}, normal[3] = {0};
      bool same = true;
      lifted(&s, &b, &hit[j], size_tan, data_tan, &hit_tan);
      for (int k = 0; k < 4; k++) {
        same = same && count[k] == n &&
               memcmp(near[k][j].feature, hit[j].feature, sizeof hit[j].feature) == 0;
        dist += weight[k] / (12 * h) * near[k][j].dist;
        cr_accscl3(pos, near[k][j].pos, weight[k] / (12 * h));
        cr_accscl3(normal, near[k][j].normal, weight[k] / (12 * h));
      }
      compared += same;
      skipped += !same;
      for (int k = 0; k < 3 && same; k++) {
        assert_close(hit_tan.dist, dist, CR_R(1e-6));
        assert_close(hit_tan.pos[k], pos[k], CR_R(1e-5));
        assert_close(hit_tan.normal[k], normal[k], CR_R(1e-5));
      }

      // the transpose: of the motion of the whole field, from any cotangent
      cr_shape field = solid_shape(&s.place), shape = solid_shape(&b);
      cr_shape_tan y = {{0}, {0}, {0}}, moves = {{0}, {0}, {0}};
      cr_real size_bar[4] = {0}, height_bar[3] = {0}, left = 0, right = 0;
      int32_t place[3];
      cri_hfield_heights(&s.terrain, hit[j].feature, place);
      const cr_real height_tan[3] = {data_tan[place[0]], data_tan[place[1]], data_tan[place[2]]};
      random_unit3(&r, y.pos);
      random_unit3(&r, y.rot);
      cri_hfield_lift_tan(&field, &shape, hit[j].feature, hit[j].local, size_tan, height_tan,
                          &moves);
      cri_hfield_lift_bar(&field, &shape, hit[j].feature, hit[j].local, &y, size_bar, height_bar);
      for (int k = 0; k < 3; k++) {
        left += y.pos[k] * moves.pos[k] + y.rot[k] * moves.rot[k];
        right += height_bar[k] * height_tan[k];
      }
      for (int k = 0; k < 4; k++) {
        right += size_bar[k] * size_tan[k];
      }
      assert_close(left, right, TOLERANCE);
    }
  }
  assert_true(compared > 300 && 5 * skipped < compared);
}

// a field moved by h times the tangents of its sizes and heights
static void resized(store* to, const store* s, const cr_real size_tan[4], const cr_real* data_tan,
                    cr_real h) {
  *to = *s;
  to->terrain.size = to->size;
  to->terrain.data = to->data;
  to->place.terrain = &to->terrain;
  for (int k = 0; k < GRID; k++) {
    to->data[k] += h * data_tan[k];
  }
  for (int k = 0; k < 4; k++) {
    to->size[k] += h * size_tan[k];
  }
}

// A capsule upright in the field touches the upright sides of prisms along a line: the place on it rides on how
// these sides stretch, not on their first corner. (Where round-off weighed it of a triangle beside the foot, that
// is left out.)
TEST(places_along_a_side_follow_sizes_and_heights) {
#ifdef CR_LONG_DOUBLE
  const cr_real h = CR_R(1e-8), close = CR_R(1e-5);
#else
  const cr_real h = CR_R(1e-6), close = CR_R(1e-3);
#endif
  cr_random r = cr_random_seed(8, 0);
  int right = 0, wrong = 0;
  for (int i = 0; i < 400; i++) {
    store s, moved;
    open_store(&s, &r);
    solid b = random_of(&r, CR_GEOM_CAPSULE, NULL);
    cr_copy(b.mat, s.place.mat, 9);
    put(&b, &s, cr_random_range(&r, CR_R(-0.6), CR_R(0.6)),
        cr_random_range(&r, CR_R(-0.8), CR_R(0.8)), cr_random_range(&r, CR_R(-0.2), CR_R(0.2)));
    cr_real size_tan[4] = {0}, data_tan[GRID] = {0};
    if (i % 5 < 4) {
      size_tan[i % 5] = 1;
    } else {
      for (int k = 0; k < GRID; k++) {
        data_tan[k] = cr_random_range(&r, -1, 1);
      }
    }
    cr_hit hit[CR_MAX_HITS], up[CR_MAX_HITS], down[CR_MAX_HITS];
    int n = solid_hits(&FIELD, &s.place, &b, 0, hit);
    resized(&moved, &s, size_tan, data_tan, h);
    int n_up = solid_hits(&FIELD, &moved.place, &b, 0, up);
    resized(&moved, &s, size_tan, data_tan, -h);
    int n_down = solid_hits(&FIELD, &moved.place, &b, 0, down);
    for (int j = 0; j < n && n_up == n && n_down == n; j++) {
      int touch = hit[j].feature[0] % 64;
      if (touch != CR_TOUCH_FACE + 8 * CR_TOUCH_EDGE) {
        continue;
      }
      cr_hit_tan hit_tan;
      bool smooth = true, same = true;
      lifted(&s, &b, &hit[j], size_tan, data_tan, &hit_tan);
      for (int k = 0; k < 3; k++) {
        cr_real above = (up[j].pos[k] - hit[j].pos[k]) / h;
        cr_real below = (hit[j].pos[k] - down[j].pos[k]) / h;
        smooth = smooth && cr_abs(above - below) < close;
        same = same && cr_abs(hit_tan.pos[k] - above) < 10 * close;
      }
      right += smooth && same;
      wrong += smooth && !same;
    }
  }
  assert_true(right > 20 * wrong && right > 50);
}
