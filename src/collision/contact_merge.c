// SPDX-License-Identifier: Apache-2.0
// The mean of contacts, see contact_merge.h.
#include "collision/contact_merge.h"

// the depth bends over this share of the length over which the point moves
#define SHARPNESS CR_R(40.0)
// a contact this close to the end of kappa has a weight below 1e-8
#define END CR_R(0.9999)

// ---- [collision_smooth.b1] the depth

// e_i relative to the nearest contact, so that nothing overflows
typedef struct {
  cr_real nearest, length, total, dist;
} depth;

static cr_real share(const depth* g, cr_real x) {
  return cr_exp((g->nearest - x) / g->length) / g->total;
}

static depth depth_of(const cr_hit_tan* hit, int n, cr_real length) {
  depth g = {.nearest = hit[0].dist, .length = length / SHARPNESS, .total = 1};
  for (int i = 1; i < n; i++) {
    g.nearest = cr_min(g.nearest, hit[i].dist);
  }
  cr_real total = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    cr_real e = share(&g, hit[i].dist);
    total += e;
    sum += e * (hit[i].dist - g.nearest);
  }
  g.total = total;
  g.dist = g.nearest + sum / total;
  return g;
}

// d dist / d x_i
static cr_real depth_slope(const depth* g, cr_real x) {
  return share(g, x) * (1 - (x - g->dist) / g->length);
}

// d dist / d length
static cr_real depth_stretch(const depth* g, const cr_hit_tan* hit, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    cr_real off = hit[i].dist - g->dist;
    sum += share(g, hit[i].dist) * off * off;
  }
  return sum / (g->length * g->length * SHARPNESS);
}

cr_real cri_contact_merge_dist(const cr_hit_tan* hit, int n, cr_real length) {
  return depth_of(hit, n, length).dist;
}

// ---- [collision_smooth.b2] the shares

// kappa with its slopes in x - dist and in the length
typedef struct {
  cr_real v, by_gap, by_length;
} kappa;

static kappa kappa_of(cr_real x, cr_real dist, cr_real length) {
  cr_real gap = (x - dist) / length, left = cr_max(0, 1 - gap);
  return (kappa){left * left, -2 * left / length, 2 * left * gap / length};
}

cr_real cri_contact_merge_kappa(cr_real x, cr_real dist, cr_real length) {
  return kappa_of(x, dist, length).v;
}

static cr_real kappa_tan(const kappa* k, cr_real gap_tan, cr_real length_tan) {
  return k->by_gap * gap_tan + k->by_length * length_tan;
}

// sums of kappa and of its square
typedef struct {
  cr_real one, two;
} sums;

static sums sums_of(const cr_hit_tan* hit, int n, cr_real dist, cr_real length) {
  sums s = {0, 0};
  for (int i = 0; i < n; i++) {
    cr_real k = kappa_of(hit[i].dist, dist, length).v;
    s.one += k;
    s.two += k * k;
  }
  return s;
}

bool cri_contact_merge_keeps(cr_real x, cr_real dist, cr_real length) {
  return x - dist < END * length;
}

// ---- [collision_smooth.b3] the mean of pos, normal and hint

static void add(cr_hit_tan* sum, cr_real w, const cr_hit_tan* hit) {
  cr_accscl3(sum->pos, hit->pos, w);
  cr_accscl3(sum->normal, hit->normal, w);
  cr_accscl3(sum->hint, hit->hint, w);
}

static cr_real along(const cr_hit_tan* a, const cr_hit_tan* b) {
  return cr_dot3(a->pos, b->pos) + cr_dot3(a->normal, b->normal) + cr_dot3(a->hint, b->hint);
}

// positions relative to `at`, so that a difference of weights does not cancel against the place
static cr_hit_tan seen_from(const cr_hit_tan* hit, const cr_real at[3]) {
  cr_hit_tan near = *hit;
  cr_sub3(near.pos, near.pos, at);
  return near;
}

cr_hit_tan cri_contact_merge_row(const cr_hit* hit) {
  cr_hit_tan row = {.dist = hit->dist};
  cr_copy3(row.pos, hit->pos);
  cr_copy3(row.normal, hit->normal);
  cr_copy3(row.hint, hit->hint);
  return row;
}

