// SPDX-License-Identifier: Apache-2.0
// Outlines of flat bodies.
#include "recorded/outline.h"

#include <math.h>
#include <string.h>

static const double flat = 1e-12;  // m^2: a corner of less area counts as straight

// twice the area of a triangle, above 0 against the clock
static double turn(const cr_outline* o, int a, int b, int c) {
  const double *p = o->at[a], *q = o->at[b], *r = o->at[c];
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

double cri_outline_area(const cr_outline* o) {
  double sum = 0;
  for (int i = 0; i < o->n; i++) {
    const double *p = o->at[i], *q = o->at[(i + 1) % o->n];
    sum += p[0] * q[1] - p[1] * q[0];
  }
  return sum / 2;
}

void cri_outline_orient(cr_outline* o) {
  int swaps = cri_outline_area(o) < 0 ? o->n / 2 : 0;
  for (int i = 0; i < swaps; i++) {
    double swap[2];
    double *a = o->at[i], *b = o->at[o->n - 1 - i];
    (void)memcpy(swap, a, sizeof swap);
    (void)memcpy(a, b, sizeof swap);
    (void)memcpy(b, swap, sizeof swap);
  }
}

bool cri_outline_has(const cr_outline* o, double x, double y) {
  bool in = false;
  for (int i = 0, j = o->n - 1; i < o->n; j = i++) {
    const double *p = o->at[i], *q = o->at[j];
    if ((p[1] > y) != (q[1] > y) && x < (q[0] - p[0]) * (y - p[1]) / (q[1] - p[1]) + p[0]) {
      in = !in;
    }
  }
  return in;
}

// ---- triangles

static bool holds_corner(const cr_outline* o, const int* left, int n, int a, int b, int c) {
  for (int i = 0; i < n; i++) {
    int k = left[i];
    if (k != a && k != b && k != c && turn(o, a, b, k) >= 0 && turn(o, b, c, k) >= 0 &&
        turn(o, c, a, k) >= 0) {
      return true;
    }
  }
  return false;
}

// the corner of `left` to cut off; -1: none
static int find_ear(const cr_outline* o, const int* left, int n) {
  int best = -1;
  double most = flat;  // the fattest first, so that pieces are not slivers
  for (int i = 0; i < n; i++) {
    int a = left[(i + n - 1) % n], b = left[i], c = left[(i + 1) % n];
    double area = turn(o, a, b, c);
    if (area > most && !holds_corner(o, left, n, a, b, c)) {
      most = area;
      best = i;
    }
  }
  return best;
}

static void cut(int* left, int* n, int i) {
  for (int k = i; k + 1 < *n; k++) {
    left[k] = left[k + 1];
  }
  (*n)--;
}

// ---- joining

// the corners of `a` with those of `b` in place of its side i; b's side j is the same one, the other way round
static void join(const cr_outline_piece* a, int i, const cr_outline_piece* b, int j,
                 cr_outline_piece* whole) {
  whole->n = 0;
  for (int k = 0; k < a->n; k++) {
    whole->corner[whole->n++] = a->corner[(i + 1 + k) % a->n];
  }
  for (int k = 1; k + 1 < b->n; k++) {
    whole->corner[whole->n++] = b->corner[(j + 1 + k) % b->n];
  }
}

static bool is_convex(const cr_outline* o, const cr_outline_piece* p) {
  for (int k = 0; k < p->n; k++) {
    if (turn(o, p->corner[k], p->corner[(k + 1) % p->n], p->corner[(k + 2) % p->n]) < -flat) {
      return false;
    }
  }
  return true;
}

static bool join_two(const cr_outline* o, cr_outline_piece* a, const cr_outline_piece* b) {
  for (int i = 0; i < a->n; i++) {
    for (int j = 0; j < b->n; j++) {
      bool shared =
          a->corner[i] == b->corner[(j + 1) % b->n] && a->corner[(i + 1) % a->n] == b->corner[j];
      cr_outline_piece whole;
      if (shared && a->n + b->n - 2 <= CR_OUTLINE_CORNERS) {
        join(a, i, b, j, &whole);
        if (is_convex(o, &whole)) {
          *a = whole;
          return true;
        }
      }
    }
  }
  return false;
}

static void join_all(const cr_outline* o, cr_outline_piece* pieces, int* n) {
  for (int a = 0; a < *n; a++) {
    for (int b = 0; b < *n; b++) {
      if (a != b && join_two(o, &pieces[a], &pieces[b])) {
        pieces[b] = pieces[--*n];
        a = -1;  // begin again
        break;
      }
    }
  }
}

static cr_status refuse(cr_error* error) {
  return cri_fail(error, CR_ERR_FORMAT,
                  "an outline of no area, with sides that cross or that are too many");
}

cr_status cri_outline_pieces(const cr_outline* o, cr_outline_piece* pieces, int* n,
                             cr_error* error) {
  cr_outline_piece triangles[CR_OUTLINE_CORNERS];
  int left[CR_OUTLINE_CORNERS], nleft = o->n, count = 0;
  *n = 0;
  for (int i = 0; i < o->n; i++) {
    left[i] = i;
  }
  while (nleft > 2) {
    int i = find_ear(o, left, nleft);
    if (i < 0) {
      break;
    }
    triangles[count++] =
        (cr_outline_piece){3, {left[(i + nleft - 1) % nleft], left[i], left[(i + 1) % nleft]}};
    cut(left, &nleft, i);
  }
  double covered = 0;
  for (int k = 0; k < count; k++) {
    const int* c = triangles[k].corner;
    covered += turn(o, c[0], c[1], c[2]) / 2;
  }
  if (count == 0 || fabs(covered - cri_outline_area(o)) > 1e-6 * covered) {
    return refuse(error);
  }
  join_all(o, triangles, &count);
  if (count > CR_OUTLINE_PIECES) {
    return refuse(error);
  }
  (void)memcpy(pieces, triangles, (size_t)count * sizeof *pieces);
  *n = count;
  return CR_OK;
}
