// SPDX-License-Identifier: Apache-2.0
// Box against box: separation and depth by projecting corners on all fifteen axes, the patch of a
// face contact by trying points, layouts whose hits are plain to see, numbers of MuJoCo 4.0.0.
#include "geometry/box_box.h"

#include "checks/pair_check.h"
#include "geometry/box.h"
#include "support/close.h"

static const cr_pair PAIR = {cri_box_box, cri_box_box_tan, cri_box_box_bar};
enum { INCIDENT_CORNER, INCIDENT_EDGE, REFERENCE_CORNER, EDGE_PAIR, N_KIND };

// ---- oracles in the world frame

static void corner_of(const solid* s, int corner, cr_real v[3]) {
  cr_real local[3];
  for (int k = 0; k < 3; k++) {
    local[k] = corner >> k & 1 ? s->size[k] : -s->size[k];
  }
  cr_mulmat3(v, s->mat, local);
  cr_acc3(v, s->pos);
}

// least coordinate of b along n minus the greatest of a
static cr_real gap_along(const solid* a, const solid* b, const cr_real n[3]) {
  cr_real top = -CR_MAX, bottom = CR_MAX, v[3];
  for (int corner = 0; corner < 8; corner++) {
    corner_of(a, corner, v);
    top = cr_max(top, cr_dot3(n, v));
    corner_of(b, corner, v);
    bottom = cr_min(bottom, cr_dot3(n, v));
  }
  return bottom - top;
}

// the largest gap along +-n over the faces' normals, and over the edges' cross products
static void largest_gaps(const solid* a, const solid* b, cr_real* faces, cr_real* edges) {
  *faces = *edges = -CR_MAX;
  for (int i = 0; i < 15; i++) {
    cr_real n[3], u[3], v[3], minus[3];
    if (i < 6) {
      cr_col3(n, i < 3 ? a->mat : b->mat, i % 3);
    } else {
      cr_col3(u, a->mat, (i - 6) / 3);
      cr_col3(v, b->mat, i % 3);
      cr_cross3(n, u, v);
      if (cr_normalize3(n) < CR_R(1e-6)) {
        continue;
      }
    }
    cr_scl3(minus, n, -1);
    cr_real gap = cr_max(gap_along(a, b, n), gap_along(a, b, minus));
    cr_real* best = i < 6 ? faces : edges;
    *best = cr_max(*best, gap);
  }
}

static bool inside(const solid* box, const cr_real p[3], cr_real slack) {
  cr_shape shape = solid_shape(box);
  cr_real local[3];
  cri_box_local(local, &shape, p);
  for (int k = 0; k < 3; k++) {
    if (cr_abs(local[k]) > box->size[k] + slack) {
      return false;
    }
  }
  return true;
}

static solid random_box(cr_random* r) { return solid_random(r, CR_R(0.3), 1, 1); }

// nearly aligned with `like`
static solid leaning_box(cr_random* r, const solid* like) {
  solid box = random_box(r);
  cr_real axis[3] = {cr_random_normal(r), cr_random_normal(r), cr_random_normal(r)};
  cr_copy(box.mat, like->mat, 9);
  solid_turn(&box, axis, CR_R(0.1));
  return box;
}

// ---- properties

TEST(hits_exist_where_no_axis_separates) {
  cr_random r = cr_random_seed(1, 0);
  int apart = 0, meeting = 0, crossed = 0;
  for (int i = 0; i < 3000; i++) {
    solid a = random_box(&r), b = i % 3 ? random_box(&r) : leaning_box(&r, &a);
    cr_real margin = i % 2 ? CR_R(0.2) : 0, faces, edges;
    cr_hit hit[CR_MAX_HITS];
    largest_gaps(&a, &b, &faces, &edges);
    int n = solid_hits(&PAIR, &a, &b, margin, hit);
    if (cr_max(faces, edges) > margin) {
      assert_int_equal(n, 0);
      apart++;
      continue;
    }

    // overlap always has a hit; in the margin a face can be missed sideways
    assert_true(n > 0 || cr_max(faces, edges) > 0);
    meeting += n > 0;
    for (int k = 0; k < n; k++) {
      cr_real gap = gap_along(&a, &b, hit[k].normal);
      assert_true(hit[k].dist <= margin && hit[k].dist >= gap - CR_R(1e-13));
      assert_close(cr_norm3(hit[k].normal), 1, CR_R(1e-14));

      // the direction has the largest gap; edges yield to faces when little is lost
      if (hit[k].feature[0] == EDGE_PAIR) {
        assert_close(gap, edges, CR_R(1e-5));
        assert_true(edges > faces);
        assert_close(hit[k].dist, gap, CR_R(1e-13));
        crossed++;
      } else {
        assert_close(gap, faces, CR_R(1e-13));
        assert_true(edges <= faces + CR_R(0.051) * cr_abs(faces) + CR_R(1e-5));
      }
    }
  }
  assert_true(apart > 300 && meeting > 300 && crossed > 100);
}

