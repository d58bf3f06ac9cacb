// SPDX-License-Identifier: Apache-2.0
// Soft contacts of corners, see soft_hull.h. Every sum over corners is a loop. The corners of a box are stored. A
// mesh may have any number of corners and a pair has no scratch, so each loop computes them again.
#include "collision/soft_hull.h"

#include "collision/soft.h"
#include "model/model.h"

// depth below which a corner is about as deep as the deepest, m
#define SKIN CR_R(1e-3)
// keeps "at least as deep" true for the deepest itself, m
#define SLACK CR_R(1e-10)
// keeps the standard deviation of depths and of shares of the deepest from zero
#define DEPTH_FLOOR CR_R(1e-6)
#define SHARE_FLOOR CR_R(1e-18)

// ---- corners

static int corner_count(const cr_shape* b) {
  if (b->type != CR_GEOM_MESH) {
    return 8;
  }
  return b->hull->graph != NULL ? b->hull->graph[0] : b->hull->nvert;
}

// sign: of a box, +1 or -1 along each axis; arm: from the centre
static void corner_at(const cr_shape* b, int i, cr_real sign[3], cr_real arm[3]) {
  if (b->type == CR_GEOM_MESH) {
    const int32_t* graph = b->hull->graph;
    cr_zero3(sign);
    cr_mulmat3(arm, b->mat, b->hull->vert + 3 * (graph != NULL ? graph[2 + graph[0] + i] : i));
    return;
  }
  cr_real x[3];
  for (int k = 0; k < 3; k++) {
    sign[k] = i >> k & 1 ? 1 : -1;
    x[k] = sign[k] * b->size[k];
  }
  cr_mulmat3(arm, b->mat, x);
}

// ---- softmax of standardised numbers

// mean and deviation of the numbers, sum of exp(z / s), z in [0, 1]
typedef struct {
  cr_real mean, deviation, total;
} scale;

// [collision_soft.t2], [collision_soft.t4] of one number: y standardised, z its sigmoid, the slope dz/dy, the weight
typedef struct {
  cr_real y, z, slope, weight;
} share;

static share share_of(const scale* k, cr_real x, cr_real s) {
  share r = {.y = (x - k->mean) / k->deviation};
  cr_soft z = cri_soft_step((cr_soft){r.y, 1}, 1);
  r.z = z.v;
  r.slope = z.tan;
  r.weight = cr_exp((z.v - 1) / s) / k->total;
  return r;
}

// ---- the weights of all corners

enum { UNKNOWN, DEPTHS, SHARES, WEIGHTS };  // which numbers of a corner are known
enum { KEPT = 8 };

typedef struct {
  cr_real sign[3], arm[3], from[3];  // from the centre, from the plane's origin
  cr_real h;
  cr_soft among;  // [collision_soft.t3] g and its slope in h
  share u, w;
} corner;

typedef struct {
  const cr_shape *a, *b;
  cr_real n[3], s;
  int count;
  scale depth, deepest;
  cr_real most;       // [collision_soft.t2] M
  cr_soft threshold;  // [collision_soft.t3] and its slope in M
  int known;          // of the stored corners
  corner kept[KEPT];
} manifold;

static corner bare_corner(const manifold* x, int i) {
  corner c;
  corner_at(x->b, i, c.sign, c.arm);
  cr_sub3(c.from, x->b->pos, x->a->pos);
  cr_acc3(c.from, c.arm);
  c.h = -cr_dot3(x->n, c.from);
  return c;
}

static void learn(const manifold* x, corner* c, int known) {
  if (known == SHARES) {
    c->u = share_of(&x->depth, c->h, x->s);
    c->among = cri_soft_step((cr_soft){c->h - x->threshold.v + SLACK, 1}, x->s);
  } else if (known == WEIGHTS) {
    c->w = share_of(&x->deepest, c->among.v, x->s);
  }
}

static corner corner_of(const manifold* x, int i, int known) {
  if (known <= x->known) {
    return x->kept[i];
  }
  corner c = bare_corner(x, i);
  for (int k = SHARES; k <= known; k++) {
    learn(x, &c, k);
  }
  return c;
}

// computes the next number of all corners
static void keep_corners(manifold* x, int known) {
  if (x->count > KEPT) {
    x->known = UNKNOWN;
    return;
  }
  for (int i = 0; i < x->count; i++) {
    if (known == DEPTHS) {
      x->kept[i] = bare_corner(x, i);
    }
    learn(x, &x->kept[i], known);
  }
  x->known = known;
}

