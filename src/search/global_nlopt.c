// SPDX-License-Identifier: Apache-2.0
// Global searches with NLopt's L-BFGS.
#include "learn/lbfgs_nlopt.h"
#include "search/global.h"

static cr_status descend(const cr_objective* objective, int evaluations, cr_real tolerance,
                         const cr_real* lower, const cr_real* upper, cr_real* x, cr_error* error) {
  const cr_lbfgs lbfgs = {.iterations = evaluations, .tolerance = tolerance};
  const char* reason;
  return cri_lbfgs_minimise(&lbfgs, objective, lower, upper, x, &reason, error);
}

cr_status cr_minimise_global(const cr_global_problem* problem, const cr_global_options* options,
                             cr_real* x, cr_global_result* result, cr_error* error) {
  return cri_minimise_global(problem, options, descend, x, result, error);
}
