// SPDX-License-Identifier: Apache-2.0
#include "geometry/convex_pair.h"

#include "geometry/face_clipping.h"
#include "geometry/gjk_epa.h"

// ---- the optimum, stored in the numbers of a hit

static int32_t pack(int32_t low, int32_t high) {
  return (int32_t)((uint32_t)low | (uint32_t)high << 16);
}

static int32_t high(int32_t packed) { return (int32_t)((uint32_t)packed >> 16); }

// If features slide along each other the normal is known. Stored instead: how they slide, and the place
// in their plane.
static void save(const cr_core* a, const cr_core* b, const cr_optimum* x, cr_hit* hit) {
  hit->feature[0] = (int32_t)x->a.kind + 8 * (int32_t)x->b.kind;
  hit->feature[1] = pack(x->a.id[0], x->a.id[1]);
  hit->feature[2] = pack(x->b.id[0], x->b.id[1]);
  hit->feature[3] = pack(x->a.id[2], x->b.id[2]);
  cr_real n[3], t1[3], t2[3];
  if (cri_optimum_slides(a, b, x, n)) {
    cri_plane_basis(n, t1, t2);
    cr_copy(hit->local, x->slide[0], 4);
    hit->local[4] = cr_dot3(t1, x->on_a);
    hit->local[5] = cr_dot3(t2, x->on_a);
  } else {
    cr_copy3(hit->local, x->normal);
    cr_copy3(hit->local + 3, x->on_a);
  }
}

static cr_optimum load(const cr_core* a, const cr_core* b, const int32_t feature[4],
                       const cr_real local[6]) {
  const int32_t* f = feature;
  cr_optimum x = {.a = {(cr_touch_kind)(f[0] % 8), {f[1] & 0xffff, high(f[1]), f[3] & 0xffff}},
                  .b = {(cr_touch_kind)(f[0] / 8), {f[2] & 0xffff, high(f[2]), high(f[3])}}};
  cr_real pa[3], pb[3], minus[3], t1[3], t2[3];
  bool slides = cri_optimum_slides(a, b, &x, x.normal);
  if (!slides) {
    cr_copy3(x.normal, local);
    cr_copy3(x.on_a, local + 3);
  }
  cr_scl3(minus, x.normal, -1);
  cri_touch_point(a, &x.a, x.normal, pa);
  if (slides) {
    cri_plane_basis(x.normal, t1, t2);
    cr_copy(x.slide[0], local, 4);
    cr_scl3(x.on_a, x.normal, cr_dot3(x.normal, pa));
    cr_accscl3(x.on_a, t1, local[4]);
    cr_accscl3(x.on_a, t2, local[5]);
  }
  cri_touch_point(b, &x.b, minus, pb);
  x.dist = cr_dot3(x.normal, pb) - cr_dot3(x.normal, pa);
  cr_copy3(x.on_b, x.on_a);
  cr_accscl3(x.on_b, x.normal, x.dist);
  return x;
}

// ---- detection

// [collision_convex.g1], [collision_convex.g2]
static void emit(const cr_core* a, const cr_core* b, const cr_real origin[3], const cr_optimum* x,
                 cr_hit* hit) {
  hit->dist = x->dist - a->radius - b->radius;
  cr_copy3(hit->normal, x->normal);
  cr_add3(hit->pos, x->on_a, origin);
  cr_accscl3(hit->pos, x->normal, a->radius + hit->dist / 2);
  cr_zero3(hit->hint);
}

int cri_convex_pair(const cr_shape* a, const cr_shape* b, cr_real margin, cr_hit hit[CR_MAX_HITS]) {
  cr_core core_a = cri_core(a, a->pos), core_b = cri_core(b, a->pos);
  cr_optimum x;
  if (cri_gjk_epa(&core_a, &core_b, margin + core_a.radius + core_b.radius, &x) == CR_NEAREST_FAR) {
    return 0;
  }
  int several = cri_face_clipping(&core_a, &core_b, &x, margin, hit);
  for (int i = 0; i < several; i++) {
    cr_acc3(hit[i].pos, a->pos);
  }
  if (several > 0) {
    return several;
  }
  *hit = (cr_hit){.dist = 0};
  save(&core_a, &core_b, &x, hit);
  emit(&core_a, &core_b, a->pos, &x, hit);
  return 1;
}