TEST(both_points_of_a_hit_are_on_their_boxes) {
  cr_random r = cr_random_seed(2, 0);
  for (int i = 0; i < 2000; i++) {
    solid a = random_box(&r), b = i % 3 ? random_box(&r) : leaning_box(&r, &a);
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &a, &b, 0, hit);
    for (int k = 0; k < n; k++) {
      cr_real on_a[3], on_b[3];
      hit_points(&hit[k], on_a, on_b);
      assert_true(inside(&a, on_a, CR_R(1e-12)) && !inside(&a, on_a, CR_R(-1e-12)));
      assert_true(inside(&b, on_b, CR_R(1e-12)) && !inside(&b, on_b, CR_R(-1e-12)));
    }
  }
}

// signed distance of p from the polygon's sides, seen along the normal: positive inside
static cr_real depth_in_patch(const cr_hit* hit, int n, const cr_real p[3]) {
  cr_real mid[3] = {0, 0, 0}, least = CR_MAX;
  for (int k = 0; k < n; k++) {
    cr_accscl3(mid, hit[k].pos, 1 / (cr_real)n);
  }
  for (int k = 0; k < n; k++) {
    const cr_real *from = hit[k].pos, *to = hit[(k + 1) % n].pos;
    cr_real side[3], out[3], arm[3];
    cr_sub3(side, to, from);
    cr_cross3(out, side, hit[0].normal);
    cr_normalize3(out);
    cr_sub3(arm, mid, from);
    cr_real inward = cr_sign(cr_dot3(out, arm));
    cr_sub3(arm, p, from);
    least = cr_min(least, inward * cr_dot3(out, arm));
  }
  return least;
}

// With a margin that drops no vertex, a line along the normal passes the patch exactly if it meets
// the reference face and the incident face.
TEST(the_patch_is_where_both_faces_are) {
  cr_random r = cr_random_seed(3, 0);
  int in = 0, out = 0;
  for (int i = 0; i < 600; i++) {
    solid a = random_box(&r), b = i % 2 ? random_box(&r) : leaning_box(&r, &a);
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &a, &b, 0, hit);
    if (n == 0 || hit[0].feature[0] == EDGE_PAIR) {
      continue;
    }
    n = solid_hits(&PAIR, &a, &b, 10, hit);
    int ref = hit[0].feature[0] / 4, sign[3];
    const solid *s[2] = {&a, &b}, *boxes[2] = {s[ref], s[1 - ref]};
    cr_shape shapes[2] = {solid_shape(boxes[0]), solid_shape(boxes[1])};

    // the incident face looks most against the reference normal
    cr_real nu[3], seen[3];
    int32_t face[2] = {hit[0].feature[1], 0};
    cri_part_normal(nu, &shapes[0], face[0]);
    cr_multmat3(seen, boxes[1]->mat, nu);
    int axis = cr_abs(seen[1]) > cr_abs(seen[0]) ? 1 : 0;
    axis = cr_abs(seen[2]) > cr_abs(seen[axis]) ? 2 : axis;
    face[1] = cri_part(axis, seen[axis] > 0 ? -1 : 1);

    for (int t = 0; t < 20; t++) {
      cr_real p[3] = {0, 0, 0};
      for (int k = 0; k < 3; k++) {
        p[k] = boxes[0]->pos[k] + cr_random_range(&r, -1, 1);
      }
      // least depth below the faces' sides where the line p + x nu meets their planes
      cr_real least = CR_MAX;
      for (int f = 0; f < 2; f++) {
        cr_real c[3], d[3];
        cri_part_signs(sign, face[f]);
        cri_box_local(c, &shapes[f], p);
        cr_multmat3(d, boxes[f]->mat, nu);
        int out_axis = sign[0] ? 0 : sign[1] ? 1 : 2;
        cr_real x =
            ((cr_real)sign[out_axis] * boxes[f]->size[out_axis] - c[out_axis]) / d[out_axis];
        for (int k = 0; k < 3; k++) {
          if (k != out_axis) {
            least = cr_min(least, boxes[f]->size[k] - cr_abs(c[k] + x * d[k]));
          }
        }
      }
      if (cr_abs(least) > CR_R(1e-9) && n >= 3) {
        assert_true((depth_in_patch(hit, n, p) > 0) == (least > 0));
        in += least > 0;
        out += least < 0;
      }
    }
  }
  assert_true(in > 300 && out > 300);
}

