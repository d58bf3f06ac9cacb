// SPDX-License-Identifier: Apache-2.0
// The two measures on figures done by hand, and their cotangents against their tangents.
#include "geometry/pair_distance.h"

#include "base/random.h"
#include "scenes/random_model.h"
#include "support/close.h"

static const cr_real EYE[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
#define TOLERANCE (16 * CR_EPS)

TEST(ball_ball_is_measured_between_the_surfaces) {
  const cr_ball a = {{0, 0, 0}, CR_R(0.5)}, b = {{3, 0, 4}, 1};
  const cr_real normal[3] = {CR_R(0.6), 0, CR_R(0.8)}, pos[3] = {CR_R(1.35), 0, CR_R(1.8)};
  cr_hit hit;
  cr_real length;
  assert_true(cri_ball_ball(&a, &b, EYE, EYE, 4, &hit, &length));
  assert_close(length, 5, TOLERANCE);
  assert_close(hit.dist, CR_R(3.5), TOLERANCE);
  assert_all_close(hit.normal, normal, 3, TOLERANCE);
  assert_all_close(hit.pos, pos, 3, TOLERANCE);
}

TEST(ball_ball_counts_up_to_the_margin) {
  const cr_ball a = {{0, 0, 0}, CR_R(0.5)}, b = {{2, 0, 0}, 1};
  cr_hit hit;
  cr_real length;
  assert_true(cri_ball_ball(&a, &b, EYE, EYE, CR_R(0.5), &hit, &length));
  assert_close(hit.dist, CR_R(0.5), 0);
  assert_false(cri_ball_ball(&a, &b, EYE, EYE, CR_R(0.5) - 4 * CR_EPS, &hit, &length));
}

TEST(concentric_balls_take_their_normal_from_the_axes) {
  const cr_real turned[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};  // z axis along -y
  const cr_real x[3] = {1, 0, 0}, minus_x[3] = {-1, 0, 0};
  const cr_ball a = {{1, 2, 3}, 1}, b = {{1, 2, 3}, 2};
  cr_hit hit;
  cr_real length = -1;
  assert_true(cri_ball_ball(&a, &b, EYE, turned, 0, &hit, &length));
  assert_close(length, 0, 0);
  assert_close(hit.dist, -3, 0);
  assert_all_close(hit.normal, x, 3, TOLERANCE);
  assert_true(cri_ball_ball(&a, &b, turned, EYE, 0, &hit, &length));
  assert_all_close(hit.normal, minus_x, 3, TOLERANCE);

  // parallel axes have no product: x
  assert_true(cri_ball_ball(&a, &b, turned, turned, 0, &hit, &length));
  assert_all_close(hit.normal, x, 3, 0);
}

TEST(concentric_balls_hold_their_normal) {
  const cr_real normal[3] = {1, 0, 0}, nothing[3] = {0, 0, 0};
  const cr_ball a = {{0, 0, 0}, 1}, b = {{0, 0, 0}, 2};
  const cr_ball a_tan = {{0, 0, 0}, 0}, b_tan = {{CR_R(0.25), 7, 0}, 0};
  cr_hit_tan hit_tan;
  cri_ball_ball_tan(normal, 0, &a, &b, &a_tan, &b_tan, &hit_tan);
  assert_close(hit_tan.dist, CR_R(0.25), 0);
  assert_all_close(hit_tan.normal, nothing, 3, 0);
}

TEST(plane_ball_tangents_by_hand) {
  const cr_halfspace h = {{0, 0, 1}, {0, 0, 1}};
  const cr_ball b = {{5, 0, 3}, CR_R(0.5)};
  cr_halfspace h_tan = {{0, 0, 1}, {0, 0, 0}};
  cr_ball b_tan = {{0, 0, 0}, 0};
  cr_hit_tan t;

  // the plane rises: the gap closes, the midpoint rises by half
  cri_plane_ball_tan(&h, &b, &h_tan, &b_tan, &t);
  assert_close(t.dist, -1, TOLERANCE);
  assert_close(t.pos[2], CR_R(0.5), TOLERANCE);

  // the ball grows: the gap closes, the midpoint falls by half
  h_tan.pos[2] = 0;
  b_tan.radius = 1;
  cri_plane_ball_tan(&h, &b, &h_tan, &b_tan, &t);
  assert_close(t.dist, -1, TOLERANCE);
  assert_close(t.pos[2], CR_R(-0.5), TOLERANCE);

  // the plane tilts about its point, 5 below: the gap closes by 5 a radian
  b_tan.radius = 0;
  h_tan.normal[0] = -1;
  cri_plane_ball_tan(&h, &b, &h_tan, &b_tan, &t);
  assert_close(t.dist, -5, TOLERANCE);
  assert_close(t.normal[0], -1, TOLERANCE);
}

// ---- transposes

static cr_ball random_ball(cr_random* r) {
  cr_ball b = {.radius = cr_random_uniform(r)};
  for (int i = 0; i < 3; i++) {
    b.pos[i] = cr_random_normal(r);
  }
  return b;
}

static cr_halfspace random_halfspace(cr_random* r) {
  cr_halfspace h;
  random_unit3(r, h.normal);
  random_unit3(r, h.pos);
  return h;
}

static cr_hit_tan random_bar(cr_random* r) {
  cr_hit_tan t = {.dist = cr_random_normal(r)};
  random_unit3(r, t.pos);
  random_unit3(r, t.normal);
  return t;
}

static cr_real hit_product(const cr_hit_tan* a, const cr_hit_tan* b) {
  return a->dist * b->dist + cr_dot3(a->pos, b->pos) + cr_dot3(a->normal, b->normal);
}

static cr_real ball_product(const cr_ball* a, const cr_ball* b) {
  return cr_dot3(a->pos, b->pos) + a->radius * b->radius;
}

TEST(ball_ball_bar_is_the_transpose) {
  cr_random r = cr_random_seed(1, 0);
  for (int i = 0; i < 50; i++) {
    cr_ball a = random_ball(&r), b = random_ball(&r), a_tan = random_ball(&r),
            b_tan = random_ball(&r), a_bar, b_bar;
    cr_hit_tan bar = random_bar(&r), tan;
    cr_real normal[3];
    cr_sub3(normal, b.pos, a.pos);
    cr_real length = cr_normalize3(normal);
    length = i % 10 == 0 ? 0 : length;
    cri_ball_ball_tan(normal, length, &a, &b, &a_tan, &b_tan, &tan);
    cri_ball_ball_bar(normal, length, &a, &b, &bar, &a_bar, &b_bar);
    assert_close(ball_product(&a_bar, &a_tan) + ball_product(&b_bar, &b_tan),
                 hit_product(&bar, &tan), 2000 * CR_EPS);
  }
}

TEST(plane_ball_bar_is_the_transpose) {
  cr_random r = cr_random_seed(2, 0);
  for (int i = 0; i < 50; i++) {
    cr_halfspace h = random_halfspace(&r), h_tan = random_halfspace(&r), h_bar;
    cr_ball b = random_ball(&r), b_tan = random_ball(&r), b_bar;
    cr_hit_tan bar = random_bar(&r), tan;
    cri_plane_ball_tan(&h, &b, &h_tan, &b_tan, &tan);
    cri_plane_ball_bar(&h, &b, &bar, &h_bar, &b_bar);
    cr_real product = cr_dot3(h_bar.pos, h_tan.pos) + cr_dot3(h_bar.normal, h_tan.normal) +
                      ball_product(&b_bar, &b_tan);
    assert_close(product, hit_product(&bar, &tan), 200 * CR_EPS);
  }
}
