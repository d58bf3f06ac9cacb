// SPDX-License-Identifier: Apache-2.0
// Capsule against box: the least distance of segment and box by a search on the segment, layouts
// whose hits are plain to see, numbers of MuJoCo 4.0.0.
#include "geometry/capsule_box.h"

#include "checks/pair_check.h"
#include "geometry/box.h"
#include "support/close.h"

static const cr_pair PAIR = {cri_capsule_box, cri_capsule_box_tan, cri_capsule_box_bar};
static const cr_real Y[3] = {0, 1, 0};

// distance from the point x of the capsule's axis to the box, 0 inside
static cr_real distance(const solid* capsule, const solid* box, cr_real x) {
  cr_real u[3], p[3], local[3], out[3];
  cr_shape b = solid_shape(box);
  cr_col3(u, capsule->mat, 2);
  cr_copy3(p, capsule->pos);
  cr_accscl3(p, u, x * capsule->size[1]);
  cri_box_local(local, &b, p);
  for (int k = 0; k < 3; k++) {
    out[k] = cr_max(cr_abs(local[k]) - box->size[k], 0);
  }
  return cr_norm3(out);
}

// the distance to a convex set is convex along the axis: thirds close in on its least value
static cr_real least_distance(const solid* capsule, const solid* box) {
  cr_real low = -1, high = 1;
  for (int i = 0; i < 200; i++) {
    cr_real third = (high - low) / 3;
    if (distance(capsule, box, low + third) < distance(capsule, box, high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return distance(capsule, box, (low + high) / 2);
}

TEST(first_hit_is_the_nearest_point) {
  cr_random r = cr_random_seed(1, 0);
  int compared = 0;
  for (int i = 0; i < 3000; i++) {
    solid capsule = solid_random(&r, CR_R(0.2), 1, 2), box = solid_random(&r, CR_R(0.2), 1, 1);
    cr_real least = least_distance(&capsule, &box);
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &capsule, &box, 10, hit);
    assert_true(n == 1 || n == 2);
    if (least > CR_R(1e-3)) {
      assert_close(hit[0].dist, least - capsule.size[0], CR_R(1e-12));
      compared++;
    }

    // both are balls on the axis at the place that was saved
    for (int k = 0; k < n; k++) {
      cr_real d = distance(&capsule, &box, hit[k].local[0]);
      assert_true(cr_abs(hit[k].local[0]) <= 1 + CR_R(1e-14));
      if (d > CR_R(1e-9)) {
        assert_close(hit[k].dist, d - capsule.size[0], CR_R(1e-12));
      }
    }
  }
  assert_true(compared > 1000);
}

// a capsule of radius 0.2 and half length `half` along x, above the upper face of a unit cube
static int lying(cr_real x, cr_real half, cr_real tilt, cr_hit hit[CR_MAX_HITS]) {
  solid box = solid_at(0, 0, 0, 1, 1, 1), capsule = solid_at(x, 0, CR_R(1.15), CR_R(0.2), half, 0);
  solid_turn(&capsule, Y, CR_PI / 2 + tilt);
  return solid_hits(&PAIR, &capsule, &box, CR_R(0.01), hit);
}

TEST(flat_on_a_face_touches_at_both_ends) {
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(lying(0, CR_R(0.5), CR_R(0.001), hit), 2);
  assert_close(hit[0].pos[0], CR_R(0.5), CR_R(1e-3));
  assert_close(hit[1].pos[0], -CR_R(0.5), CR_R(1e-3));
  assert_close(hit[0].dist, CR_R(0.15) - CR_R(0.2) - CR_R(0.5) * cr_sin(CR_R(0.001)), CR_R(1e-12));
  assert_close(hit[1].dist, CR_R(0.15) - CR_R(0.2) + CR_R(0.5) * cr_sin(CR_R(0.001)), CR_R(1e-12));
}

TEST(overhanging_stops_at_the_side) {
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(lying(CR_R(0.8), CR_R(0.5), -CR_R(0.001), hit), 2);
  assert_close(hit[0].pos[0], CR_R(0.3), CR_R(1e-3));
  assert_close(hit[1].pos[0], 1, CR_R(1e-12));

  // far over both sides: from side to side
  assert_int_equal(lying(0, 3, CR_R(0.001), hit), 2);
  assert_close(cr_abs(hit[0].pos[0]), 1, CR_R(1e-3));
  assert_close(hit[0].pos[0] + hit[1].pos[0], 0, CR_R(1e-3));
}

TEST(upright_or_across_an_edge_touches_once) {
  solid box = solid_at(0, 0, 0, 1, 1, 1);
  solid capsule = solid_at(CR_R(0.1), CR_R(0.2), CR_R(1.6), CR_R(0.2), CR_R(0.5), 0);
  cr_hit hit[CR_MAX_HITS];
  assert_int_equal(solid_hits(&PAIR, &capsule, &box, 0, hit), 1);
  assert_close(hit[0].dist, -CR_R(0.1), CR_R(1e-15));

  // over the middle of the edge x = z = 1, square to it and 45 degrees to both faces
  cr_real gap = CR_R(0.15) / cr_sqrt(2);
  capsule = solid_at(1 + gap, CR_R(0.3), 1 + gap, CR_R(0.2), CR_R(0.5), 0);
  solid_turn(&capsule, Y, 3 * CR_PI / 4);
  assert_int_equal(solid_hits(&PAIR, &capsule, &box, 0, hit), 1);
  assert_close(hit[0].dist, -CR_R(0.05), CR_R(1e-14));
  assert_close(hit[0].normal[0], -1 / cr_sqrt(2), CR_R(1e-14));
  assert_close(hit[0].normal[2], -1 / cr_sqrt(2), CR_R(1e-14));
  assert_close(hit[0].pos[1], CR_R(0.3), CR_R(1e-14));
}

// parallel to a face, in line with an edge, standing on a corner: hits and tangents stay finite
TEST(singular_layouts_stay_finite) {
  const cr_real at[4][3] = {{0, 0, CR_R(1.1)}, {0, 1, CR_R(1.1)}, {1, 1, CR_R(1.7)}, {0, 0, 0}};
  cr_random r = cr_random_seed(2, 0);
  for (int i = 0; i < 4; i++) {
    solid box = solid_at(0, 0, 0, 1, 1, 1);
    solid capsule = solid_at(at[i][0], at[i][1], at[i][2], CR_R(0.3), CR_R(0.5), 0);
    if (i < 2) {
      solid_turn(&capsule, Y, CR_PI / 2);
    }
    pair_report report = {.hits = 0};
    pair_check(&report, &PAIR, &capsule, &box, 0, &r);
    assert_int_equal(report.hits, i < 2 ? 2 : 1);
    assert_true(report.bar_error < CR_R(1e-11));
  }
}

TEST(derivatives_hold) {
  cr_random r = cr_random_seed(3, 0);
  pair_report report = {.hits = 0};
  int ends = 0, corners = 0, edges = 0, faces = 0, steps = 0;
  for (int i = 0; i < 4000; i++) {
    solid capsule = solid_random(&r, CR_R(0.3), 2, CR_R(1.5)),
          box = solid_random(&r, CR_R(0.3), 1, 0);
    pair_check(&report, &PAIR, &capsule, &box, CR_R(0.2), &r);

    // every kind of place occurs
    cr_hit hit[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &capsule, &box, CR_R(0.2), hit);
    for (int k = 0; k < n; k++) {
      int sign[3];
      cri_part_signs(sign, hit[k].feature[1]);
      int naxis = (sign[0] != 0) + (sign[1] != 0) + (sign[2] != 0);
      ends += hit[k].feature[2] != 0;
      faces += naxis == 1;
      edges += naxis == 2;
      corners += naxis == 3;
      steps += hit[k].feature[3] != 0;
    }
  }
  assert_true(ends > 20 && faces > 20 && edges > 20 && corners > 20 && steps > 20);
  pair_report_assert(&report);
}

TEST(a_rigid_motion_carries_hits_along) {
  cr_random r = cr_random_seed(4, 0);
  for (int i = 0; i < 300; i++) {
    solid capsule = solid_random(&r, CR_R(0.3), 1, 1), box = solid_random(&r, CR_R(0.3), 1, 0);
    solid by = solid_random(&r, 1, 2, 2);
    solid capsule2 = solid_carried(&capsule, &by), box2 = solid_carried(&box, &by);
    cr_hit hit[CR_MAX_HITS], hit2[CR_MAX_HITS];
    int n = solid_hits(&PAIR, &capsule, &box, CR_R(0.1), hit);
    assert_int_equal(solid_hits(&PAIR, &capsule2, &box2, CR_R(0.1), hit2), n);
    for (int k = 0; k < n; k++) {
      cr_real pos[3], normal[3];
      cr_mulmat3(pos, by.mat, hit[k].pos);
      cr_acc3(pos, by.pos);
      cr_mulmat3(normal, by.mat, hit[k].normal);
      assert_close(hit2[k].dist, hit[k].dist, CR_R(1e-11));
      assert_all_close(hit2[k].pos, pos, 3, CR_R(1e-10));
      assert_all_close(hit2[k].normal, normal, 3, CR_R(1e-10));
    }
  }
}

TEST(numbers_are_those_of_mujoco) {
  static const struct {
    cr_real at[3], axis[3], angle, half;
    int n;
    struct {
      cr_real dist, pos[3], normal[3];
    } hit[2];
  } row[] = {
      {{CR_R(0.1), CR_R(0.05), CR_R(0.85)},
       {1, CR_R(0.2), 0},
       CR_R(1.5),
       CR_R(0.5),
       2,
       {{CR_R(-0.08311009097568733),
         {CR_R(0.006871109032560843), CR_R(0.4970025989898897), CR_R(0.5585531980403633)},
         {0, CR_R(-0.0721308561913879), CR_R(-0.9973951772417479)}},
        {CR_R(-0.01463139916614847),
         {CR_R(0.1978124307962509), CR_R(-0.4390621539812545), CR_R(0.5926843004169258)},
         {0, 0, -1}}}},
      {{CR_R(0.6), CR_R(0.55), CR_R(0.3)},
       {1, CR_R(0.4), CR_R(0.3)},
       CR_R(0.8),
       CR_R(0.6),
       1,
       {{CR_R(-0.100176904042042),
         {CR_R(0.355887394126894), CR_R(0.476273832400783), CR_R(0.2476163414779077)},
         {CR_R(-0.8806941339411518), CR_R(-0.4736853833945531), 0}}}},
      {{CR_R(0.25), CR_R(-0.9), CR_R(-0.95)},
       {CR_R(-0.25), CR_R(-0.65), CR_R(-0.15)},
       CR_R(1.3),
       CR_R(0.6),
       1,
       {{CR_R(-0.09603515493792947),
         {CR_R(-0.2450270866107765), CR_R(-0.4734731729457119), CR_R(-0.5599748180214015)},
         {0, CR_R(0.55243992830403), CR_R(0.8335527131594249)}}}},
      {{CR_R(0.6), CR_R(0.6), CR_R(0.75)},
       {1, -1, CR_R(0.2)},
       CR_R(1.4),
       CR_R(0.6),
       2,
       {{CR_R(-0.09803972571473896),
         {CR_R(0.3856551864914093), CR_R(0.4214193853331282), CR_R(0.5531259850241195)},
         {CR_R(-0.2926326732151226), 0, CR_R(-0.9562249309482426)}},
        {CR_R(-0.03825462182338751),
         {CR_R(0.2348537729682526), CR_R(0.137202848603575), CR_R(0.5808726890883062)},
         {0, 0, -1}}}},
  };
  solid box = solid_at(0, 0, 0, CR_R(0.4), CR_R(0.5), CR_R(0.6));
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    solid capsule = solid_at(row[i].at[0], row[i].at[1], row[i].at[2], CR_R(0.3), row[i].half, 0);
    solid_turn(&capsule, row[i].axis, row[i].angle);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIR, &capsule, &box, 0, hit), row[i].n);
    for (int k = 0; k < row[i].n; k++) {
      assert_close(hit[k].dist, row[i].hit[k].dist, CR_R(1e-14));
      assert_all_close(hit[k].pos, row[i].hit[k].pos, 3, CR_R(1e-13));
      assert_all_close(hit[k].normal, row[i].hit[k].normal, 3, CR_R(1e-13));
    }
  }
}
