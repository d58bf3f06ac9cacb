// SPDX-License-Identifier: Apache-2.0
#include "geometry/feature_solve.h"

// slack of a point on a feature, in units of the two shapes' size; angles that count as parallel
#define SLACK CR_R(1e-10)
// most that round-off of the normal may add to it
#define MOST_ROOM CR_R(1e-6)
#define PARALLEL CR_R(1e-10)
#define SINGULAR CR_R(1e-12)

// curvature and slope of the distance that count as none, and the possible gain if there is almost
// no curvature; in the same units
#define FLAT CR_R(1e-9)
#define NO_SLOPE (CR_R(64) * CR_EPS)
#define NO_GAIN (CR_R(64) * CR_EPS)

// ---- constraints on the normal

// rows of the 2 x 2 system for the normal's motion in the tangent plane: each is either a direction
// fixed in a shape, or one in which the optimum moves freely
typedef struct {
  cr_real row[2][3];  // unit and orthogonal tangent vectors, or two edges
  int owner[2];       // -1 free, 0 fixed in a, 1 fixed in b
  int dim_a, dim_b;   // of the features
  cr_real axis_a[3], axis_b[3];
  bool parallel;  // more freedom of place than the optimum decides
} hold;

static void tangent_basis(const cr_real n[3], cr_real t1[3], cr_real t2[3]) {
  int k = cr_abs(n[0]) < CR_R(0.6) ? 0 : cr_abs(n[1]) < CR_R(0.6) ? 1 : 2;
  cr_real e[3] = {k == 0, k == 1, k == 2};
  cr_cross3(t1, n, e);
  cr_normalize3(t1);
  cr_cross3(t2, n, t1);
}

// the component along n taken out, unit length
static void make_tangent(cr_real r[3], const cr_real axis[3], const cr_real n[3]) {
  cr_copy3(r, axis);
  cr_accscl3(r, n, -cr_dot3(n, axis));
  cr_normalize3(r);
}

// [collision_convex.o2] the held directions of the normal, and the shape that holds each
static hold hold_of(const cr_core* a, const cr_core* b, const cr_touch* ta, const cr_touch* tb,
                    const cr_real n[3]) {
  hold h = {.owner = {-1, -1}};
  h.dim_a = cri_touch_axis(a, ta, h.axis_a);
  h.dim_b = cri_touch_axis(b, tb, h.axis_b);
  h.parallel = h.dim_a + h.dim_b > 2;
  if (h.dim_a == 2 || h.dim_b == 2) {
    tangent_basis(n, h.row[0], h.row[1]);
    h.owner[0] = h.owner[1] = h.dim_a == 2 ? 0 : 1;
  } else if (h.dim_a + h.dim_b == 0) {
    tangent_basis(n, h.row[0], h.row[1]);
  } else {
    int first = h.dim_a == 1 ? 0 : 1;
    make_tangent(h.row[0], first == 0 ? h.axis_a : h.axis_b, n);
    h.owner[0] = first;
    cr_cross3(h.row[1], n, h.row[0]);
    if (h.dim_a + h.dim_b == 2) {
      h.parallel = cr_abs(cr_dot3(h.row[1], h.axis_b)) < PARALLEL;
      if (!h.parallel) {
        make_tangent(h.row[1], h.axis_b, n);
        h.owner[1] = 1;
      }
    }
  }
  return h;
}

// (W_a + W_b) x
static void bend_both(const cr_core* a, const cr_core* b, const cr_touch* ta, const cr_touch* tb,
                      const cr_real n[3], const cr_real x[3], cr_real r[3]) {
  cr_real minus[3], other[3];
  cr_scl3(minus, n, -1);
  cri_touch_bend(a, ta, n, x, r);
  cri_touch_bend(b, tb, minus, x, other);
  cr_acc3(r, other);
}

// ---- the answer on given features

// the normal if features decide it alone: a face, or two edges
static bool normal_of_hold(const hold* h, cr_real n[3]) {
  cr_real found[3];
  if (h->dim_a == 2) {
    cr_copy3(found, h->axis_a);
  } else if (h->dim_b == 2) {
    cr_scl3(found, h->axis_b, -1);
  } else {
    // for nearly parallel lines the cross product has few digits: made orthogonal in any case
    cr_cross3(found, h->axis_a, h->axis_b);
    cr_normalize3(found);
    make_tangent(found, found, h->axis_a);
    if (cr_dot3(found, n) < 0) {
      cr_scl3(found, found, -1);
    }
  }
  bool near = cr_dot3(found, n) > CR_R(0.7);
  cr_copy3(n, found);
  return near;
}

