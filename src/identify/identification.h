// SPDX-License-Identifier: Apache-2.0
// An identification as the calls of carom/identify.h see it: the search, and what it found.
#ifndef CR_IDENTIFY_IDENTIFICATION_H
#define CR_IDENTIFY_IDENTIFICATION_H

#include "identify/inference.h"
#include "identify/noise.h"
#include "identify/search.h"
#include "model/misuse.h"

enum { CRI_NUMBER_NAME = 192 };

struct cr_identification {
  cri_search search;
  cr_identification_options options;
  const cr_measurements* measurements;
  char (*names)[CRI_NUMBER_NAME];  // of the numbers, then of what parameters report
  bool solved, held_fitted;
  bool trained;             // solved by cr_identification_train or _take: without intervals
  cr_real freedom, excess;  // degrees of freedom; chi^2 over them, at least 1
  cri_inference inference;
  cri_place_sums* sums[2];  // of a part, of every place
  const char** places;      // of options.delayed and options.shifted
};

/// CR_ERR_ARG where the identification or x is missing, or a number of x is not finite.
cr_status cri_identification_check_x(const cri_call* call, const cr_identification* id,
                                     const cr_real* x);

/// Everything of a search but what it tells: the coarse stage, then rounds with other noises, from the problem's x. x_fixed: only
/// starts and noises are found.
cr_status cri_identification_rounds(cr_identification* id, const cr_search* search, bool x_fixed,
                                    cr_search_end* end, cr_error* error);

/// Starts of the runs held aside, at the present x.
cr_status cri_identification_fit_held(cr_identification* id, cr_error* error);

/// True if errors of a place follow each other: their correlation with the next is beyond twice what white noise has.
bool cri_identification_follows(const cr_identification* id, int place);

/// Number i itself, of parameters p, where x_i is d away from its present value.
cr_real cri_identification_number(const cri_problem* problem, int i, cr_real d);

/// Estimate i with the interval that the covariance gives, of a solution.
void cri_identification_estimate(const cr_identification* id, int i, cr_estimate* estimate);

/// Checks of arguments: x[n] that is finite; number i of n of a solution, and where the estimate goes.
cr_status cri_identification_check_x(const cri_call* call, const cr_identification* id,
                                     const cr_real* x);
cr_status cri_identification_check_estimate(const cri_call* call, const cr_identification* id,
                                            int i, int n, const cr_estimate* estimate);

#endif
