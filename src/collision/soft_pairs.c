// SPDX-License-Identifier: Apache-2.0
// Softened pairs of round shapes, see soft_pairs.h. Where the publication blends two points
// the blend is linear, and a comparison a < b is 1 - step((a - b + 1e-10) / s).
#include "collision/soft_pairs.h"

#include "collision/soft_vector.h"

enum { MOST = 3 };

// widths that the publication fixes, whatever the softness
#define CLIP CR_R(0.01)
#define DISK CR_R(1e-6)

typedef struct {
  cr_soft3 pos, axis[3];  // columns of the orientation
  cr_soft size[3];
} body;

typedef struct {
  cr_soft dist;
  cr_soft3 pos, normal, hint;
} contact;

// contacts of two shapes, in the publication's order; returns their number
typedef int measure(const body* a, const body* b, cr_real s, contact c[MOST]);

static const cr_shape_tan STILL = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};

static body body_of(const cr_shape* s, const cr_shape_tan* s_tan) {
  body b;
  cr_copy3(b.pos.v, s->pos);
  cr_copy3(b.pos.tan, s_tan->pos);
  for (int k = 0; k < 3; k++) {
    cr_col3(b.axis[k].v, s->mat, k);
    cr_cross3(b.axis[k].tan, s_tan->rot, b.axis[k].v);
    b.size[k] = (cr_soft){s->size[k], s_tan->size[k]};
  }
  return b;
}

static int detect(measure* f, const cr_shape* a, const cr_shape* b, cr_real margin, cr_hit* hit) {
  body x = body_of(a, &STILL), y = body_of(b, &STILL);
  contact c[MOST];
  int n = f(&x, &y, b->softness, c), listed = 0;
  for (int32_t i = 0; i < n; i++) {
    if (c[i].dist.v <= margin) {
      cr_hit* h = &hit[listed++];
      *h = (cr_hit){.dist = c[i].dist.v, .feature = {i}};
      cr_copy3(h->pos, c[i].pos.v);
      cr_copy3(h->normal, c[i].normal.v);
      cr_copy3(h->hint, c[i].hint.v);
    }
  }
  return listed;
}

static void tangent(measure* f, const cr_shape* a, const cr_shape* b, int32_t which,
                    const cr_shape_tan* a_tan, const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  body x = body_of(a, a_tan), y = body_of(b, b_tan);
  contact c[MOST];
  (void)f(&x, &y, b->softness, c);
  hit_tan->dist = c[which].dist.tan;
  cr_copy3(hit_tan->pos, c[which].pos.tan);
  cr_copy3(hit_tan->normal, c[which].normal.tan);
  cr_copy3(hit_tan->hint, c[which].hint.tan);
}

// a < b
static cr_soft below(cr_soft a, cr_real b, cr_real s) {
  cr_soft holds = cri_soft_step((cr_soft){a.v - b + CR_R(1e-10), a.tan}, s);
  return (cr_soft){1 - holds.v, -holds.tan};
}

// ---- contacts with the frame of their normal

static cr_soft3 hint_of(const cr_soft3* n, cr_real s) {
  cr_soft3 hint;
  cri_soft_hint(n->v, n->tan, s, hint.v, hint.tan);
  return hint;
}

// [collision_soft.u1] a ball above the plane
static contact above_plane(const body* plane, const cr_soft3* centre, cr_soft radius, cr_real s) {
  const cr_soft3* n = &plane->axis[2];
  cr_soft3 arm = cri_dif3(centre, &plane->pos);
  contact c = {.normal = *n, .hint = hint_of(n, s)};
  c.dist = cri_dif(cri_dot(&arm, n), radius);
  c.pos = cri_plus(centre, cri_dif(cri_scaled(c.dist, CR_R(-0.5)), radius), n);
  return c;
}

// [collision_soft.u2] a ball against a ball
static contact between_balls(const cr_soft3* p, cr_soft r, const cr_soft3* q, cr_soft t,
                             cr_real s) {
  cr_soft length;
  cr_soft3 arm = cri_dif3(q, p);
  contact c = {.normal = cri_unit(&arm, &length)};
  if (length.v <= CR_MINVAL) {
    c.normal = (cr_soft3){{1, 0, 0}, {0, 0, 0}};
  }
  c.dist = cri_dif(length, cri_sum(r, t));
  c.pos = cri_plus(p, cri_sum(r, cri_scaled(c.dist, CR_R(0.5))), &c.normal);
  c.hint = hint_of(&c.normal, s);
  return c;
}