// step = |H|^-1 g for a symmetric H; where H is not positive: uphill, also away from a minimum. In a
// direction without slope there is no step; false if there is none in both, and d is least in one.
static bool climb(const cr_real H[2][2], const cr_real g[2], cr_real size, cr_real step[2]) {
  cr_real mean = (H[0][0] + H[1][1]) / 2, half = (H[0][0] - H[1][1]) / 2;
  cr_real radius = cr_sqrt(half * half + H[0][1] * H[0][1]);
  cr_real angle = cr_atan2(H[0][1], half) / 2;
  const cr_real value[2] = {mean + radius, mean - radius};
  const cr_real axis[2][2] = {{cr_cos(angle), cr_sin(angle)}, {-cr_sin(angle), cr_cos(angle)}};
  bool least = false;
  step[0] = step[1] = 0;
  for (int i = 0; i < 2; i++) {
    cr_real slope = axis[i][0] * g[0] + axis[i][1] * g[1];
    cr_real least_curved = cr_max(cr_abs(value[i]), CR_R(0.1) * FLAT * size);
    bool flat = cr_abs(value[i]) < FLAT * size && slope * slope < NO_GAIN * size * least_curved;
    if (cr_abs(slope) > NO_SLOPE * size && !flat) {
      cr_real way = slope / cr_max(cr_abs(value[i]), CR_EPS * size);
      step[0] += way * axis[i][0];
      step[1] += way * axis[i][1];
    } else {
      least = least || value[i] < CR_R(-0.1) * FLAT * size;
    }
  }
  return !least || step[0] != 0 || step[1] != 0;
}

// [collision_convex.o3] one Newton step of the normal in its free directions; returns its length, -1 if the distance
// is not the largest
static cr_real newton(const cr_core* a, const cr_core* b, const cr_optimum* x, const hold* h,
                      const cr_real gap[3], cr_real dist, cr_real n[3]) {
  cr_real r[3], H[2][2] = {{1, 0}, {0, 1}}, g[2] = {0, 0}, step[2];
  cr_real size = a->shape->bound + b->shape->bound;
  for (int i = 0; i < 2; i++) {
    if (h->owner[i] < 0) {
      bend_both(a, b, &x->a, &x->b, n, h->row[i], r);
      for (int j = 0; j < 2; j++) {
        H[i][j] = h->owner[j] < 0 ? cr_dot3(h->row[j], r) + (i == j ? dist : 0) : 0;
      }
      g[i] = cr_dot3(h->row[i], gap);
    }
  }
  cr_real det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
  if (H[0][0] > 0 && det > FLAT * size * (H[0][0] + H[1][1])) {
    step[0] = (H[1][1] * g[0] - H[0][1] * g[1]) / det;
    step[1] = (H[0][0] * g[1] - H[1][0] * g[0]) / det;
  } else if (!climb((const cr_real(*)[2])H, g, size, step)) {
    return -1;
  }
  cr_real length = cr_sqrt(step[0] * step[0] + step[1] * step[1]);
  cr_real shorter = length > CR_R(0.3) ? CR_R(0.3) / length : 1;
  cr_accscl3(n, h->row[0], step[0] * shorter);
  cr_accscl3(n, h->row[1], step[1] * shorter);
  cr_normalize3(n);
  return length;
}

static void points(const cr_core* a, const cr_core* b, const cr_optimum* x, cr_real pa[3],
                   cr_real pb[3], cr_real gap[3]) {
  cr_real minus[3];
  cr_scl3(minus, x->normal, -1);
  cri_touch_point(a, &x->a, x->normal, pa);
  cri_touch_point(b, &x->b, minus, pb);
  cr_sub3(gap, pb, pa);
}

// number of directions in which the features bend
static int bending(const cr_optimum* x) {
  static const int rank[] = {
      [CR_TOUCH_SMOOTH] = 2, [CR_TOUCH_RIM] = 1, [CR_TOUCH_SIDE] = 1, [CR_TOUCH_FACE] = 0};
  return rank[x->a.kind] + rank[x->b.kind];
}

