// SPDX-License-Identifier: Apache-2.0
// The search of cr_minimise_global, with or without L-BFGS. carom/minimise.h documents it.
#ifndef CR_SEARCH_GLOBAL_H
#define CR_SEARCH_GLOBAL_H

#include "search/worker.h"

/// cr_minimise_global; lbfgs NULL: a library without NLopt.
cr_status cri_minimise_global(const cr_global_problem* problem, const cr_global_options* options,
                              cri_gradient_search* lbfgs, cr_real* x, cr_global_result* result,
                              cr_error* error);

#endif
