// SPDX-License-Identifier: Apache-2.0
// Motions of one number for each step, or of a single number.
#include "estimates/motion.h"

#include <math.h>
#include <stdlib.h>

#include "base/status.h"

cr_status cri_motion_open(cr_motion* motion, const cr_model* m, const cr_motion_options* options,
                          cr_error* error) {
  *motion = (cr_motion){.loss = options->own,
                        .steps = options->steps,
                        .begin = options->begin,
                        .context = options->context};
  const char* const names[] = {options->name};
  CR_TRY(cr_model_copy(&motion->m, m, error));
  CR_TRY(cr_gradient_create(&motion->gradient, motion->m, options->steps, names, 1, NULL, error));
  motion->n = cr_gradient_count(motion->gradient, 0);
  if (options->loss != NULL) {
    CR_TRY(cr_expression_create(&motion->expression, motion->m, options->loss, error));
    motion->loss = cr_expression_loss(motion->expression, options->every);
  }
  return CR_OK;
}

void cri_motion_close(cr_motion* motion) {
  cr_expression_destroy(motion->expression);
  cr_gradient_destroy(motion->gradient);
  cr_model_destroy(motion->m);
  *motion = (cr_motion){.n = 0};
}

cr_status cri_motion_estimate(const cr_motion* motion, const cr_real* x, cr_real sigma,
                              const cr_estimator_options* options, cr_smoothed_gradient* estimate,
                              cr_error* error) {
  cr_real* sigmas = malloc((size_t)motion->n * sizeof *sigmas);
  CR_TRY(sigmas != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "estimate: no memory"));
  for (int i = 0; i < motion->n; i++) {
    sigmas[i] = sigma;
  }
  cr_estimator_options o = *options;
  o.size = sizeof o;
  o.sigma = sigmas;
  estimate->size = sizeof *estimate;
  cr_status status = motion->begin(motion->context, motion, x, error);
  if (status == CR_OK) {
    status = cr_gradient_estimate(&motion->gradient, &motion->loss, 1, &o, estimate, error);
  }
  free(sigmas);
  return status;
}

static bool failed(cr_status status) {
  return status == CR_ERR_NONFINITE || status == CR_ERR_DIVERGED;
}

// the loss at x alone: a last look
static cr_status look(const cr_motion* motion, const cr_real* x, cr_real* loss, cr_error* error) {
  cr_rollout* rollout = cr_gradient_rollout(motion->gradient);
  CR_TRY(motion->begin(motion->context, motion, x, error));
  CR_TRY(cr_rollout_run(rollout, motion->m, motion->steps, &motion->loss, error));
  *loss = cr_rollout_loss(rollout);
  return CR_OK;
}

static cr_status take(const cr_motion* motion, const cr_motion_descent* descent, int step,
                      cr_real* x, cr_real* gradient, cr_real* loss, cr_real* alpha,
                      cr_error* error) {
  cr_estimator_options o = descent->options;
  o.seed += (uint64_t)step;
  cr_smoothed_gradient estimate = {.gradient = gradient};
  CR_TRY(descent->stop != NULL && descent->stop()
             ? cri_fail(error, CR_ERR_INTERRUPTED, "interrupted")
             : CR_OK);
  CR_TRY(cri_motion_estimate(motion, x, descent->sigma, &o, &estimate, error));
  for (int i = 0; i < motion->n; i++) {
    x[i] -= descent->rate * gradient[i];
  }
  *loss = estimate.loss;
  *alpha = estimate.alpha;
  return CR_OK;
}

cr_status cri_motion_descend(const cr_motion* motion, const cr_motion_descent* descent, cr_real* x,
                             cr_real* losses, cr_real* alphas, cr_error* error) {
  cr_real* gradient = malloc((size_t)motion->n * sizeof *gradient);
  CR_TRY(gradient != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "descent: no memory"));
  cr_status status = CR_OK;
  for (int k = 0; k <= descent->steps; k++) {
    cr_real loss = (cr_real)INFINITY, alpha = (cr_real)NAN;
    if (status == CR_OK) {
      status = k < descent->steps ? take(motion, descent, k, x, gradient, &loss, &alpha, error)
                                  : look(motion, x, &loss, error);
    }
    losses[k] = loss;
    if (alphas != NULL && k < descent->steps) {
      alphas[k] = alpha;
    }
  }
  free(gradient);
  return failed(status) ? CR_OK : status;
}
