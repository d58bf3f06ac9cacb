// SPDX-License-Identifier: Apache-2.0
// Capsule against box. The axis of the capsule is a segment c + x h, |x| <= 1, in the frame of the
// box. The first ball is where the segment is nearest to the box. A second ball is put further
// along, if the segment leans over a face or an edge there, as far as it stays above the box. The
// choice is MuJoCo's, heuristics included. [collision_box.b5]..[collision_box.b7] in docs/derivations/collision_box.md.
#include "geometry/capsule_box.h"

#include "geometry/box.h"

typedef struct {
  cr_real c[3], h[3];  // centre and half axis of the capsule in the box frame
  cr_real radius, half;
  const cr_real* size;  // of the box
} segment;

// a place on the segment, x = end + near(part) + step
typedef struct {
  cr_real x;
  int32_t part, end, step;
} place;

static segment segment_in_box(const cr_shape* a, const cr_shape* b) {
  segment g = {.radius = a->size[0], .half = a->size[1], .size = b->size};
  cr_real u[3];
  cr_col3(u, a->mat, 2);
  cr_multmat3(g.h, b->mat, u);
  cr_scl3(g.h, g.h, g.half);
  cri_box_local(g.c, b, a->pos);
  return g;
}

// ---- where the segment is nearest

typedef struct {
  cr_real dist2;
  place at;
  int32_t face;    // nearest face, if an end lies above one
  int32_t corner;  // nearest corner
  int32_t edge;    // nearest edge
  int axis;        // the direction of that edge
} nearest;

// an end of the segment above a face or inside the box
static void try_end(const segment* g, int end, nearest* best) {
  cr_real tip[3], out[3] = {0, 0, 0};
  cr_copy3(tip, g->c);
  cr_accscl3(tip, g->h, (cr_real)end);

  // how far outside it is; above an edge or a corner it belongs to no face
  int32_t part = cri_part_nearest(tip, g->size);
  int sign[3], naxis = 0;
  cri_part_signs(sign, part);
  for (int k = 0; k < 3; k++) {
    if (sign[k]) {
      out[k] = tip[k] - (cr_real)sign[k] * g->size[k];
      naxis++;
    }
  }
  cr_real dist2 = cr_dot3(out, out);
  if (naxis <= 1 && dist2 < best->dist2) {
    *best = (nearest){.dist2 = dist2, .at = {.x = (cr_real)end, .end = end}, .face = part};
  }
}

// where -1 <= x <= 1 must be clamped: -1, 1, or 0 inside
static int clamp(cr_real* x) {
  int side = (*x > 1) - (*x < -1);
  *x = side ? (cr_real)side : *x;
  return side;
}

// Nearest points of the segment (x) and an edge of the box (y, in units of its half length): the
// two lines first; then each is clamped, and the other solved again. An end of the edge, once
// chosen, stays chosen.
static void try_edge(const segment* g, int axis, int32_t edge, nearest* best) {
  int sign[3];
  cr_real d[3];
  cri_part_signs(sign, edge);
  for (int k = 0; k < 3; k++) {
    d[k] = (cr_real)sign[k] * g->size[k] - g->c[k];
  }

  // [ma mb; mb mc] (y, x) = (u, v)
  cr_real e = g->size[axis];
  cr_real ma = e * e, mb = -e * g->h[axis], mc = g->half * g->half;
  cr_real u = -e * d[axis], v = cr_dot3(g->h, d);
  cr_real det = ma * mc - mb * mb;
  if (cr_abs(det) < CR_MINVAL) {
    return;
  }
  cr_real y = (mc * u - mb * v) * (1 / det);
  cr_real x = (ma * v - mb * u) * (1 / det);

  // clamp to the edge, then to the segment
  int side = clamp(&y);
  if (side) {
    x = (v - (cr_real)side * mb) * (1 / mc);
  }
  int end = clamp(&x);
  if (end) {
    y = (u - (cr_real)end * mb) * (1 / ma);
    int again = clamp(&y);
    side = again ? again : side;
  }

  // only a clear gain: a segment parallel to a face would flicker between edges
  cr_accscl3(d, g->h, -x);
  d[axis] += e * y;
  cr_real dist2 = cr_dot3(d, d);
  if (dist2 < best->dist2 - CR_MINVAL) {
    int32_t corner = side ? edge + cri_part(axis, side) : 0;
    *best = (nearest){.dist2 = dist2, .edge = edge, .axis = axis, .corner = corner};
    best->at = (place){.x = x, .end = end, .part = end ? 0 : corner ? corner : edge};
  }
}