TEST(exchanged_boxes_give_the_opposite_normal) {
  cr_random r = cr_random_seed(4, 0);
  for (int i = 0; i < 1000; i++) {
    solid a = random_box(&r), b = random_box(&r);
    cr_hit hit[CR_MAX_HITS], back[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &a, &b, CR_R(0.1), hit);
    assert_int_equal(solid_hits(&PAIR, &b, &a, CR_R(0.1), back), n);
    for (int k = 0; k < n; k++) {
      assert_close(hit[k].dist, back[k].dist, CR_R(1e-13));
      for (int x = 0; x < 3; x++) {
        assert_close(hit[k].pos[x], back[k].pos[x], CR_R(1e-12));
        assert_close(hit[k].normal[x], -back[k].normal[x], CR_R(1e-13));
      }
    }
  }
}

TEST(a_rigid_motion_carries_hits_along) {
  cr_random r = cr_random_seed(5, 0);
  for (int i = 0; i < 1000; i++) {
    solid a = random_box(&r), b = random_box(&r), by = random_box(&r);
    solid a2 = solid_carried(&a, &by), b2 = solid_carried(&b, &by);
    cr_hit hit[CR_MAX_HITS], hit2[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &a, &b, CR_R(0.1), hit);
    assert_int_equal(solid_hits(&PAIR, &a2, &b2, CR_R(0.1), hit2), n);
    for (int k = 0; k < n; k++) {
      cr_real pos[3], normal[3];
      cr_mulmat3(pos, by.mat, hit[k].pos);
      cr_acc3(pos, by.pos);
      cr_mulmat3(normal, by.mat, hit[k].normal);
      assert_close(hit2[k].dist, hit[k].dist, CR_R(1e-12));
      assert_all_close(hit2[k].pos, pos, 3, CR_R(1e-11));
      assert_all_close(hit2[k].normal, normal, 3, CR_R(1e-11));
    }
  }
}

// ---- plain layouts

TEST(stacked_boxes_touch_at_the_corners_of_the_smaller) {
  solid below = solid_at(0, 0, 0, 1, 1, CR_R(0.5));
  for (int upper_is_smaller = 0; upper_is_smaller < 2; upper_is_smaller++) {
    cr_real size = upper_is_smaller ? CR_R(0.4) : 2;
    solid above = solid_at(0, 0, CR_R(0.99), size, size, CR_R(0.5));
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIR, &below, &above, 0, hit), 4);
    for (int k = 0; k < 4; k++) {
      assert_close(hit[k].dist, CR_R(-0.01), CR_R(1e-15));
      assert_close(hit[k].normal[2], 1, CR_R(1e-15));
      assert_close(hit[k].pos[2], CR_R(0.495), CR_R(1e-15));
      assert_close(cr_abs(hit[k].pos[0]), cr_min(size, 1), CR_R(1e-15));
      assert_close(cr_abs(hit[k].pos[1]), cr_min(size, 1), CR_R(1e-15));
    }
  }
}