static bool find_normal(const cr_core* a, const cr_core* b, cr_optimum* x, hold* h) {
  enum { MOST = 40 };
  bool rim = x->a.kind == CR_TOUCH_RIM || x->b.kind == CR_TOUCH_RIM;
  cr_real pa[3], pb[3], gap[3], before[3] = {0, 0, 0}, length = 1;
  cr_real reached = -CR_MAX;
  cr_real size = a->shape->bound + b->shape->bound, noise = CR_R(8) * CR_EPS * size;
  for (int k = 0; k < MOST; k++) {
    *h = hold_of(a, b, &x->a, &x->b, x->normal);
    if (h->owner[0] >= 0 && h->owner[1] >= 0) {
      bool near = normal_of_hold(h, x->normal);
      *h = hold_of(a, b, &x->a, &x->b, x->normal);
      return near;
    }
    if (h->owner[0] >= 0) {
      make_tangent(x->normal, x->normal, h->owner[0] == 0 ? h->axis_a : h->axis_b);
    }
    if (length < CR_R(1e-4) * cr_sqrt(CR_EPS)) {
      return true;
    }
    points(a, b, x, pa, pb, gap);
    cr_real dist = cr_dot3(x->normal, gap);
    if (dist < -FLAT * size && bending(x) < (h->owner[0] < 0) + (h->owner[1] < 0)) {
      return false;  // overlapping, for features that do not bend it is least there, not largest
    }
    if (dist < reached - noise && rim) {
      // too far: next to its axis the point of a rim turns within a tiny angle
      cr_acc3(x->normal, before);
      cr_normalize3(x->normal);
      continue;
    }
    reached = dist;
    cr_copy3(before, x->normal);
    length = newton(a, b, x, h, gap, dist, x->normal);
    if (length < 0) {
      return false;
    }
  }
  return length < CR_R(1e-3) * cr_sqrt(CR_EPS);
}

// moves `point` to the nearest point of a line p + t u of one shape whose partner, `dist` n away, is on the feature
// of the other
static void on_line(const cr_core* c, const cr_touch* line, const cr_real p[3], const cr_real u[3],
                    const cr_core* other, const cr_touch* t, const cr_real n[3], cr_real dist,
                    cr_real point[3]) {
  cr_real arm[3], partner[3], own[2], span[2];
  cr_sub3(arm, point, p);
  cr_copy3(partner, p);
  cr_accscl3(partner, n, dist);
  cri_touch_span(c, line, p, u, own);
  cri_touch_span(other, t, partner, u, span);
  cr_real low = cr_max(own[0], span[0]), high = cr_min(own[1], span[1]);
  cr_real along = low < high ? cr_clip(cr_dot3(u, arm), low, high) : (low + high) / 2;
  cr_copy3(point, p);
  cr_accscl3(point, u, along);
}

// [collision_convex.o9] For two parallel lines of half lengths h_a, h_b the place divides the distance of their middles as
// h_a : h_b. `along` is its position from pa along the line of a. Returns h_a / (h_a + h_b).
static cr_real between_lines(const cr_core* a, const cr_core* b, const cr_touch* ta,
                             const cr_touch* tb, const cr_real u[3], const cr_real pa[3],
                             const cr_real pb[3], cr_real* along) {
  cr_real own[2], span[2], gap[3];
  cri_touch_span(a, ta, pa, u, own);
  cri_touch_span(b, tb, pb, u, span);
  cr_sub3(gap, pb, pa);
  cr_real half_a = (own[1] - own[0]) / 2, half_b = (span[1] - span[0]) / 2;
  cr_real middle_a = (own[0] + own[1]) / 2;
  cr_real middle_b = cr_dot3(u, gap) + (span[0] + span[1]) / 2;
  cr_real share = half_a + half_b > 0 ? half_a / (half_a + half_b) : CR_R(0.5);
  *along = middle_a + share * (middle_b - middle_a);
  return share;
}

// [collision_convex.o4] the two points, given the normal and the distance; guesses are on_a, on_b on entry
static bool find_points(const cr_core* a, const cr_core* b, cr_optimum* x, const hold* h,
                        const cr_real pa[3], const cr_real pb[3], cr_real slack) {
  const cr_real* n = x->normal;
  if (h->parallel) {
    // any point of the overlap: for two lines [collision_convex.o9], for a line and a face the one nearest to the guess, in two
    // planes the guess itself
    if (h->dim_a == 1 && h->dim_b == 1) {
      cr_real along;
      (void)between_lines(a, b, &x->a, &x->b, h->axis_a, pa, pb, &along);
      cr_copy3(x->on_a, pa);
      cr_accscl3(x->on_a, h->axis_a, along);
      cr_copy3(x->on_b, x->on_a);
      cr_accscl3(x->on_b, n, x->dist);
    } else if (h->dim_a == 1) {
      on_line(a, &x->a, pa, h->axis_a, b, &x->b, n, x->dist, x->on_a);
      cr_copy3(x->on_b, x->on_a);
      cr_accscl3(x->on_b, n, x->dist);
    } else if (h->dim_b == 1) {
      on_line(b, &x->b, pb, h->axis_b, a, &x->a, n, -x->dist, x->on_b);
    } else {
      cr_real arm[3];
      cr_sub3(arm, x->on_b, pb);
      cr_accscl3(x->on_b, n, -cr_dot3(n, arm));
    }
  } else if (h->dim_a == 0 || h->dim_b == 0) {
    if (h->dim_a == 0) {
      cr_copy3(x->on_a, pa);
      cr_copy3(x->on_b, pa);
      cr_accscl3(x->on_b, n, x->dist);
    } else {
      cr_copy3(x->on_b, pb);
    }
  } else {
    // the crossing of two edges: pa + alpha e_a, with t_b . (on_b - pb) = 0, t_b across e_b
    cr_real across[3], gap[3];
    cr_cross3(across, n, h->row[1]);
    cr_sub3(gap, pb, pa);
    cr_real slope = cr_dot3(across, h->row[0]);
    cr_real alpha = cr_dot3(across, gap) / slope;
    cr_copy3(x->on_b, pa);
    cr_accscl3(x->on_b, h->row[0], alpha);
    cr_accscl3(x->on_b, n, x->dist);
  }
  cr_copy3(x->on_a, x->on_b);
  cr_accscl3(x->on_a, n, -x->dist);
  return cri_touch_holds(a, &x->a, x->on_a, slack) && cri_touch_holds(b, &x->b, x->on_b, slack);
}

