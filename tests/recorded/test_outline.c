// SPDX-License-Identifier: Apache-2.0
// Outlines: convex pieces that cover them exactly, and outlines that are none.
#include "support/close.h"

#include <math.h>

#include "recorded/outline.h"

static double area_of(const cr_outline* o, const cr_outline_piece* p) {
  double sum = 0;
  for (int k = 0; k < p->n; k++) {
    const double *a = o->at[p->corner[k]], *b = o->at[p->corner[(k + 1) % p->n]];
    sum += (a[0] * b[1] - a[1] * b[0]) / 2;
  }
  return sum;
}

static bool is_convex(const cr_outline* o, const cr_outline_piece* p) {
  for (int k = 0; k < p->n; k++) {
    const double *a = o->at[p->corner[k]], *b = o->at[p->corner[(k + 1) % p->n]],
                 *c = o->at[p->corner[(k + 2) % p->n]];
    if ((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < -1e-12) {
      return false;
    }
  }
  return true;
}

// whether a point is on the inner side of all sides of a piece
static bool holds(const cr_outline* o, const cr_outline_piece* p, double x, double y) {
  for (int k = 0; k < p->n; k++) {
    const double *a = o->at[p->corner[k]], *b = o->at[p->corner[(k + 1) % p->n]];
    if ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < 0) {
      return false;
    }
  }
  return true;
}

static int check_pieces(const cr_outline* o) {
  cr_outline_piece pieces[CR_OUTLINE_PIECES];
  cr_error error = {0};
  int n = 0;
  double sum = 0;
  if (cri_outline_pieces(o, pieces, &n, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  for (int i = 0; i < n; i++) {
    assert_true(is_convex(o, &pieces[i]));
    sum += area_of(o, &pieces[i]);
  }
  assert_true(fabs(sum - cri_outline_area(o)) < 1e-12);
  // a point is in the outline where it is in a piece
  for (int i = 0; i < 400; i++) {
    double x = -0.1 + 0.2 * ((i % 20) + 0.5131) / 20, y = -0.1 + 0.2 * ((i / 20) + 0.4719) / 20;
    bool in = false;
    for (int k = 0; k < n; k++) {
      in = in || holds(o, &pieces[k], x, y);
    }
    assert_int_equal(in, cri_outline_has(o, x, y));
  }
  return n;
}

static cr_outline star(int corners, double inner, double outer, int way) {
  cr_outline o = {.n = corners};
  for (int i = 0; i < corners; i++) {
    double angle = way * 6.283185307179586 * i / corners, r = i % 2 == 0 ? outer : inner;
    o.at[i][0] = r * cos(angle);
    o.at[i][1] = r * sin(angle);
  }
  return o;
}

TEST(a_convex_outline_is_one_piece) {
  cr_outline o = star(24, 0.08, 0.08, 1);
  assert_int_equal(check_pieces(&o), 1);
}

TEST(an_angle_is_a_few_pieces) {
  const cr_outline o = {
      6, {{-0.05, -0.05}, {0.05, -0.05}, {0.05, 0}, {0.01, 0}, {0.01, 0.05}, {-0.05, 0.05}}};
  int n = check_pieces(&o);
  assert_true(n == 2 || n == 3);
}

TEST(stars_fall_into_convex_pieces) {
  for (int corners = 8; corners <= 120; corners += 14) {
    cr_outline o = star(corners, 0.05, 0.09, 1);
    int n = check_pieces(&o);
    assert_true(n > 1 && n <= corners);
  }
}

TEST(clockwise_outlines_are_turned) {
  cr_outline o = star(8, 0.05, 0.09, -1);
  double area = cri_outline_area(&o);
  assert_true(area < 0);
  cri_outline_orient(&o);
  assert_true(fabs(cri_outline_area(&o) + area) < 1e-15);
  (void)check_pieces(&o);
}

TEST(outlines_that_cross_are_refused) {
  const cr_outline bow = {4, {{0, 0}, {0.1, 0.1}, {0.1, 0}, {0, 0.15}}};
  const cr_outline line = {3, {{0, 0}, {0.1, 0}, {0.2, 0}}};
  cr_outline_piece pieces[CR_OUTLINE_PIECES];
  cr_error error = {0};
  int n;
  assert_int_equal(cri_outline_pieces(&bow, pieces, &n, &error), CR_ERR_FORMAT);
  assert_int_equal(cri_outline_pieces(&line, pieces, &n, &error), CR_ERR_FORMAT);
}