TEST(squares_turned_by_45_degrees_meet_in_an_octagon) {
  solid below = solid_at(0, 0, 0, 1, 1, 1), above = solid_at(0, 0, 2, 1, 1, 1);
  const cr_real z[3] = {0, 0, 1};
  solid_turn(&above, z, CR_PI / 4);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&PAIR, &below, &above, CR_R(0.01), hit), 8);
  for (int k = 0; k < 8; k++) {
    cr_real x = cr_abs(hit[k].pos[0]), y = cr_abs(hit[k].pos[1]);
    assert_close(cr_max(x, y), 1, CR_R(1e-14));
    assert_close(cr_min(x, y), cr_sqrt(2) - 1, CR_R(1e-14));
    assert_int_equal(hit[k].feature[0] % 4, INCIDENT_EDGE);
  }
}

// one box stands on an edge along x, the other hangs over it on an edge along y
TEST(crossed_edges_touch_once) {
  const cr_real x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, diagonal = cr_sqrt(2);
  solid below = solid_at(0, 0, 0, 1, 1, 1),
        above = solid_at(0, 0, 2 * diagonal - CR_R(0.1), 1, 1, 1);
  solid_turn(&below, x, CR_PI / 4);
  solid_turn(&above, y, CR_PI / 4);
  above.pos[0] = CR_R(0.2);
  above.pos[1] = CR_R(-0.3);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&PAIR, &below, &above, 0, hit), 1);
  assert_int_equal(hit[0].feature[0], EDGE_PAIR);
  assert_close(hit[0].dist, CR_R(-0.1), CR_R(1e-14));
  const cr_real pos[3] = {CR_R(0.2), 0, diagonal - CR_R(0.05)}, normal[3] = {0, 0, 1};
  for (int k = 0; k < 3; k++) {
    assert_close(hit[0].pos[k], pos[k], CR_R(1e-14));
    assert_close(hit[0].normal[k], normal[k], CR_R(1e-14));
  }
}

// ---- derivatives

static bool ends_at_corner(int32_t feature) {
  int sign[3];
  cri_part_signs(sign, (feature + 13) % 27 - 13);
  return sign[0] && sign[1] && sign[2];
}

TEST(derivatives_hold) {
  cr_random r = cr_random_seed(6, 0);
  pair_report report = {.hits = 0};
  int seen[N_KIND] = {0}, by_ref[2] = {0}, ended[2][2] = {{0}};
  for (int i = 0; i < 3000; i++) {
    solid a = random_box(&r), b = i % 3 ? random_box(&r) : leaning_box(&r, &a);
    cr_real margin = i % 2 ? 4 : 0;
    if (margin > 0) {
      // apart
      cr_scl3(b.pos, b.pos, 2);
    }
    pair_check(&report, &PAIR, &a, &b, margin, &r);

    // every kind of hit occurs: both references, edges that touch within them and at their ends
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &a, &b, margin, hit);
    for (int k = 0; k < n; k++) {
      seen[hit[k].feature[0] % 4]++;
      by_ref[hit[k].feature[0] / 4]++;
      if (hit[k].feature[0] == EDGE_PAIR) {
        ended[ends_at_corner(hit[k].feature[1])][ends_at_corner(hit[k].feature[2])]++;
      }
    }
  }
  for (int k = 0; k < N_KIND; k++) {
    assert_true(seen[k] > 50);
  }
  assert_true(by_ref[0] > 50 && by_ref[1] > 50);
  assert_true(ended[0][0] > 50 && ended[0][1] > 5 && ended[1][0] > 5 && ended[1][1] > 5);
  pair_report_assert(&report);
}

// flush sides, equal boxes in one place, a common edge: the tangent of a crossing that lies nowhere
// in particular is held, not infinite
TEST(aligned_boxes_have_finite_tangents) {
  const cr_real at[5][3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 2}, {2, 0, 2}, {2, 2, 2}};
  const cr_real z[3] = {0, 0, 1};
  for (int i = 0; i < 10; i++) {
    solid a = solid_at(0, 0, 0, 1, 1, 1),
          b = solid_at(at[i / 2][0], at[i / 2][1], at[i / 2][2], 1, 1, 1);
    if (i % 2) {
      solid_turn(&b, z, CR_R(1e-15));
    }
    cr_hit hit[CR_MAX_HITS];
    cr_shape shape_a = solid_shape(&a), shape_b = solid_shape(&b);
    int n = solid_hits(&PAIR, &a, &b, CR_R(1e-6), hit);
    assert_true(n > 0);
    for (int k = 0; k < n; k++) {
      cr_shape_tan a_tan = {{1, 2, 3}, {1, -1, 2}, {1, 1, 1}},
                   b_tan = {{0, 1, 0}, {2, 1, 1}, {1, 0, 0}};
      cr_hit_tan hit_tan;
      cri_box_box_tan(&shape_a, &shape_b, hit[k].feature, hit[k].local, &a_tan, &b_tan, &hit_tan);
      assert_true(cr_abs(hit_tan.dist) < 30);
      for (int x = 0; x < 3; x++) {
        assert_true(cr_abs(hit_tan.pos[x]) < 30 && cr_abs(hit_tan.normal[x]) < 30);
      }
    }
  }
}

