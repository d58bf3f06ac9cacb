// SPDX-License-Identifier: Apache-2.0
// First the pairs of two balls on axes, which share their derivatives, then sphere and cylinder.
#include "geometry/sphere_capsule.h"

#include "geometry/pair_distance.h"

enum { SIDE, CAP, RIM };

// ---- two balls on axes

// [collision.r1] the ball at x on the axis of a shape
static cr_ball ball_at(const cr_shape* s, cr_real x) {
  cr_real axis[3];
  cr_col3(axis, s->mat, 2);
  cr_ball ball = {.radius = s->size[0]};
  cr_copy3(ball.pos, s->pos);
  cr_accscl3(ball.pos, axis, x);
  return ball;
}

static void save(cr_hit* hit, int32_t ride_a, int32_t ride_b, cr_real x_a, cr_real x_b,
                 cr_real length) {
  const int32_t feature[4] = {ride_a, ride_b, SIDE, 0};
  const cr_real local[6] = {x_a, x_b, hit->normal[0], hit->normal[1], hit->normal[2], length};
  memcpy(hit->feature, feature, sizeof feature);
  memcpy(hit->local, local, sizeof local);
}

int cri_sphere_sphere(const cr_shape* a, const cr_shape* b, cr_real margin,
                      cr_hit hit[CR_MAX_HITS]) {
  cr_ball p = ball_at(a, 0), q = ball_at(b, 0);
  cr_real length;
  if (!cri_ball_ball(&p, &q, a->mat, b->mat, margin, hit, &length)) {
    return 0;
  }
  save(hit, CR_RIDE_CENTRE, CR_RIDE_CENTRE, 0, 0, length);
  return 1;
}

// height of the centre of a above the centre of b, along the axis of b
static cr_real height_on(const cr_shape* a, const cr_shape* b) {
  cr_real dif[3], axis[3];
  cr_sub3(dif, a->pos, b->pos);
  cr_col3(axis, b->mat, 2);
  return cr_dot3(axis, dif);
}

int cri_sphere_capsule(const cr_shape* a, const cr_shape* b, cr_real margin,
                       cr_hit hit[CR_MAX_HITS]) {
  // [collision.r2] the foot of the sphere's centre on the axis, no farther than an end
  cr_real half = b->size[1], x = height_on(a, b), length;
  int32_t ride = x < -half ? CR_RIDE_LOWER : (x > half ? CR_RIDE_UPPER : CR_RIDE_FREE);
  x = cr_clip(x, -half, half);
  cr_ball p = ball_at(a, 0), q = ball_at(b, x);
  if (!cri_ball_ball(&p, &q, a->mat, b->mat, margin, hit, &length)) {
    return 0;
  }
  save(hit, CR_RIDE_CENTRE, ride, 0, x, length);
  return 1;
}

// a point of a segment: its weight from 0 to 1, and whether it is held by an end
typedef struct {
  cr_real weight;
  int32_t ride;
} rider;

static rider clipped(cr_real weight) {
  if (weight < 0) {
    return (rider){0, CR_RIDE_LOWER};
  }
  return weight > 1 ? (rider){1, CR_RIDE_UPPER} : (rider){weight, CR_RIDE_FREE};
}

// the two segments p + s u and q + t v, products of their vectors, d = p - q
typedef struct {
  cr_real uu, vv, uv, ud, vd;
  cr_real p[3], q[3], u[3], v[3], d[3];
} segments;

static void segment_of(const cr_shape* s, cr_real start[3], cr_real along[3]) {
  cr_real axis[3], end[3];
  cr_col3(axis, s->mat, 2);
  cr_scl3(axis, axis, s->size[1]);
  cr_sub3(start, s->pos, axis);
  cr_add3(end, s->pos, axis);
  cr_sub3(along, end, start);
}

static segments segments_of(const cr_shape* a, const cr_shape* b) {
  segments k;
  segment_of(a, k.p, k.u);
  segment_of(b, k.q, k.v);
  cr_sub3(k.d, k.p, k.q);
  k.uu = cr_dot3(k.u, k.u);
  k.vv = cr_dot3(k.v, k.v);
  k.uv = cr_dot3(k.u, k.v);
  k.ud = cr_dot3(k.u, k.d);
  k.vd = cr_dot3(k.v, k.d);
  return k;
}

