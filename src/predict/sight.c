// SPDX-License-Identifier: Apache-2.0
// Measurements in time: which rows of a track belong to a window, and what is predicted at one of them.
#include "predict/sight.h"

#include "math/quat.h"
#include "predict/sensitivity.h"

static cr_status track_outputs(cri_predictor* w, const cri_problem* p, const cri_track* t,
                               bool derive, int now) {
  int value = t->value_at, error = t->error_at;
  for (int k = 0; k < t->noutput; k++) {
    const cri_output* o = &t->outputs[k];
    cr_copy(w->value[now] + value, cri_output_value(o, p->m, w->d), cri_output_numbers(o));
    if (derive) {
      CR_TRY(cri_sensitivity_output(w, p, o, w->rows[now] + (ptrdiff_t)error * cri_columns_of(p)));
    }
    value += cri_output_numbers(o);
    error += cri_output_errors(o);
  }
  return CR_OK;
}

// place of row i of a track in steps of the window
static cr_real steps_to(const cri_problem* p, const cri_span* span, const cri_track* t, int i) {
  return (t->time[i] - cri_delay_of(p, t) - span->begin) / p->m->timestep;
}

static bool delay_is_unknown(const cri_problem* p, const cri_track* t) {
  return p->places[t->place].delay_at >= 0;
}

// rows that belong to the window, and are seen within it whatever the delay
int cri_sight_first(const cri_problem* p, const cri_span* span, const cri_track* t) {
  cr_real late = delay_is_unknown(p, t) ? p->longest_delay : t->delay;
  int i = 0;
  while (i < t->rows && t->time[i] - late < span->begin - CRI_ON_STEP * p->m->timestep) {
    i++;
  }
  return i;
}

static cr_real end_of(const cri_problem* p, const cri_span* span) {
  return span->begin + p->m->timestep * ((cr_real)span->nstep + (span->last ? CR_R(0.5) : 0));
}

static bool has_row(const cri_predictor* w, const cri_problem* p, const cri_span* span, int track,
                    const cri_track* t) {
  int i = w->next_row[track];
  return i < t->rows && t->time[i] < end_of(p, span) - CRI_ON_STEP * p->m->timestep;
}

// true if something is seen between the steps before and after k, or at it
bool cri_sight_needed(const cri_predictor* w, const cri_problem* p, const cri_span* span, int track,
                      int k) {
  const cri_track* t = &p->runs[span->run].tracks[track];
  if (!has_row(w, p, span, track, t)) {
    return false;
  }
  cr_real s = steps_to(p, span, t, w->next_row[track]);
  return s < (cr_real)(k + 1) + (delay_is_unknown(p, t) ? CRI_ON_STEP : -CRI_ON_STEP);
}

// a + f (b - a), or the turn from a to b by that share
static void between(const cri_output* o, const cr_real* a, const cr_real* b, cr_real f,
                    cr_real* to) {
  cr_real sign = 1;
  if (o->turns) {
    sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  }
  for (int i = 0; i < cri_output_numbers(o); i++) {
    to[i] = a[i] + f * (sign * b[i] - a[i]);
  }
  if (o->turns) {
    (void)cr_quat_normalize(to);
  }
}

// y += s x
static void add(cr_real* y, cr_real s, const cr_real* x, int n) {
  for (int i = 0; i < n && s != 0; i++) {
    y[i] += s * x[i];
  }
}

typedef struct {
  const cri_problem* p;
  const cri_track* t;
  int row, step, now;
  cr_real share;  // of this step, the rest is of the one before
  bool derive;
  cri_see* see;
  void* context;
} sighting;