// What the normal's last digits do to the points: a sharply bent feature, as a rim that lies nearly flat, moves far.
static cr_real round_off(const cr_core* a, const cr_core* b, const cr_optimum* x, const hold* h,
                         int free) {
  cr_real r[3];
  if (h->owner[free] >= 0) {
    return 0;
  }
  bend_both(a, b, &x->a, &x->b, x->normal, h->row[free], r);
  return CR_R(16) * CR_EPS * cr_norm3(r);
}

// true if no slope is left in the free directions, except from round-off: a sharply bent feature makes steps that only
// look small
static bool stands(const hold* h, const cr_real gap[3], cr_real slack, const cr_real noise[2]) {
  for (int i = 0; i < 2; i++) {
    if (h->owner[i] < 0 && !(cr_abs(cr_dot3(h->row[i], gap)) <= slack + noise[i])) {
      return false;
    }
  }
  return true;
}

// for features with more freedom of place than the optimum decides: true if they are parallel. Two lines
// that only look so along the normal touch, if at all, at an end of one.
static bool aligned(const hold* h) {
  if (!h->parallel) {
    return true;
  }
  cr_real c[3];
  cr_cross3(c, h->axis_a, h->axis_b);
  cr_real tilt = h->dim_a == h->dim_b ? cr_norm3(c) : cr_abs(cr_dot3(h->axis_a, h->axis_b));
  return tilt <= PARALLEL;
}

// true if the core has nothing farther along m than the point p
static bool farthest(cr_core* c, const cr_real m[3], const cr_real p[3], cr_real slack) {
  cr_real q[3], gap[3];
  (void)cri_support(c, m, q);
  cr_sub3(gap, q, p);
  return cr_dot3(gap, m) <= slack;
}

bool cri_optimum(cr_core* a, cr_core* b, cr_optimum* x) {
  hold h;
  cr_real pa[3], pb[3], gap[3], minus[3];
  cr_real slack = SLACK * (a->shape->bound + b->shape->bound);
  if (!find_normal(a, b, x, &h) || !aligned(&h)) {
    return false;
  }
  points(a, b, x, pa, pb, gap);
  x->dist = cr_dot3(x->normal, gap);
  cr_scl3(minus, x->normal, -1);
  const cr_real noise[2] = {round_off(a, b, x, &h, 0), round_off(a, b, x, &h, 1)};
  cr_real room =
      cr_min(cr_max(noise[0], noise[1]), MOST_ROOM * (a->shape->bound + b->shape->bound));
  return farthest(a, x->normal, pa, slack) && farthest(b, minus, pb, slack) &&
         stands(&h, gap, slack, noise) && find_points(a, b, x, &h, pa, pb, slack + room);
}

// ---- where features slide along each other

// which of the two points moves only with its own shape; the other follows. -1: edges cross
static int leader(const hold* h) {
  if (h->dim_a == 1 && h->dim_b == 1 && !h->parallel) {
    return -1;
  }
  return h->dim_a == 0 || (h->dim_b != 0 && h->dim_a < h->dim_b) || (h->parallel && h->dim_a == 1)
             ? 0
             : 1;
}

void cri_plane_basis(const cr_real n[3], cr_real t1[3], cr_real t2[3]) {
  // a threshold that no normal of simple numbers meets
  int k = cr_abs(n[0]) < CR_R(0.5713) ? 0 : cr_abs(n[1]) < CR_R(0.5713) ? 1 : 2;
  cr_real e[3] = {k == 0, k == 1, k == 2};
  cr_cross3(t1, n, e);
  cr_normalize3(t1);
  cr_cross3(t2, n, t1);
}