// [collision.r4] the nearest point of the second segment to the point s of the first; if an end of the
// second holds it, s moves to the foot of that end
static void settle(const segments* k, rider s, rider at[2]) {
  at[0] = s;
  at[1] = clipped((k->uv * s.weight + k->vd) / k->vv);
  if (at[1].ride == CR_RIDE_LOWER) {
    at[0] = clipped(-k->ud / k->uu);
  } else if (at[1].ride == CR_RIDE_UPPER) {
    at[0] = clipped((k->uv - k->ud) / k->uu);
  }
}

// nearest points of two segments: one pair, or two if they are parallel
static int nearest(const segments* k, rider at[2][2]) {
  const rider start = {0, CR_RIDE_LOWER}, end = {1, CR_RIDE_UPPER};

  // segments without length
  bool point_a = k->uu <= CR_MINVAL, point_b = k->vv <= CR_MINVAL;
  if (point_a || point_b) {
    at[0][0] = point_a ? start : clipped(-k->ud / k->uu);
    at[0][1] = point_b ? start : clipped(k->vd / k->vv);
    return 1;
  }

  // [collision.r3] (u x v)^2 = uu vv - uv^2, without its cancellation
  cr_real c[3], e[3];
  cr_cross3(c, k->u, k->v);
  cr_real det = cr_dot3(c, c);
  if (det > CR_R(1e-8) * k->uu * k->vv) {
    cr_cross3(e, k->v, k->d);
    settle(k, clipped(cr_dot3(c, e) / det), at[0]);
    return 1;
  }

  // parallel: both ends of the overlap
  settle(k, start, at[0]);
  settle(k, end, at[1]);
  return 2;
}

// true if the axes are farther apart than the reach already along the line of centres d. Their gap
// there is |d| - h_a |u . d|/|d| - h_b |v . d|/|d|. This rejects most capsules in one bounding sphere's reach of
// each other. The factor keeps those that just touch.
static bool apart(const cr_shape* a, const cr_shape* b, cr_real margin) {
  cr_real dif[3], u[3], v[3], reach = margin + a->size[0] + b->size[0];
  cr_sub3(dif, b->pos, a->pos);
  cr_col3(u, a->mat, 2);
  cr_col3(v, b->mat, 2);
  cr_real square = cr_dot3(dif, dif);
  cr_real gap = square - a->size[1] * cr_abs(cr_dot3(u, dif)) -
                b->size[1] * cr_abs(cr_dot3(v, dif));  // times |d|
  return gap > 0 && gap * gap > CR_R(1.000000001) * reach * reach * square;
}

int cri_capsule_capsule(const cr_shape* a, const cr_shape* b, cr_real margin,
                        cr_hit hit[CR_MAX_HITS]) {
  if (apart(a, b, margin)) {
    return 0;
  }
  segments k = segments_of(a, b);
  rider at[2][2];
  int pairs = nearest(&k, at), n = 0;
  for (int i = 0; i < pairs; i++) {
    const rider *s = &at[i][0], *t = &at[i][1];
    cr_ball p = {.radius = a->size[0]}, q = {.radius = b->size[0]};
    cr_copy3(p.pos, k.p);
    cr_accscl3(p.pos, k.u, s->weight);
    cr_copy3(q.pos, k.q);
    cr_accscl3(q.pos, k.v, t->weight);
    cr_real length;
    if (cri_ball_ball(&p, &q, a->mat, b->mat, margin, hit + n, &length)) {
      save(hit + n++, s->ride, t->ride, (2 * s->weight - 1) * a->size[1],
           (2 * t->weight - 1) * b->size[1], length);
    }
  }
  return n;
}

// tangent of a ball at x on its axis, x fixed, or tied to the end
static cr_ball ball_tan_at(const cr_shape_tan* s_tan, const cr_real axis[3],
                           const cr_real axis_tan[3], cr_real x, int32_t ride) {
  cr_ball ball_tan = {.radius = s_tan->size[0]};
  cr_copy3(ball_tan.pos, s_tan->pos);
  if (ride != CR_RIDE_CENTRE) {
    cr_accscl3(ball_tan.pos, axis_tan, x);
    cr_accscl3(ball_tan.pos, axis, (cr_real)ride * s_tan->size[1]);
  }
  return ball_tan;
}