// ---- with a plane

static int plane_sphere(const body* a, const body* b, cr_real s, contact c[MOST]) {
  c[0] = above_plane(a, &b->pos, b->size[0], s);
  return 1;
}

static int plane_capsule(const body* a, const body* b, cr_real s, contact c[MOST]) {
  // [collision_soft.u3] the first tangent follows the axis as far as the axis lies in the plane
  const cr_soft3* n = &a->axis[2];
  cr_soft length;
  cr_soft3 flat = cri_plus(&b->axis[2], cri_scaled(cri_dot(n, &b->axis[2]), -1), n);
  cr_soft3 along = cri_unit(&flat, &length), across = hint_of(n, s);
  cr_soft3 hint = cri_mix3(below(length, CR_R(0.5), s), &across, &along);
  hint = cri_unit(&hint, &length);
  for (int i = 0; i < 2; i++) {
    cr_soft3 end = cri_plus(&b->pos, cri_scaled(b->size[1], i == 0 ? 1 : -1), &b->axis[2]);
    c[i] = above_plane(a, &end, b->size[0], s);
    c[i].hint = hint;
  }
  return 2;
}

static int plane_ellipsoid(const body* a, const body* b, cr_real s, contact c[MOST]) {
  // [collision_soft.u4] the lowest point
  const cr_soft3* n = &a->axis[2];
  cr_soft3 v, point = b->pos;
  for (int k = 0; k < 3; k++) {
    cr_soft x = cri_times(cri_dot(&b->axis[k], n), b->size[k]);
    v.v[k] = x.v;
    v.tan[k] = x.tan;
  }
  cr_soft length;
  v = cri_unit(&v, &length);
  for (int k = 0; k < 3; k++) {
    cr_soft x = cri_times((cr_soft){-v.v[k], -v.tan[k]}, b->size[k]);
    point = cri_plus(&point, x, &b->axis[k]);
  }
  c[0] = above_plane(a, &point, cri_held(0), s);
  return 1;
}

static int plane_cylinder(const body* a, const body* b, cr_real s, contact c[MOST]) {
  const cr_soft3 *n = &a->axis[2], *axis = &b->axis[2];
  cr_soft radius = b->size[0], half = b->size[1], length, none;

  // [collision_soft.u5] the axis, turned to the plane, and the lowest direction in the disk, times the radius
  cr_soft fall = cri_dot(n, axis), side = cri_soft_step(fall, s);
  cr_soft sign = {1 - 2 * side.v, -2 * side.tan};
  cr_soft3 z = cri_scaled3(axis, sign);
  cr_soft down = cri_times(sign, fall);
  cr_soft3 v = cri_scaled3(&z, down);
  v = cri_dif3(&v, n);
  cr_soft3 e = cri_unit(&v, &length);
  e = cri_mix3(below(length, CR_R(1e-12), DISK), &b->axis[0], &e);
  e = cri_scaled3(&e, radius);
  z = cri_scaled3(&z, half);
  down = cri_times(down, half);

  // [collision_soft.u6] the lowest point and two beside it
  cr_soft3 f = cri_cross(&e, &z);
  f = cri_unit(&f, &none);
  f = cri_scaled3(&f, cri_scaled(radius, cr_sqrt(CR_R(0.75))));
  cr_soft3 disk = cri_plus(&b->pos, cri_held(1), &z);
  cr_soft3 lowest = cri_plus(&disk, cri_held(1), &e);
  cr_soft3 back = cri_plus(&disk, cri_held(CR_R(-0.5)), &e);
  cr_soft3 left = cri_plus(&back, cri_held(1), &f), right = cri_plus(&back, cri_held(-1), &f);
  cr_soft3 other = cri_plus(&lowest, cri_held(-2), &z);
  c[0] = above_plane(a, &lowest, cri_held(0), s);
  c[1] = above_plane(a, &left, cri_held(0), s);
  c[2] = above_plane(a, &right, cri_held(0), s);

  // [collision_soft.u7] the second goes to the other disk where the axis is level
  cr_soft level = cri_soft_step(down, s);
  level = cri_times(down, (cr_soft){2 * level.v - 1, 2 * level.tan});
  level = below(level, CR_R(1e-3), s);
  contact far = above_plane(a, &other, cri_held(0), s);
  c[1].dist = cri_mix(level, far.dist, c[1].dist);
  c[1].pos = cri_mix3(level, &far.pos, &c[1].pos);
  return 3;
}