bool cri_optimum_slides(const cr_core* a, const cr_core* b, const cr_optimum* x, cr_real n[3]) {
  cr_real axis_a[3], axis_b[3];
  int dim_a = cri_touch_axis(a, &x->a, axis_a), dim_b = cri_touch_axis(b, &x->b, axis_b);
  if (dim_a + dim_b <= 2) {
    return false;
  }
  cr_scl3(n, dim_a == 2 ? axis_a : axis_b, dim_a == 2 ? 1 : -1);
  return true;
}

// [collision_convex.o9] the middle of the part that a line shares with the other feature, along u from the place
static cr_real middle_of(const cr_core* a, const cr_core* b, const cr_optimum* x,
                         const cr_real u[3]) {
  cr_real own[2], span[2];
  cri_touch_span(a, &x->a, x->on_a, u, own);
  cri_touch_span(b, &x->b, x->on_b, u, span);
  cr_real low = cr_max(own[0], span[0]), high = cr_min(own[1], span[1]);
  return low < high ? (low + high) / 2 : 0;
}

// [collision_convex.o8] The place is an end of the part that a line and a face share. It moves with the line if the line ends
// there. Else it is where the line leaves the face, which is linear in the relative position of the two.
static void slide_end(const cr_core* a, const cr_core* b, const hold* h, const cr_real n[3],
                      const cr_real* const t[2], cr_optimum* x) {
  bool of_a = leader(h) == 0;
  const cr_core *line = of_a ? a : b, *face = of_a ? b : a;
  const cr_real *u = of_a ? h->axis_a : h->axis_b, *p = of_a ? x->on_a : x->on_b;
  cr_real slack = SLACK * (a->shape->bound + b->shape->bound), shift = CR_R(1e4) * slack;
  cr_real own[2], span[2][2], q[3], w[3], way[3];
  cri_touch_span(line, of_a ? &x->a : &x->b, p, u, own);
  if (cr_abs(own[0]) <= slack || cr_abs(own[1]) <= slack) {
    return;
  }
  cr_cross3(w, n, u);
  for (int i = 0; i < 2; i++) {
    cr_copy3(q, of_a ? x->on_b : x->on_a);
    cr_accscl3(q, w, i == 0 ? -shift : shift);
    cri_touch_span(face, of_a ? &x->b : &x->a, q, u, span[i]);
  }
  int end = cr_abs(span[0][0] + span[1][0]) < cr_abs(span[0][1] + span[1][1]) ? 0 : 1;
  cr_copy3(way, u);
  cr_accscl3(way, w, -(span[1][end] - span[0][end]) / (2 * shift));
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      x->slide[i][j] = (of_a ? 1 : -1) * cr_dot3(t[i], u) * cr_dot3(t[j], way);
    }
  }
}

// a triangle of the difference in its plane, the same corners on the leading shape, and the areas that
// the foot of the origin makes with the sides. Their shares weigh the corners, none of them negative
typedef struct {
  cr_real t[2][3], q[3][2], lead[3][2], area[3], sum, sign;
} foot;

static foot foot_of(const cr_real n[3], const cr_real* const on_a[3], const cr_real* const on_b[3],
                    bool of_a) {
  foot f = {.sum = 0};
  cr_real all = 0;
  cri_plane_basis(n, f.t[0], f.t[1]);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 2; i++) {
      f.q[k][i] = cr_dot3(f.t[i], on_a[k]) - cr_dot3(f.t[i], on_b[k]);
      f.lead[k][i] = cr_dot3(f.t[i], of_a ? on_a[k] : on_b[k]);
    }
  }
  for (int k = 0; k < 3; k++) {
    const cr_real *u = f.q[(k + 1) % 3], *v = f.q[(k + 2) % 3];
    f.area[k] = u[0] * v[1] - u[1] * v[0];
    all += f.area[k];
  }
  f.sign = all < 0 ? -1 : 1;
  for (int k = 0; k < 3; k++) {
    f.area[k] = cr_max(f.sign * f.area[k], 0);
    f.sum += f.area[k];
  }
  return f;
}

// the areas as the triangle moves by -slip
static void slide_foot(const foot* f, cr_real slide[2][2]) {
  for (int j = 0; j < 2; j++) {
    cr_real rate[3], rates = 0;
    for (int k = 0; k < 3; k++) {
      const cr_real *u = f->q[(k + 1) % 3], *v = f->q[(k + 2) % 3];
      rate[k] = f->area[k] > 0 ? f->sign * (j == 0 ? u[1] - v[1] : v[0] - u[0]) : 0;
      rates += rate[k];
    }
    for (int k = 0; k < 3; k++) {
      cr_real weight = (rate[k] - rates * f->area[k] / f->sum) / f->sum;
      slide[0][j] += weight * f->lead[k][0];
      slide[1][j] += weight * f->lead[k][1];
    }
  }
}

