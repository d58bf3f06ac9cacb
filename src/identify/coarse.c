// SPDX-License-Identifier: Apache-2.0
#include "identify/coarse.h"

#include "identify/noise.h"
#include "model/state_vector.h"
#include "predict/layout.h"

enum { LEAST_STEPS = 20, LEAST_NUMBERS = 5 };  // of a window; for each number of its start

// numbers that were seen, one step with the other, and steps of the longest run
static cr_real density(const cri_problem* p, int* longest) {
  cr_real numbers = 0, steps = 0;
  *longest = 0;
  for (int w = 0; w < p->ntrain; w++) {
    steps += (cr_real)p->spans[w].nstep;
    *longest = p->spans[w].nstep > *longest ? p->spans[w].nstep : *longest;
  }
  for (int r = 0; r < p->nrun; r++) {
    for (int t = 0; t < p->runs[r].ntrack; t++) {
      const cri_track* at = &p->runs[r].tracks[t];
      numbers += (cr_real)at->rows * (cr_real)p->places[at->place].nerror;
    }
  }
  return numbers / cr_max(steps, 1);
}

// what short windows found goes to the problem of long ones
static void hand_over(const cri_problem* from, cri_problem* to) {
  cr_copy(to->x, from->x, to->n);
  for (int k = 0; k < to->nplace; k++) {
    to->places[k].noise = from->places[k].noise;
  }
  for (int w = 0; w < to->ntrain; w++) {
    int first = 0;
    while (from->spans[first].run != to->spans[w].run) {
      first++;
    }
    cri_layout_start(from, first, to->state + (ptrdiff_t)w * cri_state_size(to->m));
    cr_zero(to->x + to->n + (ptrdiff_t)w * to->nx, to->nx);
  }
}

static cr_status fit_short(cri_search* s, cri_search* whole, bool x_fixed, cr_error* error) {
  static const cr_real jumps[CRI_COARSE_LEGS] = {1, CR_R(0.03), CR_R(0.001)};
  const cri_problem* p = &whole->p;
  const cr_damping damping = {.iterations = 40,
                              .damping = CR_R(1e-3),
                              .step_tolerance = CR_R(1e-8),
                              .value_tolerance = CR_R(1e-3)};
  cri_layout_starts(&s->p);
  cr_copy(s->p.x, p->x, p->n);
  for (int k = 0; k < p->nplace; k++) {
    s->p.places[k].noise = p->places[k].noise;
  }
  s->stop = whole->stop;
  s->progress = whole->progress;
  s->context = whole->context;
  s->steps = whole->steps;
  s->saving = whole->saving;
  s->bounded = whole->bounded;
  CR_TRY(cri_search_create(s, cr_pool_size(whole->pool), error));
  for (int i = s->saving != NULL ? s->saving->leg : 0; i < CRI_COARSE_LEGS; i++) {
    cr_damped_end end;
    s->p.continuity = jumps[i];
    if (s->saving != NULL) {
      s->saving->leg = i;
    }
    CR_TRY(cri_search_minimise(s, 0, s->p.ntrain, x_fixed, &damping, &end, error));
  }
  whole->steps = s->steps;
  return CR_OK;
}

cr_status cri_coarse_fit(cri_search* whole, const cr_measurements* ms,
                         const cr_identification_options* o, bool x_fixed, cr_error* error) {
  cri_problem* p = &whole->p;
  int longest, steps;
  cr_real numbers = density(p, &longest);
  steps = longest / 16 > LEAST_STEPS ? longest / 16 : LEAST_STEPS;
  while (steps < longest && numbers * (cr_real)steps < LEAST_NUMBERS * (cr_real)p->nx) {
    steps *= 2;
  }
  if (o->window > 0 || p->starts_known || 2 * steps > longest) {
    return CR_OK;
  }
  cr_identification_options of = *o;
  of.window = (cr_real)steps * p->m->timestep;
  of.continuity = 1;
  cri_search s = {0};
  cr_status status = cri_layout(&s.p, p->parameters, ms, &of, error);
  status = status == CR_OK ? fit_short(&s, whole, x_fixed, error) : status;
  if (status == CR_OK) {
    hand_over(&s.p, p);
  }
  cri_search_free(&s);
  cri_layout_free(&s.p);
  return status;
}