// false if all is so small that no edge spans a plane with the segment
static bool find_nearest(const segment* g, nearest* best) {
  *best = (nearest){.dist2 = CR_MAX};
  try_end(g, -1, best);
  try_end(g, 1, best);
  for (int axis = 0; axis < 3; axis++) {
    for (int i = 0; i < 4; i++) {
      int low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2;
      int32_t edge = cri_part(low, i & 1 ? 1 : -1) + cri_part(high, i & 2 ? 1 : -1);
      try_edge(g, axis, edge, best);
    }
  }
  return best->dist2 < CR_MAX;
}

// ---- the second place: a walk along the segment from the first

typedef struct {
  int way;         // -1 or 1
  cr_real length;  // of the walk, in x
  place to;
} walk;

// as far as the end of the segment
static walk walk_from(const place* at, int way) {
  cr_real length = 1 - (cr_real)way * at->x;
  return (walk){.way = way, .length = length, .to = {.part = 0, .end = way}};
}

// no further than the whole width of the box along an axis
static void stop_after_width(walk* w, const segment* g, const place* at, int axis) {
  cr_real length = 2 * g->size[axis] / cr_abs(g->h[axis]);
  if (length < w->length) {
    w->length = length;
    w->to = (place){.part = at->part, .end = at->end, .step = w->way * (axis + 1)};
  }
}

// 1 or -1: side to which a walk along the segment moves its coordinate on an axis
static int heading(const segment* g, int axis, int way) { return g->h[axis] > 0 ? way : -way; }

// the axes on which the segment, towards x = 1, heads inwards from a part, and their number
static int inward_axes(const segment* g, int32_t part, bool inward[3]) {
  int sign[3], n = 0;
  cri_part_signs(sign, part);
  for (int k = 0; k < 3; k++) {
    inward[k] = sign[k] && heading(g, k, 1) != sign[k];
    n += inward[k];
  }
  return n;
}

// From a corner. In one of the two directions the segment goes inwards along one axis only: it
// follows that edge of the box if it is steep along it, else it turns back over the face.
static bool walk_from_corner(const segment* g, const nearest* near, walk* w) {
  bool inward[3];
  int n = inward_axes(g, near->corner, inward);
  if (n == 0 || n == 3) {
    return false;
  }
  int way = n == 1 ? 1 : -1;
  int axis = 0;
  for (int k = 0; k < 3; k++) {
    axis = inward[k] == (n == 1) ? k : axis;
  }
  cr_real cosine = g->h[axis] / g->half;
  if (cosine * cosine > CR_R(0.5)) {
    *w = walk_from(&near->at, way);
    stop_after_width(w, g, &near->at, axis);
  } else {
    *w = walk_from(&near->at, -way);
    stop_after_width(w, g, &near->at, (axis + 1) % 3);
    stop_after_width(w, g, &near->at, (axis + 2) % 3);
  }
  return true;
}

// no further than the face ahead on an axis: x = (+-size_k - c_k)/h_k
static void stop_at_face(walk* w, const segment* g, int axis, cr_real from) {
  int ahead = heading(g, axis, w->way);
  cr_real length = (g->size[axis] - (cr_real)ahead * from) / cr_abs(g->h[axis]);
  if (length < w->length) {
    w->length = length;
    w->to = (place){.part = cri_part(axis, ahead)};
  }
}

// From within an edge that the segment crosses: over the face that it leans to, as far as the
// other side or the end of the edge.
static bool walk_from_edge(const segment* g, const nearest* near, walk* w) {
  bool inward[3];
  if (inward_axes(g, near->edge, inward) != 1) {
    return false;
  }
  int lean = (near->axis + 2) % 3, other = (near->axis + 1) % 3;
  if (cr_abs(g->h[other]) > cr_abs(g->h[lean])) {
    lean = other;
  }
  *w = walk_from(&near->at, inward[lean] ? 1 : -1);
  stop_after_width(w, g, &near->at, lean);
  stop_at_face(w, g, near->axis, g->c[near->axis] + near->at.x * g->h[near->axis]);
  return true;
}

