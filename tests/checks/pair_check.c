// SPDX-License-Identifier: Apache-2.0
#include "checks/pair_check.h"

#include "math/quat.h"
#include "scenes/random_model.h"
#include "support/close.h"

cr_shape solid_shape(const solid* s) {
  cr_real bound = cr_norm3(s->size);
  for (int i = 0; s->hull != NULL && i < s->hull->nvert; i++) {
    bound = cr_max(bound, cr_norm3(s->hull->vert + 3 * i));
  }
  return (cr_shape){.pos = s->pos,
                    .mat = s->mat,
                    .size = s->size,
                    .type = s->type,
                    .bound = bound,
                    .all = s->all,
                    .softness = s->softness,
                    .hull = s->hull,
                    .terrain = s->terrain};
}

solid solid_at(cr_real x, cr_real y, cr_real z, cr_real size0, cr_real size1, cr_real size2) {
  return (solid){
      .pos = {x, y, z}, .mat = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {size0, size1, size2}};
}

void solid_turn(solid* s, const cr_real axis[3], cr_real angle) {
  cr_real u[3], q[4], turn[9], mat[9];
  cr_copy3(u, axis);
  cr_normalize3(u);
  cr_quat_axis_angle(q, u, angle);
  cr_quat_to_mat(turn, q);
  cr_matmul3(mat, turn, s->mat);
  cr_copy(s->mat, mat, 9);
}

solid solid_moved(const solid* s, const cr_shape_tan* s_tan, cr_real h) {
  solid moved = *s;
  cr_accscl3(moved.pos, s_tan->pos, h);
  cr_accscl3(moved.size, s_tan->size, h);
  solid_turn(&moved, s_tan->rot, h * cr_norm3(s_tan->rot));
  return moved;
}

solid solid_random(cr_random* r, cr_real low, cr_real high, cr_real reach) {
  solid s = {.type = 0};
  cr_real q[4];
  random_unit_quat(r, q);
  cr_quat_to_mat(s.mat, q);
  for (int i = 0; i < 3; i++) {
    s.size[i] = cr_random_range(r, low, high);
    s.pos[i] = cr_random_range(r, -reach, reach);
  }
  return s;
}

solid solid_carried(const solid* s, const solid* by) {
  solid carried = *s;
  cr_mulmat3(carried.pos, by->mat, s->pos);
  cr_acc3(carried.pos, by->pos);
  cr_matmul3(carried.mat, by->mat, s->mat);
  return carried;
}

int solid_hits(const cr_pair* pair, const solid* a, const solid* b, cr_real margin,
               cr_hit hit[CR_MAX_HITS]) {
  cr_shape shape_a = solid_shape(a), shape_b = solid_shape(b);
  return pair->detect(&shape_a, &shape_b, margin, hit);
}

void hit_points(const cr_hit* hit, cr_real on_a[3], cr_real on_b[3]) {
  cr_copy3(on_a, hit->pos);
  cr_copy3(on_b, hit->pos);
  cr_accscl3(on_a, hit->normal, -hit->dist / 2);
  cr_accscl3(on_b, hit->normal, hit->dist / 2);
}

// ---- a tangent, a cotangent of hits and shapes as plain numbers

enum { N_HIT = 10, N_SHAPE = 9 };

static void hit_numbers(const cr_hit_tan* h, cr_real x[N_HIT]) {
  x[0] = h->dist;
  cr_copy3(x + 1, h->pos);
  cr_copy3(x + 4, h->normal);
  cr_copy3(x + 7, h->hint);
}

static void random_numbers(cr_random* r, cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_range(r, -1, 1);
  }
}

static cr_shape_tan shape_of_numbers(const cr_real x[N_SHAPE]) {
  cr_shape_tan s;
  cr_copy3(s.pos, x);
  cr_copy3(s.rot, x + 3);
  cr_copy3(s.size, x + 6);
  return s;
}

static cr_real product(const cr_real* a, const cr_real* b, int n, cr_real* scale) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
    *scale += cr_abs(a[i] * b[i]);
  }
  return sum;
}

// ---- differences

// central difference of fourth order of every hit; false where a feature differs nearby
typedef struct {
  bool valid[CR_MAX_HITS];
  cr_real value[CR_MAX_HITS][N_HIT];
} differences;

static void differentiate(differences* x, const cr_pair* pair, const solid* a, const solid* b,
                          cr_real margin, const cr_shape_tan* a_tan, const cr_shape_tan* b_tan,
                          const cr_hit* hit, int n, cr_real h) {
  const int at[4] = {-2, -1, 1, 2};
  const cr_real weight[4] = {1, -8, 8, -1};
  memset(x, 0, sizeof *x);
  for (int k = 0; k < n; k++) {
    x->valid[k] = true;
  }
  for (int s = 0; s < 4; s++) {
    cr_hit near[CR_MAX_HITS];
    solid a2 = solid_moved(a, a_tan, (cr_real)at[s] * h);
    solid b2 = solid_moved(b, b_tan, (cr_real)at[s] * h);
    int m = solid_hits(pair, &a2, &b2, margin, near);
    for (int k = 0; k < n; k++) {
      if (m != n || memcmp(near[k].feature, hit[k].feature, sizeof hit[k].feature) != 0) {
        x->valid[k] = false;
        continue;
      }
      cr_real w = weight[s] / (12 * h);
      x->value[k][0] += w * (near[k].dist - hit[k].dist);
      for (int i = 0; i < 3; i++) {
        x->value[k][1 + i] += w * (near[k].pos[i] - hit[k].pos[i]);
        x->value[k][4 + i] += w * (near[k].normal[i] - hit[k].normal[i]);
        x->value[k][7 + i] += w * (near[k].hint[i] - hit[k].hint[i]);
      }
    }
  }
}

