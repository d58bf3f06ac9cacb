// SPDX-License-Identifier: Apache-2.0
// Samples: each from its own random stream.
#include "control/plan_samples.h"

#include <stdlib.h>

#include "control/control_noise.h"

enum { WIDE_EVERY = 5 };

cr_status cri_samples_make(cri_samples* s, const cr_planner* p, cr_error* error) {
  size_t n = (size_t)p->n, k = (size_t)p->o.samples;
  *s = (cri_samples){.memory = calloc(k * n + k + 2 * n + 1, sizeof(cr_real)),
                     .order = calloc(k, sizeof(int32_t))};
  if (s->memory == NULL || s->order == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d samples", p->o.samples);
  }
  s->rows = s->memory;
  s->costs = s->rows + k * n;
  s->centre = s->costs + k;
  s->deviation = s->centre + n;
  return CR_OK;
}

void cri_samples_free(cri_samples* s) {
  free(s->memory);
  free(s->order);
}

// half the range of a control; 1 of one without limits
static cr_real half_range(const cr_planner* p, int i) {
  cr_real half = (p->controls.upper[i] - p->controls.lower[i]) / 2;
  return isfinite(half) ? half : 1;
}

void cri_samples_restart(cri_samples* s, const cr_planner* p) {
  cr_copy(s->centre, p->knots, p->n);
  for (int j = 0; j < p->n; j++) {
    s->deviation[j] = p->o.noise * half_range(p, j % p->m->nu);
  }
}

void cri_samples_numbers(cri_samples* s, const cr_planner* p, cri_plan_numbers* v) {
  cr_real drawn = (cr_real)s->drawn;
  cri_numbers_of(v, s->centre, (size_t)p->n);
  cri_numbers_of(v, s->deviation, (size_t)p->n);
  cri_numbers_of(v, &drawn, 1);
  s->drawn = (uint64_t)drawn;
}

void cri_samples_draw(cri_samples* s, const cr_planner* p) {
  int nu = p->m->nu;
  cr_copy(s->rows, s->centre, p->n);
  for (int k = 1; k < p->o.samples; k++) {
    cr_real* row = s->rows + (ptrdiff_t)k * p->n;
    cr_random random = cr_random_seed(p->o.seed, s->drawn + (uint64_t)k);
    cr_real wider = k % WIDE_EVERY == 0 ? p->o.wide_noise / p->o.noise : 1;
    for (int i = 0; i < nu; i++) {
      cri_control_noise(&random, p->o.colour, p->o.knots, nu, row + i);
    }
    for (int j = 0; j < p->n; j++) {
      row[j] = s->centre[j] + wider * s->deviation[j] * row[j];  // [plan.m1]
    }
    cri_controls_clip(&p->controls, row);
  }
  s->drawn += (uint64_t)p->o.samples;
}

cr_status cri_samples_evaluate(cri_samples* s, cr_planner* p) {
  CR_TRY(cri_plan_costs(p, p->o.samples, s->rows, s->costs));
  for (int k = 0; k < p->o.samples; k++) {  // insertion keeps the first of equals first
    int at = k;
    while (at > 0 && s->costs[s->order[at - 1]] > s->costs[k]) {
      s->order[at] = s->order[at - 1];
      at--;
    }
    s->order[at] = k;
  }
  return CR_OK;
}
