// SPDX-License-Identifier: Apache-2.0
// Intervals by profile likelihood: a number is moved and held, all others and the starts are searched anew, and the
// interval ends where the cost has grown by what the confidence allows.
#include <stdlib.h>

#include "identify/identification.h"
#include "predict/scale.h"

enum { MOST_TRIALS = 60, MOST_PASSES = 3 };

static const cr_real WIDE = 40;           // scales of the number, or deviations
static const cr_real CLOSE = CR_R(1e-3);  // of the root of the statistic, as a part of the quantile
static const cr_real LOWER =
    CR_R(1e-2);  // of the statistic: a cost so much lower is another minimum

static const cr_damping damping = {.iterations = 200,
                                   .damping = CR_R(1e-3),
                                   .step_tolerance = CR_R(1e-12),
                                   .value_tolerance = CR_R(1e-11)};

typedef struct {
  cri_search* s;
  int i, all;
  cr_real q, excess;       // root of the statistic where the interval ends
  cr_real first, wide;     // moves of x_i: the first that is tried, the largest
  cr_real lower, upper;    // bounds of x_i
  cr_real *low, *high;     // those of x
  cr_real least, lowest;   // costs: about which the interval lies; the lowest that was met
  cr_real *centre, *best;  // where these are, all unknowns
  cr_real *near, away;     // the last place that was fitted, its x_i so far from the centre
  bool* fixed;
} profile;

/// An end of the interval.
typedef struct {
  cr_real x;      // infinite: there is none
  bool at_bound;  // of the number, and not where the data end it
} side_end;

// ---- the cost where a number is held

static void begin_at(profile* f, cr_real away, bool along) {
  cri_problem* p = &f->s->p;
  cr_real share = along && f->away != 0 ? away / f->away : 1;
  for (int k = 0; k < f->all; k++) {
    p->x[k] = f->centre[k] + share * (f->near[k] - f->centre[k]);
  }
  p->x[f->i] = f->centre[f->i] + away;
  for (int k = 0; k < p->n; k++) {
    p->x[k] = cr_clip(p->x[k], f->low[k], f->high[k]);
  }
}

static cr_status fit(profile* f, const bool* fixed, cr_real* cost, cr_error* error) {
  cr_damped_end end = {0};
  f->s->fixed = fixed;
  cr_status status = cri_search_minimise(f->s, 0, f->s->p.ntrain, false, &damping, &end, error);
  f->s->fixed = NULL;
  *cost = end.value;
  return status;
}

// root of the statistic with x_i so far from the centre; infinite where the model cannot be simulated
static cr_status root_at(profile* f, cr_real away, cr_real* root, cr_error* error) {
  const cri_problem* p = &f->s->p;
  cr_real cost = 0;
  begin_at(f, away, true);
  cr_status status = fit(f, f->fixed, &cost, error);
  if (cri_search_is_no_place(status)) {
    begin_at(f, away, false);
    status = fit(f, f->fixed, &cost, error);
  }
  if (cri_search_is_no_place(status)) {
    *root = (cr_real)INFINITY;
    return CR_OK;
  }
  CR_TRY(status);
  cr_copy(f->near, p->x, f->all);
  f->away = away;
  if (cost < f->lowest) {
    f->lowest = cost;
    cr_copy(f->best, p->x, f->all);
  }
  *root = cr_sqrt(2 * cr_max(cost - f->least, 0) / f->excess);  // [identification.m7]
  return CR_OK;
}

// ---- one side

// between moves a, where the root is below q, and b, where it is above: false position, which halves the value that stays.
// Infinite where the model cannot be simulated before the end.
static cr_status close_in(profile* f, int sign, cr_real a, cr_real below, cr_real b, cr_real above,
                          cr_real* found, cr_error* error) {
  *found = b;
  for (int k = 0; k < MOST_TRIALS && b - a > CR_R(1e-6) * b; k++) {
    cr_real root, share = isfinite(above) ? below / (below - above) : CR_R(0.5);
    cr_real at = a + cr_clip(share, CR_R(0.01), CR_R(0.99)) * (b - a);
    CR_TRY(root_at(f, (cr_real)sign * at, &root, error));
    if (cr_abs(root - f->q) <= CLOSE * f->q) {
      *found = at;
      return CR_OK;
    }
    if (root < f->q) {
      a = at;
      below = root - f->q;
      above /= 2;
    } else {
      b = at;
      above = root - f->q;
      below /= 2;
      *found = b;
    }
  }
  *found = isfinite(above) ? *found : (cr_real)INFINITY;
  return CR_OK;
}