static cr_real relative_error(const cr_real* tangent, const cr_real* difference) {
  cr_real scale = 1, error = 0;
  for (int i = 0; i < N_HIT; i++) {
    scale = cr_max(scale, cr_abs(tangent[i]));
    error = cr_max(error, cr_abs(tangent[i] - difference[i]));
  }
  return error / scale;
}

// ---- the check

// Differences at several steps: near a corner the measure bends within less than the first step.
enum { N_STEP = 4 };
#ifdef CR_LONG_DOUBLE
static const cr_real FIRST_STEP = CR_R(2e-5), TAN_TOLERANCE = CR_R(2e-9), BAR_TOLERANCE = 1e-13L;
#else
static const cr_real FIRST_STEP = 5e-4, TAN_TOLERANCE = 1e-5, BAR_TOLERANCE = 1e-10;
#endif

void pair_check(pair_report* report, const cr_pair* pair, const solid* a, const solid* b,
                cr_real margin, cr_random* r) {
  cr_hit hit[CR_MAX_HITS];
  cr_hit_tan hit_tan[CR_MAX_HITS];
  cr_real a_x[N_SHAPE], b_x[N_SHAPE], tangent[CR_MAX_HITS][N_HIT], best[CR_MAX_HITS];
  int n = solid_hits(pair, a, b, margin, hit);
  random_numbers(r, a_x, N_SHAPE);
  random_numbers(r, b_x, N_SHAPE);
  cr_shape_tan a_tan = shape_of_numbers(a_x), b_tan = shape_of_numbers(b_x);
  cr_shape shape_a = solid_shape(a), shape_b = solid_shape(b);

  // tangents, into memory that holds something else
  for (int k = 0; k < n; k++) {
    memset(&hit_tan[k], 0x5a, sizeof hit_tan[k]);
    pair->tan(&shape_a, &shape_b, hit[k].feature, hit[k].local, &a_tan, &b_tan, &hit_tan[k]);
    hit_numbers(&hit_tan[k], tangent[k]);
    best[k] = -1;
    report->off_normal =
        cr_max(report->off_normal, cr_abs(cr_dot3(hit[k].normal, hit_tan[k].normal)));
  }

  // against differences, at the step where they are best
  cr_real h = FIRST_STEP;
  for (int s = 0; s < N_STEP; s++, h /= 5) {
    differences x;
    differentiate(&x, pair, a, b, margin, &a_tan, &b_tan, hit, n, h);
    for (int k = 0; k < n; k++) {
      cr_real error = x.valid[k] ? relative_error(tangent[k], x.value[k]) : -1;
      if (error >= 0 && (best[k] < 0 || error < best[k])) {
        best[k] = error;
      }
    }
  }

  // cotangents against tangents, added to what is there
  for (int k = 0; k < n; k++) {
    cr_real y[N_HIT], a_start[N_SHAPE], scale = 0;
    random_numbers(r, y, N_HIT);
    random_numbers(r, a_start, N_SHAPE);
    cr_hit_tan hit_bar = {.dist = y[0]};
    cr_copy3(hit_bar.pos, y + 1);
    cr_copy3(hit_bar.normal, y + 4);
    cr_copy3(hit_bar.hint, y + 7);
    cr_shape_tan a_bar = shape_of_numbers(a_start), b_bar = shape_of_numbers(a_start);
    pair->bar(&shape_a, &shape_b, hit[k].feature, hit[k].local, &hit_bar, &a_bar, &b_bar);
    cr_real left = product(y, tangent[k], N_HIT, &scale), right = 0;
    const cr_real* rows[6] = {a_bar.pos, a_bar.rot, a_bar.size, b_bar.pos, b_bar.rot, b_bar.size};
    for (int i = 0; i < 6; i++) {
      const cr_real* x = (i < 3 ? a_x : b_x) + 3 * (i % 3);
      right += product(rows[i], x, 3, &scale) - product(a_start + 3 * (i % 3), x, 3, &scale);
    }
    report->bar_error = cr_max(report->bar_error, cr_abs(left - right) / scale);
    report->hits++;
    report->skipped += best[k] < 0;
    report->tan_error = cr_max(report->tan_error, best[k]);
  }
}

void pair_report_assert(const pair_report* report) {
  assert_true(report->hits > 0);
  assert_true(5 * report->skipped < report->hits);
  assert_close(report->tan_error, 0, TAN_TOLERANCE);
  assert_close(report->bar_error, 0, BAR_TOLERANCE);
  assert_close(report->off_normal, 0, BAR_TOLERANCE);
}
