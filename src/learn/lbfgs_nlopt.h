// SPDX-License-Identifier: Apache-2.0
// L-BFGS with bounds, from NLopt (LD_LBFGS).
#ifndef CR_LEARN_LBFGS_NLOPT_H
#define CR_LEARN_LBFGS_NLOPT_H

#include "learn/objective.h"

typedef struct {
  int iterations;  // at most so many evaluations
  cr_real
      tolerance;  // ends when a step changes no x by more than this, or the value by 1e-15 of it
} cr_lbfgs;

/// Minimises from x over all data, with lower <= x <= upper; x is the best point seen.
/// *reason says in a few words why it ended.
/// Errors   those of the objective; CR_ERR_MEMORY; CR_ERR_NONFINITE if a value is not finite
cr_status cri_lbfgs_minimise(const cr_lbfgs* lbfgs, const cr_objective* objective,
                             const cr_real* lower, const cr_real* upper, cr_real* x,
                             const char** reason, cr_error* error);

#endif