// mean, deviation and total of depths, or of shares of the deepest
static void measure_scale(const manifold* x, scale* k, bool depths) {
  cr_real floor = depths ? DEPTH_FLOOR : SHARE_FLOOR, square = 0, total = 0;
  *k = (scale){.total = 1};
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, depths ? DEPTHS : SHARES);
    k->mean += (depths ? c.h : c.among.v) / (cr_real)x->count;
  }
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, depths ? DEPTHS : SHARES);
    cr_real off = (depths ? c.h : c.among.v) - k->mean;
    square += off * off / (cr_real)x->count;
  }
  k->deviation = cr_sqrt(square + floor);
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, depths ? DEPTHS : SHARES);
    total += share_of(k, depths ? c.h : c.among.v, x->s).weight;
  }
  k->total = total;
}

static void make_manifold(manifold* x, const cr_shape* a, const cr_shape* b) {
  x->a = a;
  x->b = b;
  x->s = b->softness;
  x->count = corner_count(b);
  x->most = 0;
  cr_col3(x->n, a->mat, 2);
  keep_corners(x, DEPTHS);

  // [collision_soft.t2]
  measure_scale(x, &x->depth, true);
  for (int i = 0; i < x->count; i++) {
    cr_real h = corner_of(x, i, DEPTHS).h;
    x->most += share_of(&x->depth, h, x->s).weight * h;
  }
  // [collision_soft.t3]
  x->threshold = cri_soft_ramp((cr_soft){x->most - SKIN, 1}, x->s);
  keep_corners(x, SHARES);
  // [collision_soft.t4]
  measure_scale(x, &x->deepest, false);
  keep_corners(x, WEIGHTS);
}

// [collision_soft.t5] and the mean corner, relative to the plane's origin
static cr_real mean_corner(const manifold* x, cr_real mean[3]) {
  cr_real dist = 0;
  cr_zero3(mean);
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, WEIGHTS);
    dist -= c.w.weight * c.h;
    cr_accscl3(mean, c.from, c.w.weight);
  }
  return dist;
}

int cri_soft_plane_hull(const cr_shape* a, const cr_shape* b, cr_real margin,
                        cr_hit hit[CR_MAX_HITS]) {
  enum { COPIES = 4 };
  manifold x;
  make_manifold(&x, a, b);
  cr_hit one = {.dist = 0};
  one.dist = mean_corner(&x, one.pos);
  if (one.dist > margin) {
    return 0;
  }
  // [collision_soft.t6]
  cr_acc3(one.pos, a->pos);
  cr_accscl3(one.pos, x.n, -one.dist / 2);
  cr_copy3(one.normal, x.n);
  cri_soft_hint(x.n, x.n, x.s, one.hint, NULL);
  for (int32_t i = 0; i < COPIES; i++) {
    hit[i] = one;
    hit[i].feature[0] = i;
  }
  return COPIES;
}

// ---- tangent

// velocity of a corner relative to the plane's origin, and rate of its depth
static cr_real corner_tan(const manifold* x, const corner* c, const cr_shape_tan* a_tan,
                          const cr_shape_tan* b_tan, const cr_real n_tan[3], cr_real from_tan[3]) {
  cr_real size_tan[3];
  for (int k = 0; k < 3; k++) {
    size_tan[k] = c->sign[k] * b_tan->size[k];
  }
  cr_sub3(from_tan, b_tan->pos, a_tan->pos);
  cr_acccross3(from_tan, b_tan->rot, c->arm);
  cr_accmat3(from_tan, x->b->mat, size_tan);
  return -cr_dot3(x->n, from_tan) - cr_dot3(n_tan, c->from);
}

// tangents of mean and deviation, and from them of a standardised number
typedef struct {
  cr_real mean, deviation;
} scale_tan;

static void scale_tan_add(scale_tan* t, const manifold* x, const scale* k, cr_real value,
                          cr_real value_tan) {
  t->mean += value_tan / (cr_real)x->count;
  t->deviation += (value - k->mean) * value_tan / ((cr_real)x->count * k->deviation);
}

static cr_real share_tan(const scale_tan* t, const scale* k, const share* r, cr_real value_tan) {
  return r->slope * (value_tan - t->mean - r->y * t->deviation) / k->deviation;
}