// [collision.r5] free balls obey u . (q - p) = 0 and v . (q - p) = 0; their steps x, y along the axes, with
// c = u . v, from the rates f, g at which these products change with the balls held:
//   both free  x = (f - c g)/|u x v|^2,  y = (c f - g)/|u x v|^2      one free  x = f, or y = -g
static void solve_free(const int32_t feature[4], const cr_real u[3], const cr_real v[3], cr_real f,
                       cr_real g, cr_real* x, cr_real* y) {
  bool free_a = feature[0] == CR_RIDE_FREE, free_b = feature[1] == CR_RIDE_FREE;
  *x = free_a ? f : 0;
  *y = free_b ? -g : 0;
  if (free_a && free_b) {
    cr_real w[3], c = cr_dot3(u, v);
    cr_cross3(w, u, v);
    cr_real det = cr_dot3(w, w);
    *x = (f - c * g) / det;
    *y = (c * f - g) / det;
  }
}

// [collision.r8] If the balls share a centre the normal is along c = u x v. By r5 this also holds wherever both are
// free. There it is exact when the centres are so near that their difference is round-off.
// Returns |c|, negative if the normal is against c; 0 if the normal comes from the centres or, for
// parallel axes, is arbitrary.
static cr_real normal_of_axes(const int32_t feature[4], const cr_real n[3], cr_real length,
                              const cr_real u[3], const cr_real v[3]) {
  bool free = feature[0] == CR_RIDE_FREE && feature[1] == CR_RIDE_FREE;
  if (length > 0 && !(free && length < CR_TINY_LENGTH)) {
    return 0;
  }
  cr_real c[3];
  cr_cross3(c, u, v);
  cr_real size = cr_norm3(c);
  return size < CR_TINY_LENGTH ? 0 : cr_dot3(c, n) < 0 ? -size : size;
}

void cri_axes_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                  const cr_real local[6], const cr_shape_tan* a_tan, const cr_shape_tan* b_tan,
                  cr_hit_tan* hit_tan) {
  const cr_real *n = local + 2, length = local[5];
  cr_real u[3], v[3], u_tan[3], v_tan[3], dif_tan[3], x_tan, y_tan;
  cr_col3(u, a->mat, 2);
  cr_col3(v, b->mat, 2);
  cr_cross3(u_tan, a_tan->rot, u);
  cr_cross3(v_tan, b_tan->rot, v);

  // [collision.r1] with the free balls held
  cr_ball p = ball_at(a, local[0]), q = ball_at(b, local[1]);
  cr_ball p_tan = ball_tan_at(a_tan, u, u_tan, local[0], feature[0]);
  cr_ball q_tan = ball_tan_at(b_tan, v, v_tan, local[1], feature[1]);

  // [collision.r5] and with them free
  cr_sub3(dif_tan, q_tan.pos, p_tan.pos);
  cr_real f = cr_dot3(u, dif_tan) + length * cr_dot3(u_tan, n);
  cr_real g = cr_dot3(v, dif_tan) + length * cr_dot3(v_tan, n);
  solve_free(feature, u, v, f, g, &x_tan, &y_tan);
  cr_accscl3(p_tan.pos, u, x_tan);
  cr_accscl3(q_tan.pos, v, y_tan);
  cr_real size = normal_of_axes(feature, n, length, u, v);
  cri_ball_ball_tan(n, size != 0 ? 0 : length, &p, &q, &p_tan, &q_tan, hit_tan);

  // [collision.r8]
  if (size != 0) {
    cr_real c_tan[3], other[3];
    cr_cross3(c_tan, u_tan, v);
    cr_cross3(other, u, v_tan);
    cr_acc3(c_tan, other);
    cr_normalize3_tan(hit_tan->normal, n, size, c_tan);
    cr_accscl3(hit_tan->pos, hit_tan->normal, (length + p.radius - q.radius) / 2);
  }
}

// [collision.r1]' of one ball; its position on the axis is tied to the end, or held
static void ball_bar_at(const cr_real axis[3], cr_real x, int32_t ride, const cr_ball* ball_bar,
                        cr_real axis_bar[3], cr_shape_tan* s_bar) {
  cr_acc3(s_bar->pos, ball_bar->pos);
  s_bar->size[0] += ball_bar->radius;
  if (ride != CR_RIDE_CENTRE) {
    cr_accscl3(axis_bar, ball_bar->pos, x);
    s_bar->size[1] += (cr_real)ride * cr_dot3(axis, ball_bar->pos);
    cr_acccross3(s_bar->rot, axis, axis_bar);
  }
}

