// SPDX-License-Identifier: Apache-2.0
// Samples of a normal distribution with mean 0: the same for a seed, whoever asks for them in whatever order.
#ifndef CR_GRADIENT_DRAWS_H
#define CR_GRADIENT_DRAWS_H

#include "base/random.h"
#include "base/status.h"
#include "carom/estimator.h"

/// Independent halves of quasi-random draws; a group of samples is one draw of an estimate.
enum { CRI_DRAWS_REPLICATES = 8 };

typedef struct {
  cr_draws kind;
  int n, samples;
  uint64_t seed;
  cr_real* sigma;    // n; or
  cr_real* L;        // n x n, lower: the covariance is L L'
  int32_t* base;     // n primes, of QUASI
  uint64_t* digits;  // n seeds of the digits' scrambling
} cri_draws;

/// Errors   CR_ERR_ARG for a distribution or a number of samples that is none; CR_ERR_MEMORY. Free with cri_draws_free, also
///          after an error.
cr_status cri_draws_make(cri_draws* draws, const cr_estimator_options* options, int n,
                         cr_error* error);
void cri_draws_free(cri_draws* draws);

/// Other samples, those of another seed. Allocates nothing.
void cri_draws_renew(cri_draws* draws, uint64_t seed);

/// Samples of a group: their mean is independent of those of other groups. Groups follow each other.
int cri_draws_group(const cri_draws* draws);

/// w[n], and, unless NULL, the derivative of -log of the density, Sigma^-1 w (0 where sigma is).
void cri_draws_get(const cri_draws* draws, int sample, cr_real* w, cr_real* score);

#endif
