// SPDX-License-Identifier: Apache-2.0
// The mean of contacts: what rest leaves alone, bounds, limits, derivatives.
#include "collision/contact_merge.h"

#include "base/random.h"
#include "support/close.h"

enum { MOST = 12 };

static const cr_real LENGTH = CR_R(0.05);

static void set_distances(cr_hit_tan* hit, const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    hit[i] = (cr_hit_tan){.dist = x[i], .pos = {(cr_real)i, 2, 3}, .normal = {0, 0, 1}};
  }
}

static cr_hit_tan random_row(cr_random* r) {
  cr_hit_tan h = {.dist = cr_random_range(r, -1, 1)};
  for (int k = 0; k < 3; k++) {
    h.pos[k] = cr_random_range(r, -1, 1);
    h.normal[k] = cr_random_range(r, -1, 1);
    h.hint[k] = cr_random_range(r, -1, 1);
  }
  return h;
}

// a + k b
static cr_hit_tan moved(const cr_hit_tan* a, cr_real k, const cr_hit_tan* b) {
  cr_hit_tan r = *a;
  r.dist += k * b->dist;
  cr_accscl3(r.pos, b->pos, k);
  cr_accscl3(r.normal, b->normal, k);
  cr_accscl3(r.hint, b->hint, k);
  return r;
}

static cr_real product(const cr_hit_tan* a, const cr_hit_tan* b, cr_real* scale) {
  cr_real x[4] = {a->dist * b->dist, cr_dot3(a->pos, b->pos), cr_dot3(a->normal, b->normal),
                  cr_dot3(a->hint, b->hint)};
  for (int i = 0; i < 4; i++) {
    *scale += cr_abs(x[i]);
  }
  return x[0] + x[1] + x[2] + x[3];
}

TEST(rest_is_left_alone) {
  cr_real x[MOST], weight;
  cr_hit_tan hit[MOST];
  for (int n = 1; n <= MOST; n++) {
    for (int i = 0; i < n; i++) {
      x[i] = CR_R(-0.003);
    }
    set_distances(hit, x, n);
    cr_hit_tan mean = cri_contact_merge(hit, n, LENGTH, &weight);
    assert_close(mean.dist, x[0], 8 * CR_EPS * cr_abs(x[0]));
    assert_close(mean.pos[0], (cr_real)(n - 1) / 2, 64 * CR_EPS * (cr_real)n);
    assert_close(mean.normal[2], 1, 8 * CR_EPS);
    assert_close(weight, (cr_real)n, 64 * CR_EPS * (cr_real)n);
  }
  // what is a whole length away has no say
  const cr_real far[3] = {CR_R(-0.003), CR_R(-0.003) + LENGTH, 1};
  set_distances(hit, far, 3);
  cr_hit_tan mean = cri_contact_merge(hit, 3, LENGTH, &weight);
  assert_close(mean.dist, far[0], CR_R(1e-17));
  assert_close(mean.pos[0], 0, CR_EPS);
  assert_close(weight, 1, 32 * CR_EPS);
  assert_false(cri_contact_merge_keeps(far[1], far[0], LENGTH));
  assert_true(cri_contact_merge_keeps(far[1] - CR_R(0.001), far[0], LENGTH));
}

// the surface is never moved by more than a hundredth and a half of the length, whatever the contacts
TEST(depth_is_nearly_the_least) {
  cr_random r = cr_random_seed(41, 0);
  for (int k = 0; k < 2000; k++) {
    cr_real x[MOST], weight, least = 1;
    cr_hit_tan hit[MOST];
    int n = 1 + cr_random_int(&r, 4);
    for (int i = 0; i < n; i++) {
      x[i] = cr_random_range(&r, CR_R(-0.01), k % 2 ? CR_R(0.1) : CR_R(-0.005));
      least = cr_min(least, x[i]);
    }
    set_distances(hit, x, n);
    cr_real dist = cri_contact_merge(hit, n, LENGTH, &weight).dist;
    assert_true(dist >= least && dist <= least + CR_R(0.015) * LENGTH);
    assert_close(cri_contact_merge_dist(hit, n, LENGTH), dist, 0);
    assert_true(weight >= 1 - 64 * CR_EPS && weight <= (cr_real)n * (1 + 64 * CR_EPS));
  }
}