void cri_axes_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                  const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                  cr_shape_tan* b_bar) {
  const cr_real *n = local + 2, length = local[5];
  cr_real u[3], v[3], u_bar[3], v_bar[3], f_bar, g_bar;
  cr_col3(u, a->mat, 2);
  cr_col3(v, b->mat, 2);
  cr_ball p = ball_at(a, local[0]), q = ball_at(b, local[1]), p_bar, q_bar;
  cr_real size = normal_of_axes(feature, n, length, u, v);
  cri_ball_ball_bar(n, size != 0 ? 0 : length, &p, &q, hit_bar, &p_bar, &q_bar);

  // [collision.r8]'
  if (size != 0) {
    cr_real normal_bar[3], c_bar[3];
    cr_copy3(normal_bar, hit_bar->normal);
    cr_accscl3(normal_bar, hit_bar->pos, (length + p.radius - q.radius) / 2);
    cr_normalize3_tan(c_bar, n, size, normal_bar);
    cr_cross3(u_bar, v, c_bar);
    cr_cross3(v_bar, c_bar, u);
    cr_acccross3(a_bar->rot, u, u_bar);
    cr_acccross3(b_bar->rot, v, v_bar);
  }

  // [collision.r5]' the same symmetric system, g with the opposite sign
  solve_free(feature, u, v, cr_dot3(u, p_bar.pos), -cr_dot3(v, q_bar.pos), &f_bar, &g_bar);
  g_bar = -g_bar;
  cr_scl3(u_bar, n, f_bar * length);
  cr_scl3(v_bar, n, g_bar * length);
  cr_accscl3(q_bar.pos, u, f_bar);
  cr_accscl3(q_bar.pos, v, g_bar);
  cr_accscl3(p_bar.pos, u, -f_bar);
  cr_accscl3(p_bar.pos, v, -g_bar);

  // [collision.r1]'
  ball_bar_at(u, local[0], feature[0], &p_bar, u_bar, a_bar);
  ball_bar_at(v, local[1], feature[1], &q_bar, v_bar, b_bar);
}

// ---- sphere and cylinder

// [collision.r6] against a cap: the ball above the plane of the cap, with the normal reversed
static int cap_hits(const cr_shape* a, const cr_shape* b, int32_t cap, cr_real margin,
                    cr_hit* hit) {
  cr_real out[3], dif[3];
  cr_col3(out, b->mat, 2);
  cr_scl3(out, out, (cr_real)cap);
  cr_copy3(dif, b->pos);
  cr_accscl3(dif, out, b->size[1]);
  cr_sub3(dif, a->pos, dif);
  cr_real height = cr_dot3(dif, out), radius = a->size[0];
  if (height > margin + radius) {
    return 0;
  }
  hit->dist = height - radius;
  cr_copy3(hit->pos, a->pos);
  cr_accscl3(hit->pos, out, -hit->dist / 2 - radius);
  cr_scl3(hit->normal, out, -1);
  cr_zero3(hit->hint);
  memset(hit->local, 0, sizeof hit->local);
  return 1;
}

// [collision.r7] against the rim: a ball of radius 0 on it, x along and `away` from the axis, on the side of
// `off`, the sphere's offset from the axis
static int rim_hits(const cr_shape* a, const cr_shape* b, int32_t cap, const cr_real off[3],
                    cr_real away, cr_real x, cr_real margin, cr_hit* hit) {
  cr_real axis[3], length;
  cr_col3(axis, b->mat, 2);
  cr_ball p = ball_at(a, 0), q = {.radius = 0};
  cr_scl3(q.pos, axis, (cr_real)cap * b->size[1]);
  cr_accscl3(q.pos, off, b->size[0] / away);
  cr_acc3(q.pos, b->pos);
  if (!cri_ball_ball(&p, &q, a->mat, b->mat, margin, hit, &length)) {
    return 0;
  }
  const cr_real local[6] = {x, away, length, hit->normal[0], hit->normal[1], hit->normal[2]};
  memcpy(hit->local, local, sizeof local);
  return 1;
}

