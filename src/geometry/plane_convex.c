// SPDX-License-Identifier: Apache-2.0
#include "geometry/plane_convex.h"

#include "geometry/pair_distance.h"
#include "geometry/polygon.h"
#include "geometry/support_map.h"

static const cr_real NOWHERE[3] = {0, 0, 0};

static cr_halfspace plane_of(const cr_shape* a) {
  cr_halfspace h;
  cr_copy3(h.pos, a->pos);
  cr_col3(h.normal, a->mat, 2);
  return h;
}

// a point of the shape above the plane; false if it is too far
static bool emit(const cr_halfspace* h, const cr_real p[3], cr_real margin, int32_t feature,
                 cr_hit* hit) {
  cr_real arm[3];
  cr_sub3(arm, p, h->pos);
  cr_real dist = cr_dot3(arm, h->normal);
  if (dist > margin) {
    return false;
  }
  *hit = (cr_hit){.dist = dist, .feature = {feature}};
  cr_copy3(hit->pos, p);
  cr_accscl3(hit->pos, h->normal, -dist / 2);
  cr_copy3(hit->normal, h->normal);
  return true;
}

static const cr_touch SMOOTH = {CR_TOUCH_SMOOTH, {0, 0, 0}};

// the touching point of either shape, and the direction in which it is farthest
static cr_real* point_of(const cr_core* c, const cr_touch* t, const cr_halfspace* h, cr_real m[3],
                         cr_real p[3]) {
  cr_scl3(m, h->normal, -1);
  cri_touch_point(c, t, m, p);
  return p;
}

// ---- both, given the feature

static void measure_tan(const cr_shape* a, const cr_shape* b, const cr_touch* t,
                        const cr_shape_tan* a_tan, const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  cr_core core = cri_core(b, NOWHERE);
  cr_halfspace h = plane_of(a), h_tan;
  cr_ball ball = {.radius = 0}, ball_tan = {.radius = 0};
  cr_real m[3], m_tan[3], bend[3];
  (void)point_of(&core, t, &h, m, ball.pos);

  // [collision_convex.q2] normal_tan = rot_a x n; p_tan = v + W (m_tan - rot_b x m), m = -n
  cr_copy3(h_tan.pos, a_tan->pos);
  cr_cross3(h_tan.normal, a_tan->rot, h.normal);
  cr_cross3(m_tan, m, b_tan->rot);
  cr_accscl3(m_tan, h_tan.normal, -1);
  cri_touch_bend(&core, t, m, m_tan, bend);
  cri_touch_tan(&core, t, m, ball.pos, b_tan, ball_tan.pos);
  cr_acc3(ball_tan.pos, bend);

  // [collision_convex.q3]
  cri_plane_ball_tan(&h, &ball, &h_tan, &ball_tan, hit_tan);
}

static void measure_bar(const cr_shape* a, const cr_shape* b, const cr_touch* t,
                        const cr_hit_tan* hit_bar, cr_shape_tan* a_bar, cr_shape_tan* b_bar) {
  cr_core core = cri_core(b, NOWHERE);
  cr_halfspace h = plane_of(a), h_bar;
  cr_ball ball = {.radius = 0}, ball_bar;
  cr_real m[3], m_bar[3];
  (void)point_of(&core, t, &h, m, ball.pos);

  // [collision_convex.q3]'
  cri_plane_ball_bar(&h, &ball, hit_bar, &h_bar, &ball_bar);

  // [collision_convex.q2]'
  cri_touch_bend(&core, t, m, ball_bar.pos, m_bar);
  cri_touch_bar(&core, t, m, ball.pos, ball_bar.pos, b_bar);
  cr_accscl3(h_bar.normal, m_bar, -1);
  cr_acccross3(b_bar->rot, m_bar, m);
  cr_acccross3(a_bar->rot, h.normal, h_bar.normal);
  cr_acc3(a_bar->pos, h_bar.pos);
}

// ---- ellipsoid

int cri_plane_ellipsoid(const cr_shape* a, const cr_shape* b, cr_real margin,
                        cr_hit hit[CR_MAX_HITS]) {
  // [collision_convex.q1] the lowest point
  cr_core core = cri_core(b, NOWHERE);
  cr_halfspace h = plane_of(a);
  cr_real m[3], p[3];
  return emit(&h, point_of(&core, &SMOOTH, &h, m, p), margin, 0, hit);
}