typedef struct {
  const manifold* x;
  const cr_shape_tan *a_tan, *b_tan;
  cr_real n_tan[3];
  scale_tan depth, deepest;
  cr_real threshold;
} manifold_tan;

static corner moving_corner(const manifold_tan* t, int i, cr_real from_tan[3], cr_real* h_tan) {
  corner c = corner_of(t->x, i, WEIGHTS);
  *h_tan = corner_tan(t->x, &c, t->a_tan, t->b_tan, t->n_tan, from_tan);
  return c;
}

static void threshold_tan(manifold_tan* t) {
  const manifold* x = t->x;
  cr_real from_tan[3], h_tan, mean = 0, lift = 0, sum = 0;
  for (int i = 0; i < x->count; i++) {
    corner c = moving_corner(t, i, from_tan, &h_tan);
    scale_tan_add(&t->depth, x, &x->depth, c.h, h_tan);
  }
  // [collision_soft.t2] M_tan = sum u h_tan + sum u (z_tan - sum u z_tan) h / s
  for (int i = 0; i < x->count; i++) {
    corner c = moving_corner(t, i, from_tan, &h_tan);
    cr_real z_tan = share_tan(&t->depth, &x->depth, &c.u, h_tan);
    mean += c.u.weight * z_tan;
    lift += c.u.weight * z_tan * c.h;
    sum += c.u.weight * h_tan;
  }
  t->threshold = x->threshold.tan * (sum + (lift - mean * x->most) / x->s);
}

void cri_soft_plane_hull_tan(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                             const cr_real local[6], const cr_shape_tan* a_tan,
                             const cr_shape_tan* b_tan, cr_hit_tan* hit_tan) {
  (void)feature, (void)local;
  manifold x;
  make_manifold(&x, a, b);
  manifold_tan t = {.x = &x, .a_tan = a_tan, .b_tan = b_tan};
  cr_cross3(t.n_tan, a_tan->rot, x.n);
  threshold_tan(&t);

  // [collision_soft.t3]
  cr_real from_tan[3], h_tan, pos[3], lift[3] = {0, 0, 0}, mean = 0, deeper = 0;
  for (int i = 0; i < x.count; i++) {
    corner c = moving_corner(&t, i, from_tan, &h_tan);
    scale_tan_add(&t.deepest, &x, &x.deepest, c.among.v, c.among.tan * (h_tan - t.threshold));
  }

  // [collision_soft.t4]-[collision_soft.t6] w_tan = w (z_tan - sum w z_tan) / s
  cr_real dist = mean_corner(&x, pos);
  *hit_tan = (cr_hit_tan){.dist = 0};
  cr_copy3(hit_tan->pos, a_tan->pos);
  for (int i = 0; i < x.count; i++) {
    corner c = moving_corner(&t, i, from_tan, &h_tan);
    cr_real z_tan = share_tan(&t.deepest, &x.deepest, &c.w, c.among.tan * (h_tan - t.threshold));
    cr_real w = c.w.weight;
    mean += w * z_tan;
    deeper += w * z_tan * c.h;
    cr_accscl3(lift, c.from, w * z_tan);
    hit_tan->dist -= w * h_tan;
    cr_accscl3(hit_tan->pos, from_tan, w);
  }
  hit_tan->dist -= (deeper + mean * dist) / x.s;
  cr_accscl3(hit_tan->pos, lift, 1 / x.s);
  cr_accscl3(hit_tan->pos, pos, -mean / x.s);
  cr_accscl3(hit_tan->pos, x.n, -hit_tan->dist / 2);
  cr_accscl3(hit_tan->pos, t.n_tan, -dist / 2);
  cr_copy3(hit_tan->normal, t.n_tan);
  cr_real hint[3];
  cri_soft_hint(x.n, t.n_tan, x.s, hint, hit_tan->hint);
}

// ---- transpose

// sums over the cotangents of the weights; each needs those above it
typedef struct {
  const manifold* x;
  cr_real dist_bar, pos_bar[3];     // dist_bar with the part from pos
  cr_real mean;                     // sum w w_bar
  cr_real y_mean, y_along;          // sum y_bar / count, sum y_bar y / count, of the shares
  cr_real most_bar;                 // of M
  cr_real depth_mean, depth_along;  // the same for the depths
} manifold_bar;

