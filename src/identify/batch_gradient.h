// SPDX-License-Identifier: Apache-2.0
// The cost of some windows and its gradient, by sweeps back on a pool of threads.
#ifndef CR_IDENTIFY_BATCH_GRADIENT_H
#define CR_IDENTIFY_BATCH_GRADIENT_H

#include "identify/search.h"

/// Cost of windows window[0 ... n - 1] at the point of the last cri_search_move, from their starts, which are held, and how many
/// numbers were seen; its gradient by x where x_bar is not NULL. Without priors, and without what continuity adds.
/// Equation the sums of cri_window_adjoint_run, in the order of the list            [identification.m12]
/// Shapes   x_bar[p.n], overwritten
/// Threads  the same bits for any number of them
/// Errors   CR_ERR_INTERRUPTED; CR_ERR_MEMORY; those of cri_window_adjoint_run, of the first window that fails
cr_status cri_gradient_of(cri_search* search, const int* window, int n, cr_real* cost,
                          int64_t* numbers, cr_real* x_bar, cr_error* error);

#endif