void cri_plane_ellipsoid_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                             const cr_real local[6], const cr_shape_tan* a_tan,
                             const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  (void)feature, (void)local;
  measure_tan(a, b, &SMOOTH, a_tan, b_tan, hit_tan);
}

void cri_plane_ellipsoid_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                             const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                             cr_shape_tan* b_bar) {
  (void)feature, (void)local;
  measure_bar(a, b, &SMOOTH, hit_bar, a_bar, b_bar);
}

// ---- hull

// the polygon at a vertex that faces most against n (in the frame of the hull), -1 none
static int32_t lowest_polygon(const cr_hull* h, int32_t vertex, const cr_real n[3]) {
  int32_t best = -1;
  cr_real least = 1;
  for (int i = 0; i < h->mapnum[vertex]; i++) {
    int32_t p = h->map[h->mapadr[vertex] + i];
    cr_real along = cr_dot3(h->normal + 3 * p, n);
    if (along < least) {
      least = along;
      best = p;
    }
  }
  return best;
}

int cri_plane_hull(const cr_shape* a, const cr_shape* b, cr_real margin, cr_hit hit[CR_MAX_HITS]) {
  cr_core core = cri_core(b, NOWHERE);
  cr_halfspace plane = plane_of(a);
  const cr_hull* h = b->hull;
  cr_real m[3], p[3], n[3], arm[3];
  cr_scl3(m, plane.normal, -1);
  int32_t vertex = cri_support(&core, m, p);
  if (!emit(&plane, p, margin, vertex, hit)) {
    return 0;
  }
  if (h->npoly == 0) {
    return 1;
  }
  cr_multmat3(n, b->mat, plane.normal);
  int32_t polygon = lowest_polygon(h, vertex, n);
  if (polygon < 0) {
    return 1;
  }

  // the vertices of the largest quadrilateral that begins at the lowest
  const int32_t* id = h->polygon + h->adr[polygon];
  int size = h->num[polygon], first = 0, corner[4], count = 1;
  while (first < size - 1 && id[first] != vertex) {
    first++;
  }
  int ncorner = cri_quad_from(h->vert, id, size, first, corner);
  for (int k = 1; k < ncorner; k++) {
    int32_t v = id[corner[k]];
    cri_touch_point(&core, &(cr_touch){CR_TOUCH_POINT, {v, 0, 0}}, m, p);
    cr_sub3(arm, p, b->pos);
    if (cr_dot3(arm, plane.normal) <= 0) {
      count += emit(&plane, p, margin, v, hit + count);
    }
  }
  return count;
}

// inserts a hit among those before it, by distance; if there are too many, drops the farthest
static int insert(cr_hit hit[CR_MAX_HITS], int n, const cr_hit* one) {
  int at = n < CR_MAX_HITS ? n : CR_MAX_HITS - 1;
  if (n == CR_MAX_HITS && one->dist >= hit[at].dist) {
    return n;
  }
  for (; at > 0 && one->dist < hit[at - 1].dist; at--) {
    hit[at] = hit[at - 1];
  }
  hit[at] = *one;
  return n < CR_MAX_HITS ? n + 1 : n;
}

int cri_plane_hull_all(const cr_shape* a, const cr_shape* b, cr_real margin,
                       cr_hit hit[CR_MAX_HITS]) {
  cr_core core = cri_core(b, NOWHERE);
  cr_halfspace plane = plane_of(a);
  const int32_t* graph = b->hull->graph;
  int n = 0, count = graph != NULL ? graph[0] : b->hull->nvert;
  cr_real m[3], p[3];
  cr_scl3(m, plane.normal, -1);
  for (int i = 0; i < count; i++) {
    int32_t v = graph != NULL ? graph[2 + graph[0] + i] : i;
    cr_hit one;
    cri_touch_point(&core, &(cr_touch){CR_TOUCH_POINT, {v, 0, 0}}, m, p);
    if (emit(&plane, p, margin, v, &one)) {
      n = insert(hit, n, &one);
    }
  }
  return n;
}

void cri_plane_hull_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                        const cr_real local[6], const cr_shape_tan* a_tan,
                        const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  (void)local;
  measure_tan(a, b, &(cr_touch){CR_TOUCH_POINT, {feature[0], 0, 0}}, a_tan, b_tan, hit_tan);
}

void cri_plane_hull_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                        const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                        cr_shape_tan* b_bar) {
  (void)local;
  measure_bar(a, b, &(cr_touch){CR_TOUCH_POINT, {feature[0], 0, 0}}, hit_bar, a_bar, b_bar);
}
