// SPDX-License-Identifier: Apache-2.0
// Soft pairs of round shapes: what softness leaves alone, limits of small softness and of large
// shapes, values by hand, derivatives.
#include "collision/soft_pairs.h"

#include "checks/pair_check.h"
#include "geometry/plane.h"
#include "geometry/plane_convex.h"
#include "geometry/sphere_capsule.h"
#include "model/model.h"
#include "support/close.h"

#define TOLERANCE (256 * CR_EPS)
#define SOFT(name) \
  { cri_soft_##name, cri_soft_##name##_tan, cri_soft_##name##_bar }

enum { N_PAIR = 7 };
static const cr_pair PAIRS[N_PAIR] = {
    SOFT(plane_sphere),   SOFT(plane_ellipsoid), SOFT(sphere_sphere),  SOFT(plane_capsule),
    SOFT(plane_cylinder), SOFT(sphere_capsule),  SOFT(capsule_capsule)};
static const int32_t TYPES[N_PAIR] = {CR_GEOM_SPHERE,  CR_GEOM_ELLIPSOID, CR_GEOM_SPHERE,
                                      CR_GEOM_CAPSULE, CR_GEOM_CYLINDER,  CR_GEOM_CAPSULE,
                                      CR_GEOM_CAPSULE};
static const cr_pair HARD[N_PAIR] = {
    {.detect = cri_plane_sphere},   {.detect = cri_plane_ellipsoid}, {.detect = cri_sphere_sphere},
    {.detect = cri_plane_capsule},  {.detect = cri_plane_cylinder},  {.detect = cri_sphere_capsule},
    {.detect = cri_capsule_capsule}};

static const cr_real X_AXIS[3] = {1, 0, 0};

static void compare_hits(const cr_hit* soft, const cr_hit* hard, cr_real tolerance) {
  assert_close(soft->dist, hard->dist, tolerance);
  for (int k = 0; k < 3; k++) {
    assert_close(soft->pos[k], hard->pos[k], tolerance);
    assert_close(soft->normal[k], hard->normal[k], tolerance);
  }
}

// spheres, ellipsoids and ends of capsules: only the frame is soft
TEST(points_are_those_of_hard_pairs) {
  cr_random r = cr_random_seed(21, 0);
  for (int i = 0; i < 200; i++) {
    int k = i % 4;
    solid a = solid_random(&r, CR_R(0.1), 1, 1), b = solid_random(&r, CR_R(0.1), 1, 1);
    b.type = TYPES[k];
    b.softness = CR_R(0.1);
    cr_hit soft[CR_MAX_HITS], hard[CR_MAX_HITS];
    int n = solid_hits(&PAIRS[k], &a, &b, 2, soft);
    assert_int_equal(n, solid_hits(&HARD[k], &a, &b, 2, hard));
    for (int j = 0; j < n; j++) {
      compare_hits(&soft[j], &hard[j], 16 * TOLERANCE);
      assert_true(cr_norm3(soft[j].hint) > CR_R(0.5));
    }
  }
}

// the frame of a capsule follows its axis where it lies, not where it stands
TEST(frame_follows_the_axis) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  solid capsule = solid_at(0, 0, 0, CR_R(0.2), CR_R(0.5), 0);
  cr_hit hit[CR_MAX_HITS];
  capsule.softness = CR_R(0.01);
  assert_int_equal(solid_hits(&PAIRS[3], &plane, &capsule, CR_MAX, hit), 2);
  assert_close(hit[0].hint[1], 1, CR_R(1e-6));
  solid_turn(&capsule, (const cr_real[3]){0, 1, 0}, CR_PI / 2);
  assert_int_equal(solid_hits(&PAIRS[3], &plane, &capsule, CR_MAX, hit), 2);
  assert_close(hit[0].hint[0], 1, CR_R(1e-6));
}