// [collision_soft.t4]' y_bar of a share
static cr_real share_bar(const manifold_bar* t, const corner* c) {
  cr_real w_bar = cr_dot3(t->pos_bar, c->from) - t->dist_bar * c->h;
  return c->w.slope * c->w.weight * (w_bar - t->mean) / t->x->s;
}

// [collision_soft.t3]' cotangent of h_i - threshold
static cr_real among_bar(const manifold_bar* t, const corner* c) {
  cr_real g_bar = share_bar(t, c) - t->y_mean - c->w.y * t->y_along;
  return c->among.tan * g_bar / t->x->deepest.deviation;
}

// [collision_soft.t2]' y_bar of a depth
static cr_real depth_bar(const manifold_bar* t, const corner* c) {
  return c->u.slope * c->u.weight * t->most_bar * (c->h - t->x->most) / t->x->s;
}

static manifold_bar sums_bar(const manifold* x, cr_real dist_bar, const cr_real pos_bar[3]) {
  manifold_bar t = {.x = x, .dist_bar = dist_bar};
  cr_real n = (cr_real)x->count, threshold_bar = 0;
  cr_copy3(t.pos_bar, pos_bar);
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, WEIGHTS);
    t.mean += c.w.weight * (cr_dot3(pos_bar, c.from) - dist_bar * c.h);
  }
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, WEIGHTS);
    t.y_mean += share_bar(&t, &c) / n;
    t.y_along += share_bar(&t, &c) * c.w.y / n;
  }
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, WEIGHTS);
    threshold_bar -= among_bar(&t, &c);
  }
  t.most_bar = threshold_bar * x->threshold.tan;
  for (int i = 0; i < x->count; i++) {
    corner c = corner_of(x, i, WEIGHTS);
    t.depth_mean += depth_bar(&t, &c) / n;
    t.depth_along += depth_bar(&t, &c) * c.u.y / n;
  }
  return t;
}

// total cotangent of the depth of a corner
static cr_real h_bar(const manifold_bar* t, const corner* c) {
  cr_real y_bar = depth_bar(t, c) - t->depth_mean - c->u.y * t->depth_along;
  return -t->dist_bar * c->w.weight + among_bar(t, c) + t->most_bar * c->u.weight +
         y_bar / t->x->depth.deviation;
}

void cri_soft_plane_hull_bar(const cr_shape* a, const cr_shape* b, const int32_t feature[4],
                             const cr_real local[6], const cr_hit_tan* hit_bar, cr_shape_tan* a_bar,
                             cr_shape_tan* b_bar) {
  (void)feature, (void)local;
  manifold x;
  make_manifold(&x, a, b);
  cr_real mean[3], n_bar[3], along = cr_dot3(x.n, hit_bar->pos);
  cr_real dist = mean_corner(&x, mean);

  // [collision_soft.t6]', the hint by its three directions
  manifold_bar t = sums_bar(&x, hit_bar->dist - along / 2, hit_bar->pos);
  cr_copy3(n_bar, hit_bar->normal);
  cr_accscl3(n_bar, hit_bar->pos, -dist / 2);
  for (int k = 0; k < 3; k++) {
    cr_real unit[3] = {k == 0, k == 1, k == 2}, hint[3], hint_tan[3];
    cri_soft_hint(x.n, unit, x.s, hint, hint_tan);
    n_bar[k] += cr_dot3(hint_tan, hit_bar->hint);
  }
  cr_acc3(a_bar->pos, hit_bar->pos);

  // [collision_soft.t1]' corner by corner: from_bar = w pos_bar - n h_bar
  for (int i = 0; i < x.count; i++) {
    corner c = corner_of(&x, i, WEIGHTS);
    cr_real depth = h_bar(&t, &c), from_bar[3], size_bar[3];
    cr_scl3(from_bar, hit_bar->pos, c.w.weight);
    cr_accscl3(from_bar, x.n, -depth);
    cr_accscl3(n_bar, c.from, -depth);
    cr_acc3(b_bar->pos, from_bar);
    cr_sub3(a_bar->pos, a_bar->pos, from_bar);
    cr_acccross3(b_bar->rot, c.arm, from_bar);
    cr_multmat3(size_bar, b->mat, from_bar);
    for (int k = 0; k < 3; k++) {
      b_bar->size[k] += c.sign[k] * size_bar[k];
    }
  }
  cr_acccross3(a_bar->rot, x.n, n_bar);
}
