// SPDX-License-Identifier: Apache-2.0
// The gradient of the mean cost of a plan under noise on its knots.
//   [plan.n1] M(theta) = E[J(theta + w)], w normal, independent of knot to knot; M' as estimator.e1 ... e6 have it
#include <stdlib.h>

#include "control/planner.h"
#include "gradient/draws.h"
#include "gradient/moments.h"

struct cri_plan_noise {
  cr_estimator_options o;
  cri_draws draws;
  cri_moments sums;
  cr_real* costs;          // samples
  cr_real* gradients;      // samples x n
  cr_real *moved, *score;  // nworker x n: knots of a sample; n
  cr_real* memory;
};

static cr_status refuse(const cr_planner* p, cr_error* error) {
  const cr_estimator_options* o = p->o.estimator;
  CR_TRY(cri_estimator_check(o, error));
  if (o->covariance != NULL || o->stop != NULL) {
    return cri_fail(
        error, CR_ERR_ARG,
        "plan: the estimator takes standard deviations of controls, no covariance, and no stop");
  }
  bool follows = p->o.method == CR_PLAN_MIXED ||
                 (p->o.method == CR_PLAN_GRADIENT && p->o.descent == CR_DESCENT_ADAM);
  return follows ? CR_OK
                 : cri_fail(error, CR_ERR_ARG,
                            "plan: an estimator needs method gradient with descent adam, or mixed");
}

static cr_status make(cr_planner* p, cri_plan_noise* w, cr_error* error) {
  size_t n = (size_t)p->n, samples = (size_t)w->o.samples;
  CR_TRY(cri_draws_make(&w->draws, &w->o, p->n, error));
  CR_TRY(cri_moments_make(&w->sums, p->n, cri_draws_group(&w->draws), w->o.kind, error));
  size_t rows = w->sums.by_gradient ? samples * n : 0;
  w->memory = calloc(samples + rows + (size_t)p->nworker * n + n + 1, sizeof *w->memory);
  if (w->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d samples", w->o.samples);
  }
  w->costs = w->memory;
  w->gradients = w->costs + samples;
  w->moved = w->gradients + rows;
  w->score = w->moved + (size_t)p->nworker * n;
  return CR_OK;
}

cr_status cri_plan_noise_make(cr_planner* p, cr_error* error) {
  if (p->o.estimator == NULL) {
    return CR_OK;
  }
  const cri_call call = {"cr_planner_create", error};
  CR_TRY(
      cri_check_size(&call, p->o.estimator->size, sizeof *p->o.estimator, "cr_estimator_options"));
  CR_TRY(refuse(p, error));
  CR_TRY(cri_given(&call, p->o.estimator->sigma, "the estimator's sigma"));
  cri_plan_noise* w = p->noise = calloc(1, sizeof *w);
  cr_real* sigma = calloc((size_t)p->n + 1, sizeof *sigma);
  if (w == NULL || sigma == NULL) {
    free(sigma);
    return cri_fail(error, CR_ERR_MEMORY, "plan: no memory for %d numbers", p->n);
  }
  for (int k = 0; k < p->n; k++) {
    sigma[k] = p->o.estimator->sigma[k % p->m->nu];
  }
  w->o = *p->o.estimator;
  w->o.sigma = sigma;
  cr_status status = make(p, w, error);
  w->o.sigma = NULL;
  free(sigma);
  return status;
}

void cri_plan_noise_free(cri_plan_noise* w) {
  if (w != NULL) {
    cri_draws_free(&w->draws);
    cri_moments_free(&w->sums);
    free(w->memory);
    free(w);
  }
}

// ---- an estimate

typedef struct {
  cr_planner* p;
  const cr_real* knots;
} round_of_samples;

static cr_status sample(void* context, int item, int worker) {
  const round_of_samples* round = context;
  cr_planner* p = round->p;
  cri_plan_noise* w = p->noise;
  cr_real* x = w->moved + (ptrdiff_t)worker * p->n;
  cri_draws_get(&w->draws, item, x, NULL);
  for (int k = 0; k < p->n; k++) {
    x[k] += round->knots[k];
  }
  return w->sums.by_gradient ? cri_plan_gradient(p, worker, x, &w->costs[item],
                                                 w->gradients + (ptrdiff_t)item * p->n)
                             : cri_plan_cost(p, worker, x, &w->costs[item]);
}

// the samples in their order; returns how many have no cost: they count as one at the plan, without a gradient
static int add_samples(cr_planner* p, cr_real cost) {
  cri_plan_noise* w = p->noise;
  int failed = 0;
  cri_moments_begin(&w->sums, cost);
  for (int i = 0; i < w->o.samples; i++) {
    cr_real* gradient = w->sums.by_gradient ? w->gradients + (ptrdiff_t)i * p->n : NULL;
    if (!isfinite(w->costs[i])) {
      failed++;
      w->costs[i] = cost;
      if (gradient != NULL) {
        cr_zero(gradient, p->n);
      }
    }
    if (w->sums.by_loss) {
      cri_draws_get(&w->draws, i, w->moved, w->score);
    }
    cri_moments_add(&w->sums, w->costs[i], gradient, w->score);
  }
  return failed;
}

cr_status cri_plan_slope(cr_planner* p, int worker, const cr_real* knots, cr_real* cost,
                         cr_real* gradient) {
  cri_plan_noise* w = p->noise;
  if (w == NULL) {
    return cri_plan_gradient(p, worker, knots, cost, gradient);
  }
  CR_TRY(cri_plan_cost(p, worker, knots, cost));
  if (!isfinite(*cost)) {
    return CR_OK;
  }
  cr_random random = cr_random_seed(p->o.seed, (uint64_t)p->iterations);
  cri_draws_renew(&w->draws, cr_random_bits(&random));
  round_of_samples round = {p, knots};
  CR_TRY(cr_pool_run(p->pool, w->o.samples, sample, &round));
  int failed = add_samples(p, *cost);
  p->rollouts += w->o.samples;
  p->failed += failed;
  *cost = 2 * failed > w->o.samples ? (cr_real)INFINITY : *cost;
  cr_smoothed_gradient to = {.size = sizeof to, .gradient = gradient};
  cri_moments_estimate(&w->sums, &w->o, &to);  // [plan.n1]
  return CR_OK;
}
