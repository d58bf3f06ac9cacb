// SPDX-License-Identifier: Apache-2.0
// Converts a public problem to an objective. carom/minimise.h documents the public functions.
#ifndef CR_LEARN_MINIMISE_H
#define CR_LEARN_MINIMISE_H

#include "carom/minimise.h"
#include "learn/objective.h"
#include "model/misuse.h"

/// Checks problem and x of a public function. Makes an objective of the problem, which refers to it,
/// and bounds: lower and upper are one piece, to be freed by free(bounds).
/// Errors   CR_ERR_ARG, which begins with the name of the function; CR_ERR_MEMORY
cr_status cri_minimise_begin(const cri_call* call, const cr_minimise_problem* problem,
                             const cr_real* x, cr_objective* objective, cr_real** bounds);

#endif
