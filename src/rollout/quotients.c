// SPDX-License-Identifier: Apache-2.0
// Central quotients if the function is one piece around the point, else quotients of neighbouring
// levels.
#include "rollout/quotients.h"

enum { LEVELS = CR_QUOTIENT_LEVELS };
#define SHRINK CR_QUOTIENT_SHRINK

// ---- both sides

// quotients at shrinking steps; those before `first` are not used, since they or a finer one belong to
// another piece
typedef struct {
  cr_real h[LEVELS], central[LEVELS];
  cr_real jump[LEVELS];  // right minus left slope
  int first;
  cr_real noise;  // of a difference; that of a quotient is this over h
  cr_real seen;   // no more than that: what the last quotients show of it
} quotients;

// effect of round-off on a difference of two evaluations: at least that of the numbers
// themselves; more if the last quotients, which are only noise, show it
static cr_real round_off_between(cr_real least, const cr_real change[LEVELS], const cr_real* h) {
  cr_real scatter = 0;
  for (int r = LEVELS - 3; r < LEVELS; r++) {
    scatter = cr_max(scatter, h[r] * cr_abs(change[r]));
  }
  return cr_clip(scatter, least, 1000 * least);
}

// Whether quotients go one way over six levels, and not ever faster: those of round-off hardly do, however large
// a bound of it may be.
static bool settles(const cr_real change[LEVELS]) {
  enum { FROM = LEVELS - 6, C = LEVELS - 1 };
  for (int r = FROM; r < C; r++) {
    if (change[r] * change[r + 1] <= 0) {
      return false;
    }
  }
  return cr_abs(change[C]) < cr_abs(change[C - 2]);
}

static quotients central_of(const cri_quotients* from, uint64_t piece) {
  quotients q = {.first = 0};
  cr_real change[LEVELS] = {0};
  for (int level = 0; level < LEVELS; level++) {
    const cri_value *plus = from->plus + level, *minus = from->minus + level;
    if (!plus->known || !minus->known || plus->piece != piece || minus->piece != piece) {
      q.first = level + 1;
      continue;
    }
    cr_real h = q.h[level] = from->h[level];
    q.central[level] = (plus->value - minus->value) / (2 * h);
    q.jump[level] = cr_abs(plus->value + minus->value) / h;
    change[level] = level > q.first ? q.central[level] - q.central[level - 1] : 0;
  }
  q.noise = round_off_between(from->noise, change, from->h);
  cr_real last = from->h[LEVELS - 1] * cr_abs(change[LEVELS - 1]);
  q.seen = settles(change) ? cr_min(last, q.noise) : q.noise;
  return q;
}

// Ridders' tableau over the quotients from `first` on; *row: the finest that the answer uses
static cri_slope_fit extrapolate(const quotients* q, int first, int* row) {
  cr_real table[LEVELS][LEVELS];
  cri_slope_fit best = {.error = CR_MAX};
  *row = first;
  for (int level = first; level < LEVELS; level++) {
    cr_real factor = SHRINK * SHRINK;
    table[level][0] = q->central[level];
    for (int order = 1; order <= level - first; order++, factor *= SHRINK * SHRINK) {
      table[level][order] =
          (table[level][order - 1] * factor - table[level - 1][order - 1]) / (factor - 1);
      cr_real error = cr_max(cr_abs(table[level][order] - table[level][order - 1]),
                             cr_abs(table[level][order] - table[level - 1][order - 1]));
      if (error < best.error) {
        best = (cri_slope_fit){true, table[level][order], error, 0, false};
        *row = level;
      }
    }
  }
  best.noise = q->noise / q->h[*row < LEVELS ? *row : LEVELS - 1];
  return best;
}

// Coarse quotients may agree on the slope of another piece: of a force that has its largest value at
// both sides, of an impedance beyond its width. Then finer ones move away from the answer
// by more than noise, two in sequence on one side. Returns the first of them, or LEVELS.
static int contradiction(const quotients* q, const cri_slope_fit* best, int row) {
  cr_real before = 0;
  for (int r = row + 1; r < LEVELS; r++) {
    cr_real off = q->central[r] - best->value;
    cr_real allowed = cr_abs(q->central[row] - best->value) + best->error +
                      CR_R(1e-8) * cr_abs(best->value) + 4 * q->seen / q->h[r];
    off = cr_abs(off) > allowed ? off : 0;
    if (off * before > 0) {
      return r - 1;
    }
    before = off;
  }
  return LEVELS;
}