cr_hit_tan cri_contact_merge(const cr_hit_tan* hit, int n, cr_real length, cr_real* weight) {
  cr_hit_tan mean = {.dist = cri_contact_merge_dist(hit, n, length)};
  sums s = sums_of(hit, n, mean.dist, length);
  for (int i = 0; i < n; i++) {
    cr_real k = kappa_of(hit[i].dist, mean.dist, length).v;
    add(&mean, k / s.one, &hit[i]);
  }
  cr_normalize3(mean.normal);
  *weight = s.one * s.one / s.two;
  return mean;
}

cr_hit_tan cri_contact_merge_tan(const cr_hit_tan* hit, int n, cr_real length,
                                 const cr_hit_tan* hit_tan, cr_real length_tan,
                                 cr_real* weight_tan) {
  depth g = depth_of(hit, n, length);
  sums s = sums_of(hit, n, g.dist, length), s_tan = {0, 0};

  // [collision_smooth.b1]
  cr_hit_tan mean = {.dist = 0}, mean_tan = {.dist = depth_stretch(&g, hit, n) * length_tan};
  for (int i = 0; i < n; i++) {
    mean_tan.dist += depth_slope(&g, hit[i].dist) * hit_tan[i].dist;
  }

  // [collision_smooth.b2], [collision_smooth.b4]
  for (int i = 0; i < n; i++) {
    kappa k = kappa_of(hit[i].dist, g.dist, length);
    cr_real k_tan = kappa_tan(&k, hit_tan[i].dist - mean_tan.dist, length_tan);
    s_tan.one += k_tan;
    s_tan.two += 2 * k.v * k_tan;
  }
  *weight_tan = (2 * s_tan.one - s.one * s_tan.two / s.two) * s.one / s.two;

  // [collision_smooth.b3]
  for (int i = 0; i < n; i++) {
    kappa k = kappa_of(hit[i].dist, g.dist, length);
    cr_real k_tan = kappa_tan(&k, hit_tan[i].dist - mean_tan.dist, length_tan), w = k.v / s.one;
    cr_hit_tan near = seen_from(&hit[i], hit[0].pos);
    add(&mean, w, &near);
    add(&mean_tan, (k_tan - w * s_tan.one) / s.one, &near);
    add(&mean_tan, w, &hit_tan[i]);
  }
  cr_real normal_tan[3], size = cr_normalize3(mean.normal);
  cr_normalize3_tan(normal_tan, mean.normal, size, mean_tan.normal);
  cr_copy3(mean_tan.normal, normal_tan);
  return mean_tan;
}

cr_real cri_contact_merge_bar(const cr_hit_tan* hit, int n, cr_real length,
                              const cr_hit_tan* mean_bar, cr_real weight_bar, cr_hit_tan* hit_bar) {
  depth g = depth_of(hit, n, length);
  sums s = sums_of(hit, n, g.dist, length);
  cr_hit_tan mean = {.dist = 0}, sum_bar = *mean_bar;
  for (int i = 0; i < n; i++) {
    cr_hit_tan near = seen_from(&hit[i], hit[0].pos);
    add(&mean, kappa_of(hit[i].dist, g.dist, length).v / s.one, &near);
  }
  cr_real size = cr_normalize3(mean.normal);

  // [collision_smooth.b3]' of the normal, with the mean before it was normalised
  cr_normalize3_tan(sum_bar.normal, mean.normal, size, mean_bar->normal);
  cr_scl3(mean.normal, mean.normal, size);
  cr_real level = along(&mean, &sum_bar);

  // [collision_smooth.b4]'
  sums s_bar = {2 * weight_bar * s.one / s.two, -weight_bar * s.one * s.one / (s.two * s.two)};

  // [collision_smooth.b3]', [collision_smooth.b2]'
  cr_real length_bar = 0, dist_bar = mean_bar->dist;
  for (int i = 0; i < n; i++) {
    kappa k = kappa_of(hit[i].dist, g.dist, length);
    cr_hit_tan near = seen_from(&hit[i], hit[0].pos);
    cr_real k_bar = s_bar.one + 2 * k.v * s_bar.two + (along(&near, &sum_bar) - level) / s.one;
    hit_bar[i] = (cr_hit_tan){.dist = k_bar * k.by_gap};
    add(&hit_bar[i], k.v / s.one, &sum_bar);
    dist_bar -= k_bar * k.by_gap;
    length_bar += k_bar * k.by_length;
  }

  // [collision_smooth.b1]'
  for (int i = 0; i < n; i++) {
    hit_bar[i].dist += dist_bar * depth_slope(&g, hit[i].dist);
  }
  return length_bar + dist_bar * depth_stretch(&g, hit, n);
}
