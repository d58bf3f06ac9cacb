// SPDX-License-Identifier: Apache-2.0
// The mean of an objective under noise, as an objective of its own. carom/estimator.h documents the public functions.
//   [estimator.o1] M(x) = mean of L(clip(x + w_i)), clip to the bounds; a number that is clipped has no derivative
#include <stdlib.h>

#include "carom/estimator.h"
#include "gradient/draws.h"
#include "gradient/moments.h"
#include "model/misuse.h"

struct cr_smoothed_objective {
  cr_minimise_problem p;
  cr_estimator_options o;
  cri_draws draws;
  cri_moments sums;
  cr_real *lower, *upper, *x, *gradient, *score;  // n each
  cr_real* memory;
};

static cr_status make(cr_smoothed_objective* s, cr_error* error) {
  size_t n = (size_t)s->p.n;
  CR_TRY(cri_estimator_check(&s->o, error));
  CR_TRY(cri_draws_make(&s->draws, &s->o, s->p.n, error));
  CR_TRY(cri_moments_make(&s->sums, s->p.n, cri_draws_group(&s->draws), s->o.kind, error));
  cr_real* at = s->memory = calloc(5 * n, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory for %d numbers", s->p.n);
  }
  cr_real** const rows[] = {&s->lower, &s->upper, &s->x, &s->gradient, &s->score};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++, at += n) {
    *rows[i] = at;
  }
  for (size_t i = 0; i < n; i++) {
    s->lower[i] = s->p.lower != NULL ? s->p.lower[i] : -(cr_real)INFINITY;
    s->upper[i] = s->p.upper != NULL ? s->p.upper[i] : (cr_real)INFINITY;
  }
  s->p.lower = s->p.upper = NULL;  // what options and problem point to need not outlive this call
  s->o.sigma = s->o.covariance = NULL;
  return CR_OK;
}

cr_status cr_smoothed_objective_create(cr_smoothed_objective** out,
                                       const cr_minimise_problem* problem,
                                       const cr_estimator_options* options, cr_error* error) {
  const cri_call call = {"cr_smoothed_objective_create", error};
  CR_TRY(cri_given(&call, out, "where the objective goes"));
  CR_TRY(cri_given(&call, problem, "the problem"));
  CR_TRY(cri_check_size(&call, problem->size, sizeof *problem, "cr_minimise_problem"));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_estimator_options"));
  if (problem->n < 1 || problem->evaluate == NULL) {
    return cri_fail(error, CR_ERR_ARG, "%s: %s", call.name,
                    problem->n < 1 ? "no numbers" : "no function");
  }
  cr_smoothed_objective* s = calloc(1, sizeof *s);
  if (s == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory");
  }
  s->p = *problem;
  s->o = *options;
  cr_status status = make(s, error);
  if (status != CR_OK) {
    cr_smoothed_objective_destroy(s);
    return status;
  }
  *out = s;
  return CR_OK;
}

void cr_smoothed_objective_destroy(cr_smoothed_objective* s) {
  if (s != NULL) {
    cri_draws_free(&s->draws);
    cri_moments_free(&s->sums);
    free(s->memory);
    free(s);
  }
}

// [estimator.o1]
static cr_status add_sample(cr_smoothed_objective* s, int i, int batch, const cr_real* x,
                            cr_error* error) {
  cr_real value;
  cr_error inner = {0};
  cri_draws_get(&s->draws, i, s->x, s->sums.by_loss ? s->score : NULL);
  for (int k = 0; k < s->p.n; k++) {
    s->x[k] = cr_clip(x[k] + s->x[k], s->lower[k], s->upper[k]);
  }
  cr_status status = s->p.evaluate(s->p.context, batch, s->x, &value, s->gradient, &inner);
  if (status == CR_OK && !isfinite(value)) {
    status = cri_fail(&inner, CR_ERR_NONFINITE, "the value is not finite");
  }
  if (status != CR_OK) {
    return cri_fail(error, status, "sample %d: %s", i, inner.text);
  }
  for (int k = 0; k < s->p.n; k++) {
    bool held = s->x[k] <= s->lower[k] || s->x[k] >= s->upper[k];
    s->gradient[k] = held ? 0 : s->gradient[k];
  }
  cri_moments_add(&s->sums, value, s->gradient, s->score);
  return CR_OK;
}

cr_status cr_smoothed_objective_evaluate(void* smoothed, int batch, const cr_real* x,
                                         cr_real* value, cr_real* gradient, cr_error* error) {
  const cri_call call = {"cr_smoothed_objective_evaluate", error};
  cr_smoothed_objective* s = smoothed;
  CR_TRY(cri_given(&call, s, "the objective"));
  CR_TRY(cri_given(&call, x, "x"));
  CR_TRY(cri_given(&call, value, "where the value goes"));
  cr_real here = 0;
  CR_TRY(s->sums.by_loss ? s->p.evaluate(s->p.context, batch, x, &here, s->gradient, error)
                         : CR_OK);
  cri_moments_begin(&s->sums, here);
  for (int i = 0; i < s->o.samples; i++) {
    if (s->o.stop != NULL && s->o.stop(s->o.context)) {
      return cri_fail(error, CR_ERR_INTERRUPTED, "estimator: interrupted at sample %d", i);
    }
    CR_TRY(add_sample(s, i, batch, x, error));
  }
  cr_smoothed_gradient to = {.size = sizeof to, .gradient = gradient};
  cri_moments_estimate(&s->sums, &s->o, &to);
  *value = to.mean;
  return CR_OK;
}
