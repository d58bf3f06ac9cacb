// SPDX-License-Identifier: Apache-2.0
// An identification as the calls of carom/identify.h see it: the search, and what it found.
#ifndef CR_IDENTIFY_IDENTIFICATION_H
#define CR_IDENTIFY_IDENTIFICATION_H

#include "identify/inference.h"
#include "identify/noise.h"
#include "identify/search.h"

enum { CRI_NUMBER_NAME = 192 };

struct cr_identification {
  cri_search search;
  cr_identification_options options;
  const cr_measurements* measurements;
  char (*names)[CRI_NUMBER_NAME];
  bool solved, held_fitted;
  cr_real freedom, excess;  // degrees of freedom; chi^2 over them, at least 1
  cri_inference inference;
  cri_place_sums* sums[2];  // of a part, of every place
};

/// Starts of the runs held aside, at the present x.
cr_status cri_identification_fit_held(cr_identification* id, cr_error* error);

#endif