// A box flat on another one, one face within the other: to either side of this pose the larger face is the
// reference, so here it is too, and normal, distance and place turn with it.
TEST(flat_boxes_turn_with_the_larger_face) {
#ifdef CR_LONG_DOUBLE
  const cr_real h = CR_R(1e-8), close = CR_R(1e-5);
#else
  const cr_real h = CR_R(1e-6), close = CR_R(1e-3);
#endif
  cr_random r = cr_random_seed(12, 0);
  int compared = 0;
  for (int i = 0; i < 300; i++) {
    solid s[2] = {solid_random(&r, CR_R(0.5), CR_R(0.6), 1),
                  solid_random(&r, CR_R(0.2), CR_R(0.3), 1)};
    cr_real up[3];
    cr_col3(up, s[0].mat, 2);
    cr_copy(s[1].mat, s[0].mat, 9);
    cr_copy3(s[1].pos, s[0].pos);
    solid_turn(&s[1], up, cr_random_range(&r, 0, CR_R(0.3)));
    cr_real height = s[0].size[2] + s[1].size[2] - cr_random_range(&r, CR_R(-0.05), CR_R(0.05));
    cr_accscl3(s[1].pos, up, i % 4 < 2 ? height : -height);
    if (i % 2) {
      solid swap = s[0];
      s[0] = s[1];
      s[1] = swap;
    }
    cr_shape shape[2] = {solid_shape(&s[0]), solid_shape(&s[1])};
    cr_hit hit[CR_MAX_HITS], side[2][CR_MAX_HITS];
    int n = solid_hits(&PAIR, &s[0], &s[1], CR_R(0.1), hit);
    for (int k = 0; k < 6; k++) {
      cr_shape_tan t[2] = {{.size = {0}}, {.size = {0}}};
      t[k / 3].rot[k % 3] = 1;
      int count[2];
      for (int e = 0; e < 2; e++) {
        solid a = solid_moved(&s[0], &t[0], e ? h : -h), b = solid_moved(&s[1], &t[1], e ? h : -h);
        count[e] = solid_hits(&PAIR, &a, &b, CR_R(0.1), side[e]);
      }
      for (int c = 0; c < n && count[0] == n && count[1] == n; c++) {
        cr_hit_tan found;
        cri_box_box_tan(&shape[0], &shape[1], hit[c].feature, hit[c].local, &t[0], &t[1], &found);
        for (int e = 0; e < 3; e++) {
          assert_close(found.normal[e], (side[1][c].normal[e] - side[0][c].normal[e]) / (2 * h),
                       close);
        }
        cr_real right = (side[1][c].dist - hit[c].dist) / h;
        cr_real left = (hit[c].dist - side[0][c].dist) / h;
        if (cr_abs(right - left) < close) {
          assert_close(found.dist, right, 10 * close);
        }
        compared++;
      }
    }
  }
  assert_true(compared > 5000);
}

// ---- MuJoCo

