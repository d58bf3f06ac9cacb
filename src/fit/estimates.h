// SPDX-License-Identifier: Apache-2.0
// What a fit of runs estimates, from words: "body_mass[*]", "tied:dof_damping[leg_*]=0.1:0:2", "inertia:shin".
#ifndef CR_FIT_ESTIMATES_H
#define CR_FIT_ESTIMATES_H

#include "carom/parameters.h"

/// Parameters with their texts.
typedef struct {
  cr_parameter_info* items;
  char (*texts)[512];
  int n;
} cr_estimates;

/// Adds the parameters of [KIND:]TARGET[=START[:LOW:HIGH]]. Without KIND every number of the target is a parameter of its own;
/// kinds are the words of cr_fit_kind. Without START the search starts from the
/// model; numbers that may not be negative stay above zero, by their logarithm where they start above it.
/// Errors   CR_ERR_NAME, CR_ERR_ARG with the words; CR_ERR_MEMORY
cr_status cr_estimates_add(cr_estimates* estimates, const cr_model* m, const char* words,
                           cr_error* error);

void cr_estimates_free(cr_estimates* estimates);

#endif
