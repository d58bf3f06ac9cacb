// SPDX-License-Identifier: Apache-2.0
// What least squares say about their numbers: covariance, what is not told, quantiles for intervals.
#ifndef CR_IDENTIFY_INFERENCE_H
#define CR_IDENTIFY_INFERENCE_H

#include "base/real.h"
#include "base/status.h"

/// What an information matrix tells of n numbers. Directions are in units of the numbers' scales.
typedef struct {
  int n;
  cr_real* covariance;  // n n; NaN for numbers that are not told
  cr_real* direction;   // n n, a row each, of unit length: eigenvectors of the scaled matrix
  cr_real*
      spread;  // n: standard deviation along each, in units of the scales; infinite: nothing is told
  bool* told;      // n
  cr_real* scale;  // n
  cr_real widest;  // spread of a direction at round-off
} cri_inference;

/// From H = J'J (states at the starts eliminated) and the scale of every number, so much of it is no news.
/// Equation S H S = V diag(l) V'; spread 1/sqrt(l); a direction is told if spread < limit and l is above round-off; a number is if no
///          direction that is not told has a part of it above 1 %; covariance = S V diag(1/l) V' S over the told ones
///                                                                              [identification.m5]
/// Shapes   H[n n], scale[n]
/// Errors   CR_ERR_MEMORY. Free with cri_inference_free
cr_status cri_inference_of(cri_inference* inference, int n, const cr_real* H, const cr_real* scale,
                           cr_real limit, cr_error* error);

/// Variance of g'x, and whether it is told: its deviation is below limit |g S|, and directions without information, which count with the
/// spread that round-off leaves, have at most 1 % of g S.
/// Shapes   g[n]
bool cri_inference_combine(const cri_inference* inference, const cr_real* g, cr_real limit,
                           cr_real* variance);

void cri_inference_free(cri_inference* inference);

/// q with P(|t| < q) = confidence for Student's t with so many degrees of freedom, of the normal distribution where they
/// are infinite. Equation expansion in 1/freedom [Abramowitz and Stegun, 26.7.5]; 1e-4 from 5 degrees on
cr_real cri_student(cr_real confidence, cr_real freedom);

#endif