// a face of six points, a tilted one, crossed edges; crossed edges 10 degrees from a face, a face
// that nearly aligned edges yield to
TEST(numbers_are_those_of_mujoco) {
  static const struct {
    cr_real at[3], axis[3], angle, size[3];
    int n;
    cr_real normal[3];
    struct {
      cr_real dist, pos[3];
    } hit[6];
  } row[] = {
      {{CR_R(0.2), CR_R(0.1), CR_R(1.05)},
       {0, 0, 1},
       CR_R(0.6),
       {CR_R(0.3), CR_R(0.5), CR_R(0.5)},
       6,
       {0, 0, -1},
       {{CR_R(-0.05), {CR_R(0.2898337710170181), CR_R(0.5), CR_R(0.575)}},
        {CR_R(-0.05), {CR_R(-0.1008377195126219), CR_R(0.5), CR_R(0.575)}},
        {CR_R(-0.05), {CR_R(-0.3299219211704211), CR_R(0.3432750654363286), CR_R(0.575)}},
        {CR_R(-0.05), {CR_R(0.2347205522246141), CR_R(-0.4820605494733498), CR_R(0.575)}},
        {CR_R(-0.05), {CR_R(0.4), CR_R(-0.3689867955878198), CR_R(0.575)}},
        {CR_R(-0.05), {CR_R(0.4), CR_R(0.3389704695906971), CR_R(0.575)}}}},
      {{CR_R(0.6), CR_R(0.1), CR_R(0.9)},
       {CR_R(0.1), 1, CR_R(0.2)},
       CR_R(0.3),
       {CR_R(0.5), CR_R(0.4), CR_R(0.45)},
       4,
       {CR_R(-0.2892489247790316), CR_R(0.02033248371921022), CR_R(-0.9570379562065354)},
       {{CR_R(-0.09690583469454886),
         {CR_R(0.3859850457548936), CR_R(0.5009851681531116), CR_R(0.5536287190097202)}},
        {CR_R(-0.08949033736281604),
         {CR_R(0.3614204297733659), CR_R(0.5009097804137279), CR_R(0.5571771752150285)}},
        {CR_R(-0.001914462476026883),
         {CR_R(0.01360432222603303), CR_R(-0.3209857646494715), CR_R(0.5990838933723545)}},
        {CR_R(-0.1131785819856829),
         {CR_R(0.3836316084263128), CR_R(-0.2991818876008645), CR_R(0.545841900605034)}}}},
      {{CR_R(0.75), CR_R(0.8), CR_R(0.35)},
       {1, CR_R(0.3), CR_R(0.2)},
       CR_R(0.9),
       {CR_R(0.5), CR_R(0.4), CR_R(0.45)},
       1,
       {CR_R(-0.9278867157308984), CR_R(-0.3728622302810078), 0},
       {{CR_R(-0.1331223425153786),
         {CR_R(0.3382387734065009), CR_R(0.4751818532347418), CR_R(0.09326573369673236)}}}},
      {{CR_R(0.05), 0, CR_R(0.75)},
       {CR_R(0.3), CR_R(-0.85), CR_R(-0.75)},
       CR_R(0.25),
       {CR_R(0.5), CR_R(0.4), CR_R(0.45)},
       1,
       {CR_R(0.1766435801934872), 0, CR_R(-0.9842748831380527)},
       {{CR_R(-0.4011170140254701),
         {CR_R(-0.3645726272830098), CR_R(-0.3043429263480884), CR_R(0.402595298947698)}}}},
      {{CR_R(0.3), CR_R(0.15), CR_R(-0.85)},
       {CR_R(-0.3), CR_R(-0.65), CR_R(-0.75)},
       CR_R(1.35),
       {CR_R(0.5), CR_R(0.4), CR_R(0.45)},
       2,
       {0, 0, 1},
       {{CR_R(-0.4335530718139766),
         {CR_R(0.4), CR_R(0.2533479924711064), CR_R(-0.3832234640930117)}},
        {CR_R(-0.3912896656268363),
         {CR_R(-0.09849733149854334), CR_R(-0.05602776887779115), CR_R(-0.4043551671865818)}}}},
  };
  solid b = solid_at(0, 0, 0, CR_R(0.4), CR_R(0.5), CR_R(0.6));
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const cr_real *at = row[i].at, *size = row[i].size;
    solid a = solid_at(at[0], at[1], at[2], size[0], size[1], size[2]);
    solid_turn(&a, row[i].axis, row[i].angle);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIR, &a, &b, 0, hit), row[i].n);
    for (int k = 0; k < row[i].n; k++) {
      assert_close(hit[k].dist, row[i].hit[k].dist, CR_R(2e-15));
      assert_all_close(hit[k].pos, row[i].hit[k].pos, 3, CR_R(5e-15));
      assert_all_close(hit[k].normal, row[i].normal, 3, CR_R(5e-15));
    }
  }
}
