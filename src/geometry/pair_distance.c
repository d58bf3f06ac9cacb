// SPDX-License-Identifier: Apache-2.0
// Two balls, a ball above a plane: [collision.m1]-[collision.m6] and their tangents and transposes.
#include "geometry/pair_distance.h"

bool cri_ball_ball(const cr_ball* a, const cr_ball* b, const cr_real mat_a[9],
                   const cr_real mat_b[9], cr_real margin, cr_hit* hit, cr_real* length) {
  // too far, by squares
  cr_real dif[3], reach = margin + a->radius + b->radius;
  cr_sub3(dif, b->pos, a->pos);
  cr_real square = cr_dot3(dif, dif);
  if (square > reach * reach) {
    return false;
  }

  // [collision.m1] the normal; coincident centres have none
  *length = cr_normalize3(dif);
  if (*length == 0) {
    const cr_real z_a[3] = {mat_a[2], mat_a[5], mat_a[8]};
    const cr_real z_b[3] = {mat_b[2], mat_b[5], mat_b[8]};
    cr_cross3(dif, z_a, z_b);
    cr_normalize3(dif);
  }
  cr_copy3(hit->normal, dif);

  // [collision.m2], [collision.m3]
  hit->dist = cr_sqrt(square) - a->radius - b->radius;
  cr_scl3(hit->pos, hit->normal, a->radius + hit->dist / 2);
  cr_acc3(hit->pos, a->pos);
  cr_zero3(hit->hint);
  return true;
}

void cri_ball_ball_tan(const cr_real normal[3], cr_real length, const cr_ball* a, const cr_ball* b,
                       const cr_ball* a_tan, const cr_ball* b_tan, cr_hit_tan* hit_tan) {
  cr_real dif_tan[3];
  cr_sub3(dif_tan, b_tan->pos, a_tan->pos);

  // [collision.m1]
  if (length > 0) {
    cr_normalize3_tan(hit_tan->normal, normal, length, dif_tan);
  } else {
    cr_zero3(hit_tan->normal);
  }

  // [collision.m2], [collision.m3]
  hit_tan->dist = cr_dot3(normal, dif_tan) - a_tan->radius - b_tan->radius;
  cr_copy3(hit_tan->pos, a_tan->pos);
  cr_accscl3(hit_tan->pos, hit_tan->normal, (length + a->radius - b->radius) / 2);
  cr_accscl3(hit_tan->pos, normal, a_tan->radius + hit_tan->dist / 2);
  cr_zero3(hit_tan->hint);
}

void cri_ball_ball_bar(const cr_real normal[3], cr_real length, const cr_ball* a, const cr_ball* b,
                       const cr_hit_tan* hit_bar, cr_ball* a_bar, cr_ball* b_bar) {
  // [collision.m3]' cotangents of dist and of the normal, with the parts from pos
  cr_real along = cr_dot3(normal, hit_bar->pos);
  cr_real dist_bar = hit_bar->dist + along / 2;
  cr_real normal_bar[3];
  cr_copy3(normal_bar, hit_bar->normal);
  cr_accscl3(normal_bar, hit_bar->pos, (length + a->radius - b->radius) / 2);

  // [collision.m2]', [collision.m1]' into the difference of the centres
  cr_zero3(b_bar->pos);
  if (length > 0) {
    cr_normalize3_tan(b_bar->pos, normal, length, normal_bar);
  }
  cr_accscl3(b_bar->pos, normal, dist_bar);
  cr_sub3(a_bar->pos, hit_bar->pos, b_bar->pos);
  a_bar->radius = along - dist_bar;
  b_bar->radius = -dist_bar;
}

void cri_plane_ball_tan(const cr_halfspace* h, const cr_ball* b, const cr_halfspace* h_tan,
                        const cr_ball* b_tan, cr_hit_tan* hit_tan) {
  cr_real dif[3], dif_tan[3];
  cr_sub3(dif, b->pos, h->pos);
  cr_sub3(dif_tan, b_tan->pos, h_tan->pos);
  cr_real height = cr_dot3(h->normal, dif);

  // [collision.m4]-[collision.m6]
  hit_tan->dist = cr_dot3(h_tan->normal, dif) + cr_dot3(h->normal, dif_tan) - b_tan->radius;
  cr_copy3(hit_tan->pos, b_tan->pos);
  cr_accscl3(hit_tan->pos, h_tan->normal, -(height + b->radius) / 2);
  cr_accscl3(hit_tan->pos, h->normal, -(b_tan->radius + hit_tan->dist / 2));
  cr_copy3(hit_tan->normal, h_tan->normal);
  cr_zero3(hit_tan->hint);
}

void cri_plane_ball_bar(const cr_halfspace* h, const cr_ball* b, const cr_hit_tan* hit_bar,
                        cr_halfspace* h_bar, cr_ball* b_bar) {
  cr_real dif[3];
  cr_sub3(dif, b->pos, h->pos);
  cr_real height = cr_dot3(h->normal, dif);

  // [collision.m5]' cotangent of dist, with the part from pos
  cr_real along = cr_dot3(h->normal, hit_bar->pos);
  cr_real dist_bar = hit_bar->dist - along / 2;
  b_bar->radius = -along - dist_bar;

  // [collision.m4]', [collision.m6]'
  cr_copy3(b_bar->pos, hit_bar->pos);
  cr_accscl3(b_bar->pos, h->normal, dist_bar);
  cr_scl3(h_bar->pos, h->normal, -dist_bar);
  cr_copy3(h_bar->normal, hit_bar->normal);
  cr_accscl3(h_bar->normal, dif, dist_bar);
  cr_accscl3(h_bar->normal, hit_bar->pos, -(height + b->radius) / 2);
}