static void see_output(cri_predictor* w, const sighting* g, const cri_output* o, int value,
                       int error) {
  const cri_problem* p = g->p;
  const cri_measured* place = &p->places[g->t->place];
  int now = g->now, n = cri_columns_of(p), ne = cri_output_errors(o);
  const cr_real* seen = g->t->values + (ptrdiff_t)g->row * g->t->width + o->in_place;
  if (isnan(seen[0])) {
    return;
  }
  cri_sight s = {.track = g->t, .output = o, .row = g->row, .step = g->step};
  cr_real e[2][3] = {{0}, {0}};
  const cr_real part[2] = {g->share, 1 - g->share};
  // the slope by the delay is of the whole interval, also where all is seen at one end of it
  for (int k = 0; k < 2; k++) {
    if (part[k] == 0 && place->delay_at < 0) {
      continue;
    }
    cri_output_error(o, w->value[k == 0 ? now : 1 - now] + value, seen, e[k]);
  }
  if (part[1] == 0) {
    cr_copy(s.value, w->value[now] + value, cri_output_numbers(o));
  } else {
    between(o, w->value[1 - now] + value, w->value[now] + value, g->share, s.value);
  }
  for (int k = 0; k < 2; k++) {
    s.share[k] = part[k];
    cr_copy(s.part[k], e[k], ne);
  }
  for (int i = 0; i < ne; i++) {
    s.error[i] = part[0] * e[0][i] + part[1] * e[1][i] +
                 (place->offset_at >= 0 ? p->x[place->offset_at + o->in_errors + i] : 0);
  }
  if (g->derive) {
    cr_zero(w->row, 3 * n);
    for (int k = 0; k < 2; k++) {
      if (part[k] == 0) {
        continue;
      }
      const cr_real* rows = w->rows[k == 0 ? now : 1 - now] + (ptrdiff_t)error * n;
      cr_real J[9] = {1};
      if (o->turns) {
        cr_so3_jr_inv(J, e[k]);
      }
      for (int i = 0; i < ne; i++) {
        for (int j = 0; j < ne; j++) {
          add(w->row + (ptrdiff_t)i * n, part[k] * J[3 * i + j], rows + (ptrdiff_t)j * n, n);
        }
      }
    }
    for (int i = 0; i < ne; i++) {
      if (place->offset_at >= 0) {
        w->row[(ptrdiff_t)i * n + place->offset_at + o->in_errors + i] += 1;
      }
      if (place->delay_at >= 0) {
        w->row[(ptrdiff_t)i * n + place->delay_at] -= (e[0][i] - e[1][i]) / p->m->timestep;
      }
    }
    s.rows = w->row;
  }
  g->see(g->context, &s);
}

// all rows of a track up to step k
static void see_track(cri_predictor* w, sighting* g, const cri_span* span, int track, int k) {
  while (has_row(w, g->p, span, track, g->t)) {
    int i = w->next_row[track];
    cr_real s = steps_to(g->p, span, g->t, i);
    bool unknown = delay_is_unknown(g->p, g->t);
    if (s > (cr_real)k + CRI_ON_STEP && k < span->nstep) {
      return;
    }
    g->row = i;
    g->share = cr_min(s - (cr_real)(k - 1), 1);
    if (!unknown && cr_abs(s - (cr_real)k) <= CRI_ON_STEP) {
      g->share = 1;
    }
    if (unknown && k == 0) {
      return;  // seen from step 1, which has a step before it
    }
    int value = g->t->value_at, error = g->t->error_at;
    for (int o = 0; o < g->t->noutput; o++) {
      see_output(w, g, &g->t->outputs[o], value, error);
      value += cri_output_numbers(&g->t->outputs[o]);
      error += cri_output_errors(&g->t->outputs[o]);
    }
    w->next_row[track]++;
  }
}

cr_status cri_sight_step(cri_predictor* w, const cri_problem* p, const cri_span* span, int track,
                         int k, bool derive, cri_see* see, void* context) {
  const cri_track* t = &p->runs[span->run].tracks[track];
  sighting g = {
      .p = p, .t = t, .step = k, .now = k & 1, .derive = derive, .see = see, .context = context};
  CR_TRY(track_outputs(w, p, t, derive, k & 1));
  see_track(w, &g, span, track, k);
  return CR_OK;
}
