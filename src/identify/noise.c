// SPDX-License-Identifier: Apache-2.0
#include "identify/noise.h"

#include <stdlib.h>

typedef struct {
  cri_place_sums* sums;
  int* first;     // of every place, its first error among `last`
  cr_real* last;  // of every number: the error before, NaN: none
} gatherer;

static void gather_sight(void* context, const cri_sight* sight) {
  gatherer* g = context;
  const cri_track* t = sight->track;
  const cri_output* o = sight->output;
  cri_place_sums* s = &g->sums[t->place];
  cr_real* last = g->last + g->first[t->place] + o->in_errors;
  for (int i = 0; i < cri_output_errors(o); i++) {
    cr_real e = sight->error[i];
    s->n++;
    s->ee += e * e;
    if (!isnan(last[i])) {
      s->e_next += e * last[i];
      s->pairs++;
    }
    last[i] = e;
  }
  if (!o->turns) {
    cr_real seen = t->values[(ptrdiff_t)sight->row * t->width + o->in_place];
    s->s += seen;
    s->ss += seen * seen;
  }
}

cr_status cri_noise_see(cri_search* s, int span, cri_see* see, void* context, cr_error* error) {
  cr_status status = CR_ERR_CAPACITY;
  while (status == CR_ERR_CAPACITY) {
    status = cri_predict(s->predictor[0], &s->p, span, false, see, context, NULL, NULL, error);
    if (status == CR_ERR_CAPACITY) {
      CR_TRY(cri_predictor_grow(s->predictor[0], &s->p, error));
    }
  }
  return status;
}

cr_status cri_noise_sum(cri_search* search, int begin, int n, cri_place_sums* sums,
                        cr_error* error) {
  const cri_problem* p = &search->p;
  size_t errors = 0;
  for (int k = 0; k < p->nplace; k++) {
    errors += (size_t)p->places[k].nerror;
  }
  int* first = calloc((size_t)p->nplace + 1, sizeof *first);
  cr_real* last = calloc(errors + 1, sizeof *last);
  cr_status status = CR_OK;
  if (first == NULL || last == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  for (int k = 1; k <= p->nplace && status == CR_OK; k++) {
    first[k] = first[k - 1] + p->places[k - 1].nerror;
  }
  memset(sums, 0, (size_t)p->nplace * sizeof *sums);
  gatherer g = {sums, first, last};
  for (int w = begin; w < begin + n && status == CR_OK; w++) {
    for (size_t i = 0; i < errors; i++) {
      last[i] = (cr_real)NAN;
    }
    status = cri_noise_see(search, w, gather_sight, &g, error);
  }
  free(first);
  free(last);
  return status;
}

void cri_noise_guess(cri_problem* p) {
  for (int k = 0; k < p->nplace; k++) {
    cri_measured* at = &p->places[k];
    cr_real n = 0, s = 0, ss = 0;
    for (int r = 0; r < p->nrun && !at->noise_given; r++) {
      for (int i = 0; i < p->runs[r].ntrack; i++) {
        const cri_track* t = &p->runs[r].tracks[i];
        for (int j = 0; j < t->rows * t->width && t->place == k; j++) {
          cr_real v = isnan(t->values[j]) ? 0 : t->values[j];
          n += !isnan(t->values[j]);
          s += v;
          ss += v * v;
        }
      }
    }
    if (!at->noise_given) {
      cr_real spread = n > 0 ? cr_sqrt(cr_max(ss / n - s / n * (s / n), 0)) : 1;
      at->noise = spread > 0 ? spread / 100 : 1;
    }
  }
}

cr_real cri_unknowns(const cri_problem* p) {
  return (cr_real)p->n + (p->starts_known ? 0 : (cr_real)p->ntrain * (cr_real)p->nx);
}

cr_real cri_numbers_seen(const cri_problem* p, const cri_place_sums* sums) {
  cr_real n = 0;
  for (int k = 0; k < p->nplace; k++) {
    n += (cr_real)sums[k].n;
  }
  return n;
}

cr_real cri_noise_update(cri_problem* p, const cri_place_sums* sums) {
  cr_real n = cri_numbers_seen(p, sums), change = 0;
  cr_real left = cr_max(1 - cri_unknowns(p) / cr_max(n, 1), CR_R(0.05));
  for (int k = 0; k < p->nplace; k++) {
    const cri_place_sums* s = &sums[k];
    if (p->places[k].noise_given || s->n == 0) {
      continue;
    }
    cr_real count = (cr_real)s->n;
    // data without noise: digits of the numbers themselves
    cr_real least = CR_R(1e-9) * cr_sqrt(s->ss / count) + CR_R(1e-12);
    cr_real noise = cr_max(cr_sqrt(s->ee / (count * left)), least);
    change = cr_max(change, cr_abs(noise / p->places[k].noise - 1));
    p->places[k].noise = noise;
  }
  return change;
}
