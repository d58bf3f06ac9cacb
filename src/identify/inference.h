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
  cr_real limit;   // of the spread of a direction that is told
} cri_inference;

/// From H = J'J (states at the starts eliminated) and the scale of every number, so much of it is no news.
/// Equation S H S = V diag(l) V'; spread 1/sqrt(l), infinite where l is round-off; covariance = S V diag(1/l) V' S over the finite
///          ones; a number is told as cri_inference_deviation says of it         [identification.m5]
/// Shapes   H[n n], scale[n]
/// Errors   CR_ERR_MEMORY. Free with cri_inference_free
cr_status cri_inference_of(cri_inference* inference, int n, const cr_real* H, const cr_real* scale,
                           cr_real limit, cr_error* error);
/// Standard deviation of a function of the numbers with this gradient; infinite: the data do not tell it.
/// Equation s^2 = sum (g . S v)^2 / l; not told if S g has more than a thousandth in directions of which the data say nothing (l below
///          round-off), or s > limit |S g|, which is how far it moves where the numbers move by a scale
///                                                                              [identification.m6]
/// Shapes   gradient[n]
cr_real cri_inference_deviation(const cri_inference* inference, const cr_real* gradient);

/// The step that the normal equations still ask for at this gradient, over the directions that are told at all.
/// Equation step = -S V diag(1/l) V' S gradient
/// Shapes   gradient[n], step[n]
void cri_inference_step(const cri_inference* inference, const cr_real* gradient, cr_real* step);

void cri_inference_free(cri_inference* inference);

/// q with P(|t| < q) = confidence for Student's t with so many degrees of freedom, of the normal distribution where they
/// are infinite. Equation expansion in 1/freedom [Abramowitz and Stegun, 26.7.5]; 1e-4 from 5 degrees on
cr_real cri_student(cr_real confidence, cr_real freedom);

#endif
