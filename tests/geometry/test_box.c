// SPDX-License-Identifier: Apache-2.0
// Sphere against box: optimality conditions of the nearest point, the nearest of six faces, numbers
// of MuJoCo 4.0.0.
#include "geometry/box.h"

#include "checks/pair_check.h"
#include "support/close.h"

static const cr_pair PAIR = {cri_sphere_box, cri_sphere_box_tan, cri_sphere_box_bar};

static int naxis(int32_t part) {
  int sign[3];
  cri_part_signs(sign, part);
  return (sign[0] != 0) + (sign[1] != 0) + (sign[2] != 0);
}

TEST(parts_pack_their_signs) {
  for (int x = -1; x <= 1; x++) {
    for (int y = -1; y <= 1; y++) {
      for (int z = -1; z <= 1; z++) {
        int sign[3];
        cri_part_signs(sign, cri_part(0, x) + cri_part(1, y) + cri_part(2, z));
        assert_int_equal(sign[0], x);
        assert_int_equal(sign[1], y);
        assert_int_equal(sign[2], z);
      }
    }
  }
}

// q is the nearest point of a convex set to p if no point v of it has (v - q) . (p - q) > 0; for a
// box the corners are enough
static void assert_nearest(const solid* box, const cr_real q[3], const cr_real p[3]) {
  cr_real toward[3];
  cr_sub3(toward, p, q);
  for (int corner = 0; corner < 8; corner++) {
    cr_real v[3], local[3];
    for (int k = 0; k < 3; k++) {
      local[k] = corner >> k & 1 ? box->size[k] : -box->size[k];
    }
    cr_mulmat3(v, box->mat, local);
    cr_acc3(v, box->pos);
    cr_sub3(v, v, q);
    assert_true(cr_dot3(v, toward) <= CR_R(1e-13));
  }
}

TEST(outside_the_point_on_the_box_is_the_nearest) {
  cr_random r = cr_random_seed(1, 0);
  int seen[4] = {0, 0, 0, 0};
  for (int i = 0; i < 2000; i++) {
    solid ball = solid_random(&r, CR_R(0.2), 1, 3), box = solid_random(&r, CR_R(0.2), 1, 1);
    cr_hit hit[CR_MAX_HITS];
    cr_real on_a[3], on_b[3], local[3], radius[3];
    cr_shape b = solid_shape(&box);
    cri_box_local(local, &b, ball.pos);
    if (cri_part_nearest(local, box.size) == 0) {
      continue;
    }
    assert_int_equal(solid_hits(&PAIR, &ball, &box, 10, hit), 1);
    hit_points(hit, on_a, on_b);
    assert_nearest(&box, on_b, ball.pos);
    cri_box_local(local, &b, on_b);
    for (int k = 0; k < 3; k++) {
      assert_true(cr_abs(local[k]) <= box.size[k] + CR_R(1e-14));
    }

    // the other one is where the sphere is nearest to it
    cr_sub3(radius, on_a, ball.pos);
    assert_close(cr_norm3(radius), ball.size[0], CR_R(1e-14));
    assert_close(cr_dot3(radius, hit->normal), ball.size[0], CR_R(1e-14));
    seen[naxis(hit->feature[0])]++;

    // it is a hit up to its distance
    assert_int_equal(solid_hits(&PAIR, &ball, &box, hit->dist + CR_R(1e-12), hit), 1);
    assert_int_equal(solid_hits(&PAIR, &ball, &box, hit->dist - CR_R(1e-12), hit), 0);
  }
  assert_true(seen[1] > 100 && seen[2] > 100 && seen[3] > 100);
}