int cri_sphere_cylinder(const cr_shape* a, const cr_shape* b, cr_real margin,
                        cr_hit hit[CR_MAX_HITS]) {
  // the sphere's centre in the cylinder: x along the axis, `off` across it
  cr_real radius = b->size[0], half = b->size[1], axis[3], off[3], length;
  cr_col3(axis, b->mat, 2);
  cr_real x = height_on(a, b);
  cr_sub3(off, a->pos, b->pos);
  cr_accscl3(off, axis, -x);
  cr_real square = cr_dot3(off, off);
  int32_t cap = x > 0 ? 1 : -1;

  // which surface: inside, the nearer one
  bool side = cr_abs(x) < half, over_cap = square < radius * radius;
  if (side && over_cap) {
    side = half - cr_abs(x) >= radius - cr_sqrt(square);
    over_cap = !side;
  }

  int32_t kind = side ? SIDE : (over_cap ? CAP : RIM);
  if (kind == SIDE) {
    cr_ball p = ball_at(a, 0), q = ball_at(b, x);
    if (!cri_ball_ball(&p, &q, a->mat, b->mat, margin, hit, &length)) {
      return 0;
    }
    save(hit, CR_RIDE_CENTRE, CR_RIDE_FREE, 0, x, length);
    return 1;
  }
  const int32_t feature[4] = {0, 0, kind, cap};
  memcpy(hit->feature, feature, sizeof feature);
  return kind == CAP ? cap_hits(a, b, cap, margin, hit)
                     : rim_hits(a, b, cap, off, cr_sqrt(square), x, margin, hit);
}

// the half-space below a cap
static cr_halfspace cap_of(const cr_shape* b, cr_real cap) {
  cr_halfspace h;
  cr_col3(h.normal, b->mat, 2);
  cr_scl3(h.normal, h.normal, cap);
  cr_copy3(h.pos, b->pos);
  cr_accscl3(h.pos, h.normal, b->size[1]);
  return h;
}

static void cap_tan(const cr_shape* a, const cr_shape* b, cr_real cap, const cr_shape_tan* a_tan,
                    const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  // [collision.r6]
  cr_halfspace h = cap_of(b, cap), h_tan;
  cr_ball ball = ball_at(a, 0), ball_tan = {.radius = a_tan->size[0]};
  cr_copy3(ball_tan.pos, a_tan->pos);
  cr_cross3(h_tan.normal, b_tan->rot, h.normal);
  // turning moves the plane's point only along the plane
  cr_copy3(h_tan.pos, b_tan->pos);
  cr_accscl3(h_tan.pos, h.normal, b_tan->size[1]);
  cri_plane_ball_tan(&h, &ball, &h_tan, &ball_tan, hit_tan);
  cr_scl3(hit_tan->normal, hit_tan->normal, -1);
}

static void cap_bar(const cr_shape* a, const cr_shape* b, cr_real cap, const cr_hit_tan* hit_bar,
                    cr_shape_tan* a_bar, cr_shape_tan* b_bar) {
  // [collision.r6]'
  cr_halfspace h = cap_of(b, cap), h_bar;
  cr_ball ball = ball_at(a, 0), ball_bar;
  cr_hit_tan turned = *hit_bar;
  cr_scl3(turned.normal, turned.normal, -1);
  cri_plane_ball_bar(&h, &ball, &turned, &h_bar, &ball_bar);
  cr_acc3(a_bar->pos, ball_bar.pos);
  a_bar->size[0] += ball_bar.radius;
  cr_acc3(b_bar->pos, h_bar.pos);
  b_bar->size[1] += cr_dot3(h.normal, h_bar.pos);
  cr_acccross3(b_bar->rot, h.normal, h_bar.normal);
}

// numbers for both directions of the rim
typedef struct {
  cr_real x, away, length;
  cr_real normal[3], axis[3], dif[3], out[3];
  cr_ball p, q;
} rim;

static rim rim_of(const cr_shape* a, const cr_shape* b, cr_real cap, const cr_real local[6]) {
  rim k = {.x = local[0], .away = local[1], .length = local[2], .p = ball_at(a, 0)};
  cr_copy3(k.normal, local + 3);
  cr_col3(k.axis, b->mat, 2);
  cr_sub3(k.dif, a->pos, b->pos);
  cr_copy3(k.out, k.dif);
  cr_accscl3(k.out, k.axis, -k.x);
  cr_scl3(k.out, k.out, 1 / k.away);
  cr_copy3(k.q.pos, b->pos);
  cr_accscl3(k.q.pos, k.axis, cap * b->size[1]);
  cr_accscl3(k.q.pos, k.out, b->size[0]);
  k.q.radius = 0;
  return k;
}