// distance of a point from the weighted corners along u
static cr_real moved_along(const foot* f, const cr_real u[3], const cr_real p[3]) {
  cr_real along = cr_dot3(u, p);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 2; i++) {
      along -= cr_dot3(u, f->t[i]) * f->lead[k][i] * f->area[k] / f->sum;
    }
  }
  return cr_abs(along);
}

void cri_optimum_slide(const cr_core* a, const cr_core* b, const cr_real* const on_a[3],
                       const cr_real* const on_b[3], cr_optimum* x) {
  cr_real n[3];
  cr_zero(x->slide[0], 4);
  if (!cri_core_flat(a) || !cri_core_flat(b) || !cri_optimum_slides(a, b, x, n)) {
    return;
  }
  hold h = hold_of(a, b, &x->a, &x->b, n);
  bool of_a = leader(&h) == 0;
  foot f = foot_of(n, on_a, on_b, of_a);
  cr_real slack = SLACK * (a->shape->bound + b->shape->bound);
  if (!(f.sum > 0)) {
    return;
  }
  if (h.dim_a + h.dim_b == 3 &&
      moved_along(&f, of_a ? h.axis_a : h.axis_b, of_a ? x->on_a : x->on_b) > slack) {
    slide_end(a, b, &h, n, (const cr_real* [2]){f.t[0], f.t[1]}, x);
  } else {
    slide_foot(&f, x->slide);
  }
}

// ---- derivatives

// normals of the two features and the points, ready for both directions
typedef struct {
  hold h;
  cr_real minus[3];

  // M (t1 . normal_tan, t2 . normal_tan) = right-hand side; zero if M is singular: then the normal is
  // held
  cr_real inverse[2][2];
  cr_real
      slide[2][2];  // [collision_convex.o8], [collision_convex.o9], in the basis of cri_plane_basis
  cr_real lever
      [3];  // [collision_convex.o9] of the distance, as the shapes turn; zero unless a line is shared
} system2;

// [collision_convex.o9] the place on the line of a follows that of b by its share of the slip of the two along each other
static void slide_lines(const cr_core* a, const cr_core* b, const cr_optimum* x, const hold* h,
                        const cr_real minus[3], cr_real slide[2][2]) {
  cr_real pa[3], pb[3], t[2][3], along;
  cri_touch_point(a, &x->a, x->normal, pa);
  cri_touch_point(b, &x->b, minus, pb);
  cr_real share = between_lines(a, b, &x->a, &x->b, h->axis_a, pa, pb, &along);
  cri_plane_basis(x->normal, t[0], t[1]);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      slide[i][j] = share * cr_dot3(t[i], h->axis_a) * cr_dot3(t[j], h->axis_a);
    }
  }
}

// the matrix of [collision_convex.o5] in the coordinates of a tangent basis; t1, t2 are rows
static system2 system_of(const cr_core* a, const cr_core* b, const cr_optimum* x, cr_real t1[3],
                         cr_real t2[3]) {
  system2 s = {.h = hold_of(a, b, &x->a, &x->b, x->normal)};
  cr_real M[2][2];
  cr_scl3(s.minus, x->normal, -1);
  tangent_basis(x->normal, t1, t2);
  for (int i = 0; i < 2; i++) {
    cr_real r[3];
    cr_copy3(r, s.h.row[i]);
    if (s.h.owner[i] < 0) {
      bend_both(a, b, &x->a, &x->b, x->normal, s.h.row[i], r);
      cr_accscl3(r, s.h.row[i], x->dist);
    }
    M[i][0] = cr_dot3(r, t1);
    M[i][1] = cr_dot3(r, t2);
  }
  cr_real det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  cr_real scale = 0;
  for (int i = 0; i < 4; i++) {
    scale = cr_max(scale, cr_abs(M[i / 2][i % 2]));
  }
  cr_real f = cr_abs(det) > SINGULAR * scale * scale ? 1 / det : 0;
  s.inverse[0][0] = f * M[1][1];
  s.inverse[0][1] = -f * M[0][1];
  s.inverse[1][0] = -f * M[1][0];
  s.inverse[1][1] = f * M[0][0];
  cr_copy(s.slide[0], x->slide[0], 4);
  if (s.h.parallel && s.h.dim_a == 1 && s.h.dim_b == 1) {
    slide_lines(a, b, x, &s.h, s.minus, s.slide);
  }
  cr_zero3(s.lever);
  if (s.h.parallel && (s.h.dim_a == 1 || s.h.dim_b == 1)) {
    const cr_real* u = s.h.dim_a == 1 ? s.h.axis_a : s.h.axis_b;
    cr_cross3(s.lever, u, x->normal);
    cr_scl3(s.lever, s.lever, middle_of(a, b, x, u));
  }
  return s;
}