// Left and right slope stay apart as steps shrink: detected at or beyond the level of the answer or, if
// noise covers them there, on three levels in sequence before.
static bool kinked(const quotients* q, const cri_slope_fit* best, int first, int row) {
  int run = 0;
  for (int r = first + 1; r < LEVELS; r++) {
    cr_real slack = CR_R(1e-3) * cr_abs(best->value) + 4 * q->noise / q->h[r];
    cr_real ratio = q->jump[r] / q->jump[r - 1];
    run = q->jump[r] > slack && ratio > CR_R(0.9) && ratio < CR_R(1.1) ? run + 1 : 0;
    if (run == 3 || (r >= row && q->jump[r] > slack && ratio > CR_R(0.7))) {
      return true;
    }
  }
  return false;
}

// A continuous function's quotients do not leap from one slope to another between two levels and stay on
// both sides of the leap. If they do, the value itself jumps here, and has no slope.
static bool leaps(const quotients* q, int r) {
  if (r < q->first + 2 || r + 1 >= LEVELS) {
    return false;
  }
  cr_real leap = CR_R(0.05) * cr_abs(q->central[r] - q->central[r - 1]);
  return cr_abs(q->central[r - 1] - q->central[r - 2]) < leap &&
         cr_abs(q->central[r + 1] - q->central[r]) < leap;
}

cri_slope_fit cri_slope_at(const cri_quotients* from, uint64_t piece) {
  quotients q = central_of(from, piece);
  int row;
  cri_slope_fit best = {.error = CR_MAX};
  for (int first = q.first, next; first < LEVELS && !best.kink; first = next) {
    best = extrapolate(&q, first, &row);
    next = best.known ? contradiction(&q, &best, row) : LEVELS;
    best.kink = kinked(&q, &best, first, row) || (next < LEVELS && leaps(&q, next));
  }
  return best;
}

// ---- one side

// (f(h) - f(h / s)) / (h - h / s) at level r of a side; its error falls with every power of h
static cr_real between_levels(const cri_value* f, const cr_real* h, int r) {
  return (f[r].value - f[r + 1].value) / (h[r] - h[r + 1]);
}

typedef struct {
  cr_real slope[LEVELS], noise[LEVELS];
} side_quotients;

// Tableau over the quotients from `first` on; *row: the finest that the answer uses
static cri_slope_fit extrapolate_side(const side_quotients* q, int first, int* row) {
  cr_real table[LEVELS][LEVELS];
  cri_slope_fit best = {.error = CR_MAX};
  *row = first;
  for (int level = first; level + 1 < LEVELS; level++) {
    cr_real factor = SHRINK;
    table[level][0] = q->slope[level];
    for (int order = 1; order <= level - first; order++, factor *= SHRINK) {
      table[level][order] =
          (table[level][order - 1] * factor - table[level - 1][order - 1]) / (factor - 1);
      cr_real error = cr_max(cr_abs(table[level][order] - table[level][order - 1]),
                             cr_abs(table[level][order] - table[level - 1][order - 1]));
      if (error + q->noise[level] < best.error + best.noise) {
        best = (cri_slope_fit){true, table[level][order], error, q->noise[level], false};
        *row = level;
      }
    }
  }
  return best;
}

// as contradiction above: finer quotients stay away from the answer of coarser ones
static int contradiction_of_side(const side_quotients* q, const cri_slope_fit* best, int row) {
  cr_real before = 0;
  for (int r = row + 1; best->known && r + 1 < LEVELS; r++) {
    cr_real off = q->slope[r] - best->value;
    cr_real allowed = cr_abs(q->slope[row] - best->value) + best->error +
                      CR_R(1e-8) * cr_abs(best->value) + 4 * q->noise[r];
    off = cr_abs(off) > allowed ? off : 0;
    if (off * before > 0) {
      return r - 1;
    }
    before = off;
  }
  return LEVELS;
}

cri_slope_fit cri_slope_of_side(const cri_quotients* from, int side) {
  const cri_value* f = side > 0 ? from->plus : from->minus;
  side_quotients q;
  cri_slope_fit best = {.error = CR_MAX};
  int first = LEVELS - 1, row;
  while (first > 0 && f[first - 1].known && f[first - 1].piece == f[LEVELS - 1].piece) {
    first--;
  }
  if (!f[LEVELS - 1].known) {
    return best;
  }
  for (int r = first; r + 1 < LEVELS; r++) {
    q.slope[r] = between_levels(f, from->h, r) * (cr_real)side;
    q.noise[r] = 2 * from->noise / (from->h[r] - from->h[r + 1]);
  }
  for (; first + 1 < LEVELS; first = contradiction_of_side(&q, &best, row)) {
    best = extrapolate_side(&q, first, &row);
  }
  return best;
}

bool cri_leaps(const cri_quotients* q, int side, const cri_slope_fit* fit) {
  const cri_value* last = (side > 0 ? q->plus : q->minus) + LEVELS - 1;
  cr_real way = cr_abs(fit->value) + fit->error + fit->noise;
  return last->known && cr_abs(last->value) > 8 * (way * q->h[LEVELS - 1] + q->noise);
}