// ---- among each other

static int sphere_sphere(const body* a, const body* b, cr_real s, contact c[MOST]) {
  c[0] = between_balls(&a->pos, a->size[0], &b->pos, b->size[0], s);
  return 1;
}

// a segment from p0 to p1
typedef struct {
  cr_soft3 p0, p1;
} segment;

static segment segment_of(const body* b) {
  return (segment){cri_plus(&b->pos, cri_scaled(b->size[1], -1), &b->axis[2]),
                   cri_plus(&b->pos, b->size[1], &b->axis[2])};
}

// [collision_soft.u8] the nearest point of a segment, its place clipped softly
static cr_soft3 foot(const segment* x, const cr_soft3* p) {
  cr_soft3 along = cri_dif3(&x->p1, &x->p0), arm = cri_dif3(p, &x->p0);
  cr_soft square = cri_sum(cri_dot(&along, &along), cri_held(CR_R(1e-6)));
  cr_soft t = cri_over(cri_dot(&arm, &along), square);
  return cri_plus(&x->p0, cri_soft_clip(t, cri_held(0), cri_held(1), CLIP), &along);
}

static int sphere_capsule(const body* a, const body* b, cr_real s, contact c[MOST]) {
  segment x = segment_of(b);
  cr_soft3 p = foot(&x, &a->pos);
  c[0] = between_balls(&a->pos, a->size[0], &p, b->size[0], s);
  return 1;
}

static int capsule_capsule(const body* a, const body* b, cr_real s, contact c[MOST]) {
  // [collision_soft.u9] the nearest places of the two lines, clipped
  const cr_soft3 *u = &a->axis[2], *v = &b->axis[2];
  cr_soft3 between = cri_dif3(&a->pos, &b->pos);
  cr_soft uv = cri_dot(u, v), ud = cri_dot(u, &between), vd = cri_dot(v, &between);
  cr_soft sine = cri_dif(cri_held(1 + CR_R(1e-6)), cri_times(uv, uv));
  cr_soft x = cri_over(cri_dif(cri_times(uv, vd), ud), sine);
  cr_soft y = cri_sum(vd, cri_times(x, uv));
  x = cri_soft_clip(x, cri_scaled(a->size[1], -1), a->size[1], CLIP);
  y = cri_soft_clip(y, cri_scaled(b->size[1], -1), b->size[1], CLIP);
  cr_soft3 p = cri_plus(&a->pos, x, u), q = cri_plus(&b->pos, y, v);

  // [collision_soft.u10] the foot of either on the other segment, and the pair that is nearer
  segment sa = segment_of(a), sb = segment_of(b);
  cr_soft3 p2 = foot(&sa, &q), q2 = foot(&sb, &p);
  cr_soft3 d1 = cri_dif3(&q, &p2), d2 = cri_dif3(&p, &q2);
  cr_soft first = below(cri_dif(cri_dot(&d1, &d1), cri_dot(&d2, &d2)), 0, CLIP);
  p = cri_mix3(first, &p2, &p);
  q = cri_mix3(first, &q, &q2);
  c[0] = between_balls(&p, a->size[0], &q, b->size[0], s);
  return 1;
}

// ---- the pairs

#define PAIR(name)                                                                           \
  int cri_soft_##name(const cr_shape* a, const cr_shape* b, cr_real margin,                  \
                      cr_hit hit[CR_MAX_HITS]) {                                             \
    return detect(name, a, b, margin, hit);                                                  \
  }                                                                                          \
  void cri_soft_##name##_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4], \
                             const cr_real local[6], const cr_shape_tan* a_tan,              \
                             const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {               \
    (void)local;                                                                             \
    tangent(name, a, b, feature[0], a_tan, b_tan, hit_tan);                                  \
  }                                                                                          \
  void cri_soft_##name##_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4], \
                             const cr_real local[6], const cr_hit_tan* hit_bar,              \
                             cr_shape_tan* a_bar, cr_shape_tan* b_bar) {                     \
    cri_soft_bar(cri_soft_##name##_tan, a, b, feature, local, hit_bar, a_bar, b_bar);        \
  }

PAIR(plane_sphere)
PAIR(plane_capsule)
PAIR(plane_ellipsoid)
PAIR(plane_cylinder)
PAIR(sphere_sphere)
PAIR(sphere_capsule)
PAIR(capsule_capsule)