// two contacts: the point goes from the middle to the lower one over the length, without a turn back
TEST(point_moves_over_the_length) {
  cr_real weight, last = 1;
  cr_hit_tan hit[2];
  for (int i = 0; i <= 20; i++) {
    cr_real gap = CR_R(0.05) * (cr_real)i * LENGTH;
    const cr_real x[2] = {0, gap};
    set_distances(hit, x, 2);
    cr_hit_tan mean = cri_contact_merge(hit, 2, LENGTH, &weight);
    cr_real low = 1 + mean.dist / LENGTH, high = cr_max(0, 1 - (gap - mean.dist) / LENGTH);
    assert_close(mean.pos[0], high * high / (high * high + low * low), 64 * CR_EPS);
    assert_true(mean.pos[0] < last);
    last = mean.pos[0];
  }
  assert_close(last, 0, CR_EPS);
}

static void compare(const cr_real tangent[3], const cr_real difference[3], cr_real step) {
  for (int i = 0; i < 3; i++) {
    assert_close(tangent[i], difference[i] / (2 * step), CR_R(1e-4) * (1 + cr_abs(tangent[i])));
  }
}

TEST(derivatives) {
  cr_random r = cr_random_seed(42, 0);
  const cr_real step = CR_R(1e-6);
  for (int k = 0; k < 200; k++) {
    int n = 2 + cr_random_int(&r, 5);
    cr_hit_tan hit[MOST], hit_tan[MOST], near[MOST], hit_bar[MOST], mean[2];
    cr_real weight_tan, weight[2], length_tan = cr_random_range(&r, -1, 1);
    for (int i = 0; i < n; i++) {
      hit[i] = random_row(&r);
      hit[i].dist = cr_random_range(&r, CR_R(-0.002), CR_R(0.8) * LENGTH);
      hit[i].dist *= k % 2 ? 1 : CR_R(0.1);
      hit[i].normal[2] += 3;
      cr_normalize3(hit[i].normal);
      hit_tan[i] = random_row(&r);
    }
    cr_hit_tan mean_tan = cri_contact_merge_tan(hit, n, LENGTH, hit_tan, length_tan, &weight_tan);
    for (int s = 0; s < 2; s++) {
      cr_real h = s == 0 ? step : -step;
      for (int i = 0; i < n; i++) {
        near[i] = moved(&hit[i], h, &hit_tan[i]);
      }
      mean[s] = cri_contact_merge(near, n, LENGTH + h * length_tan, &weight[s]);
    }
    // weights have a third derivative of 1 / L^3
    cr_hit_tan difference = moved(&mean[0], -1, &mean[1]);
    assert_close(mean_tan.dist, difference.dist / (2 * step), CR_R(1e-5));
    compare(mean_tan.pos, difference.pos, step);
    compare(mean_tan.normal, difference.normal, step);
    compare(mean_tan.hint, difference.hint, step);
    assert_close(weight_tan, (weight[0] - weight[1]) / (2 * step),
                 CR_R(1e-4) * (1 + cr_abs(weight_tan)));

    // the transpose, into memory that holds something else
    cr_real weight_bar = cr_random_range(&r, -1, 1), scale = cr_abs(weight_bar * weight_tan);
    cr_hit_tan mean_bar = random_row(&r);
    cr_real left = product(&mean_bar, &mean_tan, &scale) + weight_bar * weight_tan;
    for (int i = 0; i < n; i++) {
      hit_bar[i] = random_row(&r);
    }
    cr_real right =
        length_tan * cri_contact_merge_bar(hit, n, LENGTH, &mean_bar, weight_bar, hit_bar);
    for (int i = 0; i < n; i++) {
      right += product(&hit_bar[i], &hit_tan[i], &scale);
    }
    assert_close(left, right, 256 * CR_EPS * scale);
  }
}