static cr_status find_end(profile* f, int sign, side_end* end, cr_error* error) {
  cr_real centre = f->centre[f->i], bound = sign < 0 ? f->lower : f->upper;
  cr_real room = (cr_real)sign * (bound - centre);
  bool bounded = room <= f->wide;
  cr_real reach = bounded ? room : f->wide, a = 0, below = -f->q, b = cr_min(f->first, reach);
  *end = (side_end){.x = bounded ? bound : (cr_real)sign * (cr_real)INFINITY, .at_bound = bounded};
  cr_copy(f->near, f->centre, f->all);
  f->away = 0;
  while (reach > 0) {
    cr_real root;
    CR_TRY(root_at(f, (cr_real)sign * b, &root, error));
    if (root >= f->q) {
      cr_real found = b;
      bool there = root - f->q <= CLOSE * f->q;
      CR_TRY(there ? CR_OK : close_in(f, sign, a, below, b, root - f->q, &found, error));
      *end = (side_end){.x = centre + (cr_real)sign * found};
      return CR_OK;
    }
    if (b >= reach) {
      return CR_OK;
    }
    a = b;
    below = root - f->q;
    b = cr_min(b * cr_clip(CR_R(1.2) * f->q / cr_max(root, CR_EPS), CR_R(1.5), 4), reach);
  }
  return CR_OK;
}

// ---- both

static cr_status find_ends(profile* f, side_end* ends, cr_error* error) {
  cri_problem* p = &f->s->p;
  // as found, but where the search has more to go
  CR_TRY(cri_search_move(f->s, p->x, false, error));
  CR_TRY(cri_search_cost(f->s, 0, p->ntrain, false, &f->least, error));
  cr_copy(f->centre, p->x, f->all);
  CR_TRY(fit(f, NULL, &f->lowest, error));
  cr_copy(f->best, p->x, f->all);
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    if (2 * (f->least - f->lowest) > LOWER * f->excess) {
      cr_copy(f->centre, f->best, f->all);
    } else if (pass > 0) {
      break;
    }
    f->least = f->lowest;
    CR_TRY(find_end(f, -1, &ends[0], error));
    CR_TRY(find_end(f, 1, &ends[1], error));
  }
  return CR_OK;
}

// the number itself where x_i is this
static cr_real number_of(const cri_problem* p, int i, cr_real x) {
  cr_real value = cri_identification_number(p, i, x - p->x[i]);
  return isnan(value) ? x : value;
}

static cr_status run(cr_identification* id, int i, cr_estimate* e, cr_real* room, bool* fixed,
                     cr_error* error) {
  cri_search* s = &id->search;
  cri_problem* p = &s->p;
  int all = p->n + p->nspan * p->nx;
  cri_identification_estimate(id, i, e);
  cr_real scale = cri_scale_of(p, p->x, i);
  cr_real q = cri_student(id->options.confidence, id->freedom);
  cr_real spread = e->told ? q * e->deviation : 0;
  cr_real* kept = room;
  profile f = {.s = s,
               .i = i,
               .all = all,
               .q = q,
               .excess = id->excess,
               .first = e->told ? cr_max(spread, CR_EPS * scale) : scale / 20,
               .wide = WIDE * cr_max(scale, spread),
               .low = room + 4 * (ptrdiff_t)all,
               .high = room + 4 * (ptrdiff_t)all + p->n,
               .centre = room + all,
               .best = room + 2 * (ptrdiff_t)all,
               .near = room + 3 * (ptrdiff_t)all,
               .fixed = fixed};
  cri_search_bounds(p, false, f.low, f.high);
  f.lower = f.low[i];
  f.upper = f.high[i];
  fixed[i] = true;
  cr_copy(kept, p->x, all);
  int steps = s->steps;
  side_end ends[2];
  s->steps = 0;
  cr_status status = find_ends(&f, ends, error);
  s->steps = steps;
  cr_copy(p->x, kept, all);
  cr_status back = cri_search_move(s, p->x, false, status == CR_OK ? error : NULL);
  CR_TRY(status);
  CR_TRY(back);
  e->lower = number_of(p, i, ends[0].x);
  e->upper = number_of(p, i, ends[1].x);
  e->at_bound = ends[0].at_bound || ends[1].at_bound;
  e->told = false;
  for (int k = 0; k < 2; k++) {
    e->told = e->told || (isfinite(ends[k].x) && !ends[k].at_bound);
  }
  return CR_OK;
}

cr_status cr_identification_profile(cr_identification* id, int i, cr_estimate* e, cr_error* error) {
  const cri_call call = {"cr_identification_profile", error};
  CR_TRY(cri_identification_check_estimate(&call, id, i, cr_identification_count(id), e));
  const cri_problem* p = &id->search.p;
  size_t all = (size_t)p->n + (size_t)p->nspan * (size_t)p->nx;
  cr_real* room = calloc(4 * all + 2 * (size_t)p->n + 1, sizeof *room);
  bool* fixed = calloc((size_t)p->n + 1, sizeof *fixed);
  cr_status status = room != NULL && fixed != NULL
                         ? run(id, i, e, room, fixed, error)
                         : cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  free(room);
  free(fixed);
  return status;
}
