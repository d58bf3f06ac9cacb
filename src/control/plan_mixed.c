// SPDX-License-Identifier: Apache-2.0
// Samples that a few gradient steps improve: where a landscape has many valleys, noise finds them and the gradient their floors.
//   [plan.x1] the best samples by cost, each theta -= rate m / (sqrt s + eps) some times (learn/adam.h)
#include <stdlib.h>

#include "control/plan_samples.h"
#include "learn/adam.h"

typedef struct {
  cri_samples samples;
  cr_real *best, *costs;           // elite x n, elite: the best iterate of each
  cr_real *x, *g, *mean, *square;  // nworker x n
  cr_real* memory;
} mixed;

static cr_status create(cr_planner* p, cr_error* error) {
  mixed* w = calloc(1, sizeof *w);
  if (w == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory");
  }
  p->memory = w;
  size_t n = (size_t)p->n, elite = (size_t)p->o.elite, workers = (size_t)p->nworker * n;
  w->memory = calloc(elite * n + elite + 4 * workers + 1, sizeof *w->memory);
  if (w->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d candidates", p->o.elite);
  }
  w->best = w->memory;
  w->costs = w->best + elite * n;
  w->x = w->costs + elite;
  w->g = w->x + workers;
  w->mean = w->g + workers;
  w->square = w->mean + workers;
  return cri_samples_make(&w->samples, p, error);
}

static void destroy(cr_planner* p) {
  mixed* w = p->memory;
  cri_samples_free(&w->samples);
  free(w->memory);
  free(w);
}

static void restart(cr_planner* p) {
  mixed* w = p->memory;
  cri_samples_restart(&w->samples, p);
}

static void shift(cr_planner* p, int steps) {
  (void)steps;
  restart(p);
}

static void shorten(const cr_planner* p, cr_real* g) {
  cr_real sum = 0;
  for (int i = 0; i < p->n; i++) {
    sum += g[i] * g[i];
  }
  cr_real length = cr_sqrt(sum);
  for (int i = 0; i < p->n && p->o.clip > 0 && length > p->o.clip; i++) {
    g[i] *= p->o.clip / length;
  }
}

// gradient steps from the item-th best sample; the best iterate stays
static cr_status polish(void* context, int item, int worker) {
  cr_planner* p = context;
  mixed* w = p->memory;
  ptrdiff_t at = (ptrdiff_t)worker * p->n;
  cr_real *x = w->x + at, *g = w->g + at, *best = w->best + (ptrdiff_t)item * p->n;
  int from = w->samples.order[item];
  const cr_adam rule = {.b1 = CR_R(0.9), .b2 = CR_R(0.999), .eps = CR_R(1e-8)};
  cr_zero(w->mean + at, p->n);
  cr_zero(w->square + at, p->n);
  cr_copy(x, w->samples.rows + (ptrdiff_t)from * p->n, p->n);
  cr_copy(best, x, p->n);
  w->costs[item] = w->samples.costs[from];
  for (int k = 1; k <= p->o.polish && isfinite(w->costs[item]); k++) {
    cr_real cost;
    CR_TRY(cri_plan_slope(p, worker, x, &cost, g));
    if (cost < w->costs[item]) {
      w->costs[item] = cost;
      cr_copy(best, x, p->n);
    }
    if (!isfinite(cost)) {
      return CR_OK;
    }
    shorten(p, g);
    cr_adam_step(&rule, p->o.rate, k, p->n, x, w->mean + at, w->square + at, g);  // [plan.x1]
    cri_controls_clip(&p->controls, x);
  }
  cr_real last;
  CR_TRY(isfinite(w->costs[item]) ? cri_plan_cost(p, worker, x, &last) : CR_OK);
  if (isfinite(w->costs[item]) && last < w->costs[item]) {
    w->costs[item] = last;
    cr_copy(best, x, p->n);
  }
  return CR_OK;
}

static cr_status improve(cr_planner* p, cr_error* error) {
  mixed* w = p->memory;
  (void)error;
  cr_copy(w->samples.centre, p->knots, p->n);
  cri_samples_draw(&w->samples, p);
  CR_TRY(cri_samples_evaluate(&w->samples, p));
  for (int i = 0; i < p->o.elite && p->noise != NULL; i++) {  // estimates have all workers
    CR_TRY(polish(p, i, 0));
  }
  CR_TRY(p->noise == NULL ? cr_pool_run(p->pool, p->o.elite, polish, p) : CR_OK);
  p->rollouts += p->o.elite * (p->o.polish + 1);
  int best = cri_plan_lowest(w->costs, p->o.elite);
  cri_plan_take(p, w->best + (ptrdiff_t)best * p->n, w->costs[best]);
  return CR_OK;
}

static void numbers(cr_planner* p, cri_plan_numbers* v) {
  mixed* w = p->memory;
  cri_samples_numbers(&w->samples, p, v);
}

const cri_plan_method cri_plan_mixed = {"mixed", true,  create,  destroy,
                                        improve, shift, restart, numbers};
