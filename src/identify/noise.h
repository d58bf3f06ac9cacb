// SPDX-License-Identifier: Apache-2.0
// Errors of places, summed over runs, and the noises that they show.
#ifndef CR_IDENTIFY_NOISE_H
#define CR_IDENTIFY_NOISE_H

#include "identify/search.h"

/// Sums over the numbers that were seen of a place: errors e, each with the next of its window, and the numbers s.
typedef struct {
  int64_t n, pairs;
  cr_real ee, e_next, s, ss;
} cri_place_sums;

/// Runs a window once more on the calling thread, without derivatives.
cr_status cri_noise_see(cri_search* search, int span, cri_see* see, void* context, cr_error* error);

/// Sums of windows first ... first + n - 1 at the problem's present point.
/// Shapes   sums[nplace]
cr_status cri_noise_sum(cri_search* search, int first, int n, cri_place_sums* sums,
                        cr_error* error);

/// Noises to begin with, of places without a given one: a hundredth of how far the signal spreads.
void cri_noise_guess(cri_problem* problem);

/// Noises as the errors show them, of places without a given one; returns the largest relative change.
/// Equation noise^2 = sum e^2 / (n (1 - unknowns / numbers seen))
cr_real cri_noise_update(cri_problem* problem, const cri_place_sums* sums);

/// Numbers that were seen; numbers that are free, of x and of the starts to train on.
cr_real cri_numbers_seen(const cri_problem* problem, const cri_place_sums* sums);
cr_real cri_unknowns(const cri_problem* problem);

#endif
