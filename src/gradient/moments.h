// SPDX-License-Identifier: Apache-2.0
// Means, variances and covariance of samples of a gradient of first and of zeroth order, and the estimate made of them.
// docs/derivations/estimator.md has the equations.
#ifndef CR_GRADIENT_MOMENTS_H
#define CR_GRADIENT_MOMENTS_H

#include "base/status.h"
#include "carom/estimator.h"

/// Sums over the groups so far, and those of the group that is being filled. A group has samples whose mean is independent of
/// those of other groups.
typedef struct {
  int n, group, samples, groups, filled;
  bool first, zeroth;             // which order there is
  cr_real loss, loss_square;      // mean, sum of squares about it
  cr_real *F, *Z, *FF, *ZZ, *FZ;  // n each: means, sums of squares and products about them
  cr_real group_loss, *group_F, *group_Z;
  cr_real largest;  // norm of a summand of Z
  cr_real* memory;
} cri_moments;

/// For n numbers and groups of `group` samples. Free with cri_moments_free, also after an error.
/// Errors   CR_ERR_MEMORY
cr_status cri_moments_make(cri_moments* s, int n, int group, cr_estimator_kind kind,
                           cr_error* error);
void cri_moments_free(cri_moments* s);

/// Begins again, without samples.
void cri_moments_clear(cri_moments* s);

/// Adds a sample: its loss, its gradient f[n] and its summand z[n] of the zeroth order; one that the kind does not have may be
/// NULL. The order of samples decides the last digits.
void cri_moments_add(cri_moments* s, cr_real loss, const cr_real* f, const cr_real* z);

/// The estimate of a baseline, the loss without noise, and of the samples of at least two whole groups. Of the options it reads kind,
/// confidence, bias and bound.
void cri_moments_estimate(const cri_moments* s, const cr_estimator_options* o, cr_real baseline,
                          cr_smoothed_gradient* to);

/// Checks kind, confidence, bias and bound.
/// Errors   CR_ERR_ARG
cr_status cri_moments_check(const cr_estimator_options* o, cr_error* error);

#endif