static void rim_tan(const cr_shape* a, const cr_shape* b, cr_real cap, const cr_real local[6],
                    const cr_shape_tan* a_tan, const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  rim k = rim_of(a, b, cap, local);
  cr_real axis_tan[3], dif_tan[3], off_tan[3], out_tan[3];
  cr_cross3(axis_tan, b_tan->rot, k.axis);
  cr_sub3(dif_tan, a_tan->pos, b_tan->pos);

  // [collision.r7] out = off / |off|, off = dif - axis (axis . dif)
  cr_copy3(off_tan, dif_tan);
  cr_accscl3(off_tan, axis_tan, -k.x);
  cr_accscl3(off_tan, k.axis, -cr_dot3(axis_tan, k.dif) - cr_dot3(k.axis, dif_tan));
  cr_normalize3_tan(out_tan, k.out, k.away, off_tan);

  // q = centre + cap h axis + r out
  cr_ball p_tan = {.radius = a_tan->size[0]}, q_tan = {.radius = 0};
  cr_copy3(p_tan.pos, a_tan->pos);
  cr_copy3(q_tan.pos, b_tan->pos);
  cr_accscl3(q_tan.pos, axis_tan, cap * b->size[1]);
  cr_accscl3(q_tan.pos, k.axis, cap * b_tan->size[1]);
  cr_accscl3(q_tan.pos, out_tan, b->size[0]);
  cr_accscl3(q_tan.pos, k.out, b_tan->size[0]);
  cri_ball_ball_tan(k.normal, k.length, &k.p, &k.q, &p_tan, &q_tan, hit_tan);
}

static void rim_bar(const cr_shape* a, const cr_shape* b, cr_real cap, const cr_real local[6],
                    const cr_hit_tan* hit_bar, cr_shape_tan* a_bar, cr_shape_tan* b_bar) {
  rim k = rim_of(a, b, cap, local);
  cr_ball p_bar, q_bar;
  cri_ball_ball_bar(k.normal, k.length, &k.p, &k.q, hit_bar, &p_bar, &q_bar);
  cr_acc3(a_bar->pos, p_bar.pos);
  a_bar->size[0] += p_bar.radius;
  cr_acc3(b_bar->pos, q_bar.pos);
  b_bar->size[0] += cr_dot3(k.out, q_bar.pos);
  b_bar->size[1] += cap * cr_dot3(k.axis, q_bar.pos);

  // [collision.r7]'
  cr_real axis_bar[3], off_bar[3];
  cr_normalize3_tan(off_bar, k.out, k.away, q_bar.pos);
  cr_scl3(off_bar, off_bar, b->size[0]);
  cr_real along = cr_dot3(k.axis, off_bar);
  cr_scl3(axis_bar, q_bar.pos, cap * b->size[1]);
  cr_accscl3(axis_bar, off_bar, -k.x);
  cr_accscl3(axis_bar, k.dif, -along);
  cr_acccross3(b_bar->rot, k.axis, axis_bar);
  cr_accscl3(off_bar, k.axis, -along);
  cr_acc3(a_bar->pos, off_bar);
  cr_sub3(b_bar->pos, b_bar->pos, off_bar);
}

void cri_sphere_cylinder_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                             const cr_real local[6], const cr_shape_tan* a_tan,
                             const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  cr_real cap = (cr_real)feature[3];
  if (feature[2] == SIDE) {
    cri_axes_tan(a, b, feature, local, a_tan, b_tan, hit_tan);
  } else if (feature[2] == CAP) {
    cap_tan(a, b, cap, a_tan, b_tan, hit_tan);
  } else {
    rim_tan(a, b, cap, local, a_tan, b_tan, hit_tan);
  }
}

void cri_sphere_cylinder_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                             const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                             cr_shape_tan* b_bar) {
  cr_real cap = (cr_real)feature[3];
  if (feature[2] == SIDE) {
    cri_axes_bar(a, b, feature, local, hit_bar, a_bar, b_bar);
  } else if (feature[2] == CAP) {
    cap_bar(a, b, cap, hit_bar, a_bar, b_bar);
  } else {
    rim_bar(a, b, cap, local, hit_bar, a_bar, b_bar);
  }
}