static bool slides(const cr_real slide[2][2]) {
  const cr_real* s = slide[0];
  return s[0] != 0 || s[1] != 0 || s[2] != 0 || s[3] != 0;
}

// [collision_convex.o8] u += slide (ub - ua - dist normal_tan), with u one of ua, ub
static void slide_tan(const cr_optimum* x, const cr_real slide[2][2], const cr_optimum_tan* x_tan,
                      const cr_real ua[3], const cr_real ub[3], cr_real u[3]) {
  cr_real t[2][3], slip[3];
  if (!slides(slide)) {
    return;
  }
  cri_plane_basis(x->normal, t[0], t[1]);
  cr_sub3(slip, ub, ua);
  cr_accscl3(slip, x_tan->normal, -x->dist);
  cr_real s1 = cr_dot3(t[0], slip), s2 = cr_dot3(t[1], slip);
  for (int i = 0; i < 2; i++) {
    cr_accscl3(u, t[i], slide[i][0] * s1 + slide[i][1] * s2);
  }
}

static void slide_bar(const cr_optimum* x, const cr_real slide[2][2], const cr_real u_bar[3],
                      cr_real ua_bar[3], cr_real ub_bar[3], cr_real n_bar[3]) {
  cr_real t[2][3], slip_bar[3] = {0, 0, 0};
  if (!slides(slide)) {
    return;
  }
  cri_plane_basis(x->normal, t[0], t[1]);
  cr_real u1 = cr_dot3(t[0], u_bar), u2 = cr_dot3(t[1], u_bar);
  for (int j = 0; j < 2; j++) {
    cr_accscl3(slip_bar, t[j], slide[0][j] * u1 + slide[1][j] * u2);
  }
  cr_acc3(ub_bar, slip_bar);
  cr_accscl3(ua_bar, slip_bar, -1);
  cr_accscl3(n_bar, slip_bar, -x->dist);
}

void cri_feature_solve_tan(const cr_core* a, const cr_core* b, const cr_optimum* x,
                           const cr_shape_tan* a_tan, const cr_shape_tan* b_tan,
                           cr_optimum_tan* x_tan) {
  const cr_real* n = x->normal;
  cr_real t1[3], t2[3], va[3], vb[3], swing_a[3], swing_b[3], wa[3], wb[3], dv[3], rhs[2];
  system2 s = system_of(a, b, x, t1, t2);
  cri_touch_tan(a, &x->a, n, x->on_a, a_tan, va);
  cri_touch_tan(b, &x->b, s.minus, x->on_b, b_tan, vb);
  cr_cross3(swing_a, a_tan->rot, n);
  cr_cross3(swing_b, b_tan->rot, n);
  cr_sub3(dv, vb, va);

  // [collision_convex.o5] row . normal_tan = row . (rot x n) where held; t . (W_a + W_b + d) normal_tan =
  //      t . (v_b - v_a + W_a (rot_a x n) + W_b (rot_b x n)) where free
  cri_touch_bend(a, &x->a, n, swing_a, wa);
  cri_touch_bend(b, &x->b, s.minus, swing_b, wb);
  for (int i = 0; i < 2; i++) {
    const cr_real* row = s.h.row[i];
    rhs[i] = s.h.owner[i] == 0   ? cr_dot3(row, swing_a)
             : s.h.owner[i] == 1 ? cr_dot3(row, swing_b)
                                 : cr_dot3(row, dv) + cr_dot3(row, wa) + cr_dot3(row, wb);
  }
  cr_scl3(x_tan->normal, t1, s.inverse[0][0] * rhs[0] + s.inverse[0][1] * rhs[1]);
  cr_accscl3(x_tan->normal, t2, s.inverse[1][0] * rhs[0] + s.inverse[1][1] * rhs[1]);

  // [collision_convex.o6] dist_tan = n . (v_b - v_a)
  x_tan->dist = cr_dot3(n, dv);

  // [collision_convex.o7] the points, within the motion that their features allow
  cr_real ua[3], ub[3];
  cri_touch_bend(a, &x->a, n, x_tan->normal, ua);
  cri_touch_bend(b, &x->b, s.minus, x_tan->normal, ub);
  for (int k = 0; k < 3; k++) {
    ua[k] += va[k] - wa[k];
    ub[k] = vb[k] - ub[k] + wb[k];
  }
  int lead = leader(&s.h);
  if (lead >= 0) {
    slide_tan(x, (const cr_real(*)[2])s.slide, x_tan, ua, ub, lead == 0 ? ua : ub);
  }
  if (lead == 1) {
    cr_copy3(x_tan->on_a, ub);
    cr_accscl3(x_tan->on_a, n, -x_tan->dist);
    cr_accscl3(x_tan->on_a, x_tan->normal, -x->dist);
  } else {
    cr_copy3(x_tan->on_a, ua);
    if (lead < 0) {
      cr_real across[3], slip[3];
      cr_cross3(across, n, s.h.row[1]);
      cr_sub3(slip, ub, ua);
      cr_accscl3(slip, x_tan->normal, -x->dist);
      cr_accscl3(x_tan->on_a, s.h.row[0], cr_dot3(across, slip) / cr_dot3(across, s.h.row[0]));
    }
  }

  // [collision_convex.o9] along a shared line the distance is that in its middle
  x_tan->dist += cr_dot3(s.lever, b_tan->rot) - cr_dot3(s.lever, a_tan->rot);
}