TEST(inside_the_nearest_face_pushes_out) {
  cr_random r = cr_random_seed(2, 0);
  for (int i = 0; i < 500; i++) {
    solid box = solid_random(&r, CR_R(0.5), 1, 1), ball = box;
    cr_real local[3], depth = 10, out[3];
    for (int k = 0; k < 3; k++) {
      local[k] = box.size[k] * cr_random_range(&r, -1, 1);
      depth = cr_min(depth, box.size[k] - cr_abs(local[k]));
    }
    cr_mulmat3(ball.pos, box.mat, local);
    cr_acc3(ball.pos, box.pos);
    ball.size[0] = CR_R(0.3);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIR, &ball, &box, 0, hit), 1);
    assert_close(hit->dist, -depth - ball.size[0], CR_R(1e-14));

    // moved by -dist against the normal, the ball touches the box from outside
    cr_copy3(out, ball.pos);
    cr_accscl3(ball.pos, hit->normal, hit->dist);
    cr_hit touch[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIR, &ball, &box, CR_R(1e-12), touch), 1);
    assert_close(touch->dist, 0, CR_R(1e-14));
    assert_close(cr_dot3(touch->normal, hit->normal), 1, CR_R(1e-14));
  }
}

// a centre at the middle of a cube, on a face, an edge and a corner has a face, and finite tangents
TEST(degenerate_centres_have_a_face) {
  const cr_real at[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, 1, -1}};
  cr_random r = cr_random_seed(3, 0);
  for (int i = 0; i < 4; i++) {
    solid ball = solid_at(at[i][0], at[i][1], at[i][2], CR_R(0.5), 0, 0);
    solid box = solid_at(0, 0, 0, 1, 1, 1);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIR, &ball, &box, 0, hit), 1);
    assert_int_equal(naxis(hit->feature[0]), 1);
    assert_close(hit->dist, i == 0 ? -CR_R(1.5) : -CR_R(0.5), CR_R(1e-15));
    pair_report report = {.hits = 0};
    pair_check(&report, &PAIR, &ball, &box, 1, &r);
    assert_true(report.bar_error < CR_R(1e-12));
  }
}

TEST(derivatives_hold) {
  cr_random r = cr_random_seed(4, 0);
  pair_report report = {.hits = 0};
  for (int i = 0; i < 2000; i++) {
    solid ball = solid_random(&r, CR_R(0.3), 1, CR_R(1.5)), box = solid_random(&r, CR_R(0.3), 1, 0);
    pair_check(&report, &PAIR, &ball, &box, CR_R(0.2), &r);
  }
  assert_true(report.hits > 1000);
  pair_report_assert(&report);
}

TEST(numbers_are_those_of_mujoco) {
  static const struct {
    cr_real at[3], dist, pos[3], normal[3];
  } row[] = {
      {{CR_R(0.7), CR_R(0.1), CR_R(0.2)},
       CR_R(-0.2),
       {CR_R(0.3), CR_R(0.1), CR_R(0.2)},
       {-1, 0, 0}},
      {{CR_R(0.55), CR_R(-0.62), CR_R(0.2)},
       CR_R(-0.3079062728770146),
       {CR_R(0.2797827976392424), CR_R(-0.403826238111394), CR_R(0.2)},
       {CR_R(-0.7808688094430304), CR_R(0.6246950475544243), 0}},
      {{CR_R(0.1), CR_R(-0.2), CR_R(0.35)},
       CR_R(-0.75),
       {CR_R(0.1), CR_R(-0.2), CR_R(0.225)},
       {0, 0, -1}},
  };
  solid box = solid_at(0, 0, 0, CR_R(0.4), CR_R(0.5), CR_R(0.6));
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    solid ball = solid_at(row[i].at[0], row[i].at[1], row[i].at[2], CR_R(0.5), 0, 0);
    cr_hit hit[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIR, &ball, &box, 0, hit), 1);
    assert_close(hit->dist, row[i].dist, CR_R(1e-14));
    for (int k = 0; k < 3; k++) {
      assert_close(hit->pos[k], row[i].pos[k], CR_R(1e-14));
      assert_close(hit->normal[k], row[i].normal[k], CR_R(1e-14));
    }
  }
}