// From an end above a face: as far as the other end, or the first side of the face.
static bool walk_from_face(const segment* g, const nearest* near, walk* w) {
  if (!near->face) {
    return false;
  }
  int sign[3];
  cri_part_signs(sign, near->face);
  *w = walk_from(&near->at, -near->at.end);
  for (int k = 0; k < 3; k++) {
    // a start on the very border of the face stops nowhere on that axis
    cr_real from = g->c[k] + near->at.x * g->h[k];
    if (!sign[k] && (cr_real)heading(g, k, w->way) * from < g->size[k]) {
      stop_at_face(w, g, k, from);
    }
  }
  return true;
}

static bool find_second(const segment* g, const nearest* near, place* second) {
  walk w;
  bool found = near->corner ? walk_from_corner(g, near, &w)
               : near->edge ? walk_from_edge(g, near, &w)
                            : walk_from_face(g, near, &w);
  if (found) {
    *second = w.to;
    second->x = near->at.x + (cr_real)w.way * w.length;
  }
  return found;
}

// ---- the ball at a place

// [collision_box.b5] centre = p + x H
static void ball_centre(cr_real centre[3], cr_real H[3], const cr_shape* a, cr_real x) {
  cr_col3(H, a->mat, 2);
  cr_scl3(H, H, a->size[1]);
  cr_copy3(centre, a->pos);
  cr_accscl3(centre, H, x);
}

// A ball stopped at the plane of a face lies on it to rounding: the face is not one of the parts it may touch
// beside other faces.
static int32_t without_face(int32_t part, int32_t face) {
  int sign[3], face_sign[3];
  cri_part_signs(sign, part);
  cri_part_signs(face_sign, face);
  int shared = 0, others = 0, naxis = 0;
  for (int k = 0; k < 3; k++) {
    naxis += face_sign[k] != 0;
    shared += face_sign[k] && sign[k] == face_sign[k];
    others += !face_sign[k] && sign[k];
  }
  return naxis == 1 && shared && others ? part - face : part;
}

static int hit_at(const cr_shape* a, const cr_shape* b, cr_real margin, const place* at,
                  cr_hit* hit) {
  cr_real centre[3], H[3];
  ball_centre(centre, H, a, at->x);
  cr_shape ball = {.pos = centre, .mat = a->mat, .size = a->size};
  int n = cri_sphere_box(&ball, b, margin, hit);
  if (n) {
    hit->feature[0] = without_face(hit->feature[0], at->part);
    hit->feature[1] = at->part;
    hit->feature[2] = at->end;
    hit->feature[3] = at->step;
    hit->local[0] = at->x;
  }
  return n;
}

// true if a face of the box has all of the capsule more than the margin in front of it; with a little more, so
// that rounding hides no hit
static bool out_of_reach(const segment* g, cr_real margin) {
  for (int k = 0; k < 3; k++) {
    cr_real wide = g->size[k] + cr_abs(g->h[k]) + g->radius;
    if (cr_abs(g->c[k]) - wide > margin + CR_R(1e-9) * wide) {
      return true;
    }
  }
  return false;
}

int cri_capsule_box(const cr_shape* a, const cr_shape* b, cr_real margin, cr_hit hit[CR_MAX_HITS]) {
  segment g = segment_in_box(a, b);
  nearest near;
  place second;
  if (out_of_reach(&g, margin) || !find_nearest(&g, &near)) {
    return 0;
  }
  int n = hit_at(a, b, margin, &near.at, hit);
  if (find_second(&g, &near, &second)) {
    n += hit_at(a, b, margin, &second, hit + n);
  }
  return n;
}

// ---- derivatives

// Derivative of x, linear in the tangents of d = s o size - c and of h over the axes of a part,
//   x_tan = by_d . d_tan + by_h . h_tan + by_size . size_tan,   world: d_tan = R' v, h_tan = R' H'
typedef struct {
  cr_real by_d[3], by_h[3], by_size[3];
} slope;

