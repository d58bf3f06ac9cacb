// SPDX-License-Identifier: Apache-2.0
// Global searches in a library without NLopt.
#include "search/global.h"

cr_status cr_minimise_global(const cr_global_problem* problem, const cr_global_options* options,
                             cr_real* x, cr_global_result* result, cr_error* error) {
  return cri_minimise_global(problem, options, NULL, x, result, error);
}
