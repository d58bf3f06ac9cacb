// SPDX-License-Identifier: Apache-2.0
// Sums over samples of a loss under noise, and the estimate of the gradient of its mean that they give. Where the samples come from is
// the caller's matter.
#ifndef CR_GRADIENT_MOMENTS_H
#define CR_GRADIENT_MOMENTS_H

#include "base/status.h"
#include "carom/estimator.h"

/// Sums over the groups so far, and those of the group that is being filled.
typedef struct {
  int n, group;  // numbers; samples of a group
  int groups, filled;
  bool by_gradient, by_loss;
  cr_real baseline, loss, loss_square;  // L(x); mean, sum of squares about it
  cr_real *F, *Z, *FF, *ZZ, *FZ;        // n each: means, sums of squares and products about them
  cr_real group_loss, *group_F, *group_Z;
  cr_real largest;  // norm of a summand of Z
  cr_real* memory;
} cri_moments;

/// Errors   CR_ERR_MEMORY. Free with cri_moments_free, also after an error.
cr_status cri_moments_make(cri_moments* s, int n, int group, cr_estimator_kind kind,
                           cr_error* error);
void cri_moments_free(cri_moments* s);

/// Begins anew, with the loss L(x) without noise. Where samples have several x, `baseline` is set to that of each before it is added.
void cri_moments_begin(cri_moments* s, cr_real baseline);

/// Adds a sample: its loss, its gradient (kinds FIRST and ALPHA) and its score S^-1 w (kinds ZEROTH and ALPHA).
void cri_moments_add(cri_moments* s, cr_real loss, const cr_real* gradient, const cr_real* score);

/// The estimate of at least two groups.
void cri_moments_estimate(const cri_moments* s, const cr_estimator_options* options,
                          cr_smoothed_gradient* estimate);

/// Errors   CR_ERR_ARG: kind, confidence, bias or bound that are none
cr_status cri_estimator_check(const cr_estimator_options* options, cr_error* error);

#endif