static slope slope_of(const segment* g, const int32_t feature[4], cr_real x) {
  slope k = {.by_d = {0, 0, 0}};
  int sign[3];
  cri_part_signs(sign, feature[1]);
  cr_real hh = 0;
  for (int i = 0; i < 3; i++) {
    hh += sign[i] ? g->h[i] * g->h[i] : 0;
  }

  // [collision_box.b6] near = h.d/h.h: near_tan = (h.d_tan + (d - 2 near h).h_tan)/h.h
  int step = feature[3] < 0 ? -feature[3] : feature[3];
  cr_real way = feature[3] < 0 ? -1 : 1;
  cr_real jump = step ? 2 * way * g->size[step - 1] / cr_abs(g->h[step - 1]) : 0;
  cr_real near = x - (cr_real)feature[2] - jump;
  for (int i = 0; i < 3; i++) {
    if (sign[i]) {
      cr_real d = (cr_real)sign[i] * g->size[i] - g->c[i];
      k.by_d[i] = g->h[i] / hh;
      k.by_h[i] = (d - 2 * near * g->h[i]) / hh;
    }
  }

  // [collision_box.b7] step = +-2 size/|h|
  if (step) {
    k.by_size[step - 1] = jump / g->size[step - 1];
    k.by_h[step - 1] -= jump / g->h[step - 1];
  }
  return k;
}

void cri_capsule_box_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_shape_tan* a_tan,
                         const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  cr_real centre[3], H[3], v[3], d_tan[3], H_tan[3], turned[3], h_tan[3], u[3];
  segment g = segment_in_box(a, b);
  slope k = slope_of(&g, feature, local[0]);
  ball_centre(centre, H, a, local[0]);

  // tangents of the half axis in the world and in the box frame
  cr_col3(u, a->mat, 2);
  cr_cross3(H_tan, a_tan->rot, H);
  cr_accscl3(H_tan, u, a_tan->size[1]);
  cr_cross3(turned, H, b_tan->rot);
  cr_acc3(turned, H_tan);
  cr_multmat3(h_tan, b->mat, turned);

  // [collision_box.b6], [collision_box.b7]
  cri_part_tan(v, b, feature[1], a->pos, b_tan);
  cr_sub3(v, v, a_tan->pos);
  cr_multmat3(d_tan, b->mat, v);
  cr_real x_tan = cr_dot3(k.by_d, d_tan) + cr_dot3(k.by_h, h_tan) + cr_dot3(k.by_size, b_tan->size);

  // [collision_box.b5]
  cr_shape ball = {.pos = centre, .mat = a->mat, .size = a->size};
  cr_shape_tan ball_tan = {.size = {a_tan->size[0], 0, 0}};
  cr_copy3(ball_tan.pos, a_tan->pos);
  cr_accscl3(ball_tan.pos, H_tan, local[0]);
  cr_accscl3(ball_tan.pos, H, x_tan);
  cri_sphere_box_tan(&ball, b, feature, local, &ball_tan, b_tan, hit_tan);
}

void cri_capsule_box_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                         const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                         cr_shape_tan* b_bar) {
  cr_real centre[3], H[3], u[3], v_bar[3], H_bar[3], turned_bar[3];
  segment g = segment_in_box(a, b);
  slope k = slope_of(&g, feature, local[0]);
  ball_centre(centre, H, a, local[0]);

  // [collision_box.b5]'
  cr_shape ball = {.pos = centre, .mat = a->mat, .size = a->size};
  cr_shape_tan ball_bar = {.pos = {0, 0, 0}};
  cri_sphere_box_bar(&ball, b, feature, local, hit_bar, &ball_bar, b_bar);
  cr_real x_bar = cr_dot3(ball_bar.pos, H);
  cr_acc3(a_bar->pos, ball_bar.pos);
  a_bar->size[0] += ball_bar.size[0];
  cr_scl3(H_bar, ball_bar.pos, local[0]);

  // [collision_box.b7]', [collision_box.b6]'
  cr_accscl3(b_bar->size, k.by_size, x_bar);
  cr_mulmat3(v_bar, b->mat, k.by_d);
  cr_scl3(v_bar, v_bar, x_bar);
  cri_part_bar(b_bar, b, feature[1], a->pos, v_bar);
  cr_accscl3(a_bar->pos, v_bar, -1);

  // the half axis
  cr_mulmat3(turned_bar, b->mat, k.by_h);
  cr_scl3(turned_bar, turned_bar, x_bar);
  cr_acccross3(b_bar->rot, turned_bar, H);
  cr_acc3(H_bar, turned_bar);
  cr_col3(u, a->mat, 2);
  a_bar->size[1] += cr_dot3(u, H_bar);
  cr_acccross3(a_bar->rot, H, H_bar);
}