void cri_convex_point(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                      const cr_real local[6], cr_real p[3]) {
  cr_core core_a = cri_core(a, a->pos), core_b = cri_core(b, a->pos);
  cr_optimum x = load(&core_a, &core_b, feature, local);
  cr_add3(p, x.on_a, a->pos);
}

cr_real cri_convex_depth(const cr_shape* a, const cr_shape* b, const cr_real n[3]) {
  cr_core core_a = cri_core(a, a->pos), core_b = cri_core(b, a->pos);
  cr_real minus[3], pa[3], pb[3];
  cr_scl3(minus, n, -1);
  (void)cri_support(&core_a, n, pa);
  (void)cri_support(&core_b, minus, pb);
  return cr_dot3(n, pa) - cr_dot3(n, pb) + core_a.radius + core_b.radius;
}

// ---- derivatives

void cri_convex_pair_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_shape_tan* a_tan,
                         const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  cr_core core_a = cri_core(a, a->pos), core_b = cri_core(b, a->pos);
  if (feature[0] >= CR_MANIFOLD) {
    cri_face_clipping_tan(&core_a, &core_b, feature, local, a_tan, b_tan, hit_tan);
    return;
  }
  cr_optimum x = load(&core_a, &core_b, feature, local);
  cr_optimum_tan x_tan;
  cri_feature_solve_tan(&core_a, &core_b, &x, a_tan, b_tan, &x_tan);
  cr_real dist = x.dist - core_a.radius - core_b.radius;
  cr_real ra_tan = core_a.radius > 0 ? a_tan->size[0] : 0;
  cr_real rb_tan = core_b.radius > 0 ? b_tan->size[0] : 0;

  // [collision_convex.g1]
  hit_tan->dist = x_tan.dist - ra_tan - rb_tan;
  cr_copy3(hit_tan->normal, x_tan.normal);
  cr_zero3(hit_tan->hint);

  // [collision_convex.g2]
  cr_copy3(hit_tan->pos, x_tan.on_a);
  cr_accscl3(hit_tan->pos, x_tan.normal, core_a.radius + dist / 2);
  cr_accscl3(hit_tan->pos, x.normal, ra_tan + hit_tan->dist / 2);
}

void cri_convex_pair_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                         cr_shape_tan* b_bar) {
  cr_core core_a = cri_core(a, a->pos), core_b = cri_core(b, a->pos);
  if (feature[0] >= CR_MANIFOLD) {
    cri_face_clipping_bar(&core_a, &core_b, feature, local, hit_bar, a_bar, b_bar);
    return;
  }
  cr_optimum x = load(&core_a, &core_b, feature, local);
  cr_real dist = x.dist - core_a.radius - core_b.radius;

  // [collision_convex.g2]'
  cr_real along = cr_dot3(x.normal, hit_bar->pos);
  cr_real dist_bar = hit_bar->dist + along / 2;
  cr_optimum_tan x_bar = {.dist = dist_bar};
  cr_copy3(x_bar.on_a, hit_bar->pos);
  cr_copy3(x_bar.normal, hit_bar->normal);
  cr_accscl3(x_bar.normal, hit_bar->pos, core_a.radius + dist / 2);

  // [collision_convex.g1]'
  a_bar->size[0] += core_a.radius > 0 ? along - dist_bar : 0;
  b_bar->size[0] += core_b.radius > 0 ? -dist_bar : 0;
  cri_feature_solve_bar(&core_a, &core_b, &x, &x_bar, a_bar, b_bar);
}