// three of the four hard points, or two of them and half of the way to the fourth
TEST(cylinder_goes_from_disk_to_side) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0);
  cr_hit soft[CR_MAX_HITS], hard[CR_MAX_HITS];
  for (int i = 1; i < 8; i++) {
    solid b = solid_at(0, 0, CR_R(0.4), CR_R(0.3), CR_R(0.5), 0);
    b.softness = CR_R(1e-4);
    solid_turn(&b, (const cr_real[3]){1, 2, 0}, CR_R(0.2) * (cr_real)i);
    assert_int_equal(solid_hits(&PAIRS[4], &plane, &b, CR_MAX, soft), 3);
    assert_int_equal(solid_hits(&HARD[4], &plane, &b, CR_MAX, hard), 4);
    compare_hits(&soft[0], &hard[0], CR_R(1e-9));
    compare_hits(&soft[1], &hard[2], CR_R(1e-9));
    compare_hits(&soft[2], &hard[3], CR_R(1e-9));
  }
  // lying, to a hundredth of a degree: the second contact is at the other disk
  solid b = solid_at(0, 0, CR_R(0.3), CR_R(0.3), CR_R(0.5), 0);
  b.softness = CR_R(1e-5);
  solid_turn(&b, X_AXIS, CR_PI / 2 - CR_R(2e-4));
  assert_int_equal(solid_hits(&PAIRS[4], &plane, &b, CR_MAX, soft), 3);
  assert_int_equal(solid_hits(&HARD[4], &plane, &b, CR_MAX, hard), 4);
  compare_hits(&soft[0], &hard[0], CR_R(1e-6));
  compare_hits(&soft[1], &hard[1], CR_R(1e-6));
}

// a standing cylinder: the first direction is its own x axis, by half
TEST(standing_cylinder_is_defined) {
  solid plane = solid_at(0, 0, 0, 0, 0, 0), b = solid_at(0, 0, CR_R(0.5), CR_R(0.3), CR_R(0.5), 0);
  cr_hit soft[CR_MAX_HITS];
  b.softness = CR_R(1e-3);
  assert_int_equal(solid_hits(&PAIRS[4], &plane, &b, 1, soft), 3);
  for (int i = 0; i < 3; i++) {
    assert_close(soft[i].dist, 0, CR_R(1e-4));
    assert_true(cr_norm3(soft[i].pos) <= CR_R(0.31));
  }
}

// capsules that are large against the width of the clips
TEST(large_capsules_are_hard) {
  cr_random r = cr_random_seed(22, 0);
  int compared = 0;
  for (int i = 0; i < 200; i++) {
    int k = 5 + i % 2;
    solid a = solid_random(&r, 100, 200, 300), b = solid_random(&r, 100, 200, 300);
    b.softness = CR_R(0.1);
    cr_hit soft[CR_MAX_HITS], hard[CR_MAX_HITS];
    assert_int_equal(solid_hits(&PAIRS[k], &a, &b, CR_MAX, soft), 1);
    if (solid_hits(&HARD[k], &a, &b, CR_R(1e4), hard) == 1 && hard[0].dist > -50) {
      // along a segment t is soft to 0.01 of the length, but in the distance only to second order
      assert_close(soft[0].dist, hard[0].dist, k == 5 ? 1 : CR_R(1.5));
      assert_true(soft[0].dist > hard[0].dist - CR_R(1e-4));
      compared++;
    }
  }
  assert_true(compared > 50);
}

// the published soft clip moves the foot of the middle nowhere and that of an end by 0.01 ln 2
TEST(segment_is_clipped_softly) {
  solid ball = solid_at(0, 0, 0, CR_R(0.1), 0, 0), b = solid_at(1, 0, 0, CR_R(0.1), CR_R(0.5), 0);
  cr_hit hit[CR_MAX_HITS];
  b.softness = CR_R(0.1);
  assert_int_equal(solid_hits(&PAIRS[5], &ball, &b, CR_MAX, hit), 1);
  assert_close(hit[0].dist, CR_R(0.8), CR_R(1e-6));
  ball.pos[2] = CR_R(0.5);
  assert_int_equal(solid_hits(&PAIRS[5], &ball, &b, CR_MAX, hit), 1);
  cr_real off = CR_R(0.01) * cr_log1p(1), length = cr_sqrt(1 + off * off);
  assert_close(hit[0].dist, length - CR_R(0.2), CR_R(1e-7));
  assert_close(hit[0].normal[2], -off / length, CR_R(1e-5));
}

TEST(derivatives) {
  for (int k = 0; k < N_PAIR; k++) {
    cr_random r = cr_random_seed(23, (uint64_t)k);
    pair_report report = {0};
    for (int i = 0; i < 60; i++) {
      solid a = solid_random(&r, CR_R(0.2), 1, CR_R(0.5));
      solid b = solid_random(&r, CR_R(0.2), 1, CR_R(0.5));
      b.type = TYPES[k];
      b.softness = cr_random_range(&r, CR_R(0.1), 1);
      pair_check(&report, &PAIRS[k], &a, &b, CR_R(0.5), &r);
    }
    pair_report_assert(&report);
  }
}
