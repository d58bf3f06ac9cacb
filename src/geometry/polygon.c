// SPDX-License-Identifier: Apache-2.0
#include "geometry/polygon.h"

// areas that differ by less than this share are equal, so that round-off does not choose
#define TIE CR_R(1e-9)

typedef struct {
  const cr_real* point;
  const int32_t* id;
  int n;
  int at[4];
  cr_real area;
  int best[4];
  cr_real gain;  // share by which an area has to be larger to count
} walk;

static const cr_real* corner_of(const walk* w, int i) {
  return w->point + 3 * (w->id != NULL ? w->id[i] : i);
}

// twice the area, by the diagonals
static cr_real area_of(const walk* w, const int at[4]) {
  cr_real ac[3], bd[3], c[3];
  cr_sub3(ac, corner_of(w, at[0]), corner_of(w, at[2]));
  cr_sub3(bd, corner_of(w, at[1]), corner_of(w, at[3]));
  cr_cross3(c, ac, bd);
  return cr_norm3(c);
}

// moves corner k one on if that makes the area larger
static bool widen(walk* w, int k) {
  int next[4] = {w->at[0], w->at[1], w->at[2], w->at[3]};
  next[k] = (next[k] + 1) % w->n;
  cr_real area = area_of(w, next);
  if (!(area > w->area * (1 + w->gain))) {
    return false;
  }
  w->area = area;
  memcpy(w->at, next, sizeof next);
  memcpy(w->best, next, sizeof next);
  return true;
}

static void widen_all(walk* w) {
  while (widen(w, 3)) {
    while (widen(w, 2)) {
    }
    while (widen(w, 1)) {
    }
  }
}

int cri_quad_from(const cr_real* point, const int32_t* id, int n, int first, int corner[4]) {
  walk w = {.point = point, .id = id, .n = n};
  for (int k = 0; k < 4; k++) {
    w.at[k] = w.best[k] = (first + k) % n;
  }
  if (n > 4) {
    w.area = area_of(&w, w.at);
    widen_all(&w);
  }
  memcpy(corner, w.best, sizeof w.best);
  return n < 4 ? n : 4;
}

void cri_quad(const cr_real* point, int n, int corner[4]) {
  walk w = {.point = point, .n = n, .at = {0, 1, 2, 3}, .best = {0, 1, 2, 3}, .gain = TIE};
  w.area = area_of(&w, w.at);
  for (int a = 0; a < n; a++) {
    w.at[0] = a;
    widen_all(&w);
    for (int k = 1; k < 4 && w.at[k] == w.at[k - 1]; k++) {
      w.at[k] = (w.at[k] + 1) % n;
    }
  }
  memcpy(corner, w.best, sizeof w.best);
}