void cri_feature_solve_bar(const cr_core* a, const cr_core* b, const cr_optimum* x,
                           const cr_optimum_tan* x_bar, cr_shape_tan* a_bar, cr_shape_tan* b_bar) {
  const cr_real* n = x->normal;
  cr_real t1[3], t2[3], r[3], dv_bar[3], n_bar[3], wa_bar[3] = {0}, wb_bar[3] = {0};
  cr_real ua_bar[3] = {0}, ub_bar[3] = {0}, swing_a_bar[3] = {0}, swing_b_bar[3] = {0};
  system2 s = system_of(a, b, x, t1, t2);
  cr_real dist_bar = x_bar->dist;
  cr_copy3(n_bar, x_bar->normal);

  // [collision_convex.o9]'
  cr_accscl3(b_bar->rot, s.lever, dist_bar);
  cr_accscl3(a_bar->rot, s.lever, -dist_bar);

  // [collision_convex.o7]'
  int lead = leader(&s.h);
  if (lead == 1) {
    cr_copy3(ub_bar, x_bar->on_a);
    dist_bar -= cr_dot3(n, x_bar->on_a);
    cr_accscl3(n_bar, x_bar->on_a, -x->dist);
  } else {
    cr_copy3(ua_bar, x_bar->on_a);
    if (lead < 0) {
      cr_real across[3];
      cr_cross3(across, n, s.h.row[1]);
      cr_real f = cr_dot3(s.h.row[0], x_bar->on_a) / cr_dot3(across, s.h.row[0]);
      cr_accscl3(ub_bar, across, f);
      cr_accscl3(ua_bar, across, -f);
      cr_accscl3(n_bar, across, -f * x->dist);
    }
  }
  if (lead >= 0) {
    slide_bar(x, (const cr_real(*)[2])s.slide, x_bar->on_a, ua_bar, ub_bar, n_bar);
  }
  cri_touch_bend(a, &x->a, n, ua_bar, r);
  cr_acc3(n_bar, r);
  cr_accscl3(wa_bar, ua_bar, -1);
  cri_touch_bend(b, &x->b, s.minus, ub_bar, r);
  cr_accscl3(n_bar, r, -1);
  cr_acc3(wb_bar, ub_bar);

  // [collision_convex.o6]'
  cr_scl3(dv_bar, n, dist_bar);

  // [collision_convex.o5]'
  cr_real g1 = cr_dot3(t1, n_bar), g2 = cr_dot3(t2, n_bar);
  for (int i = 0; i < 2; i++) {
    const cr_real* row = s.h.row[i];
    cr_real rhs_bar = s.inverse[0][i] * g1 + s.inverse[1][i] * g2;
    if (s.h.owner[i] == 0) {
      cr_accscl3(swing_a_bar, row, rhs_bar);
    } else if (s.h.owner[i] == 1) {
      cr_accscl3(swing_b_bar, row, rhs_bar);
    } else {
      cr_accscl3(dv_bar, row, rhs_bar);
      cr_accscl3(wa_bar, row, rhs_bar);
      cr_accscl3(wb_bar, row, rhs_bar);
    }
  }
  cri_touch_bend(a, &x->a, n, wa_bar, r);
  cr_acc3(swing_a_bar, r);
  cri_touch_bend(b, &x->b, s.minus, wb_bar, r);
  cr_acc3(swing_b_bar, r);

  // the shapes: normals swing by rot x n, points move as fixed to them
  cr_acccross3(a_bar->rot, n, swing_a_bar);
  cr_acccross3(b_bar->rot, n, swing_b_bar);
  cr_acc3(ub_bar, dv_bar);
  cr_accscl3(ua_bar, dv_bar, -1);
  cri_touch_bar(a, &x->a, n, x->on_a, ua_bar, a_bar);
  cri_touch_bar(b, &x->b, s.minus, x->on_b, ub_bar, b_bar);
}
