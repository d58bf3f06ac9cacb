// SPDX-License-Identifier: Apache-2.0
// Planners that only look at costs.
//   [plan.m2] predictive sampling: theta = the best sample
//   [plan.m3] cross-entropy: mean and standard deviation of the best samples
//   [plan.m4] path integral: mean of all samples, weighted by exp(-(c - lowest) / temperature)
// The plan is the best of all that was run; the centre of the next samples is the method's.
#include <stdlib.h>

#include "control/plan_samples.h"

// a deviation never falls below this part of the first one
#define LEAST CR_R(0.02)

static cr_status create(cr_planner* p, cr_error* error) {
  cri_samples* s = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory");
  }
  p->memory = s;
  return cri_samples_make(s, p, error);
}

static void destroy(cr_planner* p) {
  cri_samples_free(p->memory);
  free(p->memory);
}

static void restart(cr_planner* p) { cri_samples_restart(p->memory, p); }

static void shift(cr_planner* p, int steps) {
  (void)steps;
  restart(p);
}

// samples around the centre, and the best of them
static cr_status sample(cr_planner* p, cri_samples* s) {
  cri_samples_draw(s, p);
  CR_TRY(cri_samples_evaluate(s, p));
  int best = s->order[0];
  cri_plan_take(p, s->rows + (ptrdiff_t)best * p->n, s->costs[best]);
  return CR_OK;
}

// the cost of the new centre, which may be the plan
static cr_status look_at_centre(cr_planner* p, cri_samples* s) {
  cr_real cost;
  CR_TRY(cri_plan_costs(p, 1, s->centre, &cost));
  cri_plan_take(p, s->centre, cost);
  return CR_OK;
}

// ---- predictive sampling

static cr_status predictive(cr_planner* p, cr_error* error) {
  cri_samples* s = p->memory;
  (void)error;
  cr_copy(s->centre, p->knots, p->n);
  return sample(p, s);  // [plan.m2]
}

// ---- cross-entropy

static cr_status entropy(cr_planner* p, cr_error* error) {
  cri_samples* s = p->memory;
  (void)error;
  CR_TRY(sample(p, s));
  int n = 0;
  while (n < p->o.elite && isfinite(s->costs[s->order[n]])) {
    n++;
  }
  for (int j = 0; j < p->n && n > 0; j++) {  // [plan.m3]
    cr_real mean = 0, square = 0;
    for (int k = 0; k < n; k++) {
      mean += s->rows[(ptrdiff_t)s->order[k] * p->n + j];
    }
    mean /= (cr_real)n;
    for (int k = 0; k < n; k++) {
      cr_real e = s->rows[(ptrdiff_t)s->order[k] * p->n + j] - mean;
      square += e * e;
    }
    cr_real span = (p->controls.upper[j % p->m->nu] - p->controls.lower[j % p->m->nu]) / 2;
    cr_real least = LEAST * p->o.noise * (isfinite(span) ? span : 1);
    s->centre[j] = mean;
    s->deviation[j] = cr_max(cr_sqrt(square / (cr_real)n), least);
  }
  return n > 0 ? look_at_centre(p, s) : CR_OK;
}

// ---- path integral

// mean distance of the finite costs from the lowest, a tenth of it
static cr_real temperature_of(const cr_planner* p, const cri_samples* s) {
  cr_real sum = 0, lowest = s->costs[s->order[0]];
  int n = 0;
  for (int k = 0; k < p->o.samples; k++) {
    if (isfinite(s->costs[k])) {
      sum += s->costs[k] - lowest;
      n++;
    }
  }
  cr_real own = n > 0 ? CR_R(0.1) * sum / (cr_real)n : 0;
  return cr_max(p->o.temperature > 0 ? p->o.temperature : own, CR_MINVAL);
}

static cr_status path_integral(cr_planner* p, cr_error* error) {
  cri_samples* s = p->memory;
  (void)error;
  CR_TRY(sample(p, s));
  cr_real lowest = s->costs[s->order[0]], total = 0;
  if (!isfinite(lowest)) {
    return CR_OK;
  }
  cr_real temperature = temperature_of(p, s);
  cr_zero(s->centre, p->n);
  for (int k = 0; k < p->o.samples; k++) {
    cr_real w = isfinite(s->costs[k]) ? cr_exp(-(s->costs[k] - lowest) / temperature) : 0;
    const cr_real* row = s->rows + (ptrdiff_t)k * p->n;
    total += w;
    for (int j = 0; j < p->n && w > 0; j++) {
      s->centre[j] += w * row[j];  // [plan.m4]
    }
  }
  for (int j = 0; j < p->n; j++) {
    s->centre[j] /= total;
  }
  return look_at_centre(p, s);
}

static void numbers(cr_planner* p, cri_plan_numbers* v) { cri_samples_numbers(p->memory, p, v); }

const cri_plan_method cri_plan_by_sampling = {"sampling", true,  create,  destroy,
                                              predictive, shift, restart, numbers};
const cri_plan_method cri_plan_by_cem = {"cem",   true,  create,  destroy,
                                         entropy, shift, restart, numbers};
const cri_plan_method cri_plan_by_mppi = {"mppi",        true,  create,  destroy,
                                          path_integral, shift, restart, numbers};
