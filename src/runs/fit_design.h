// SPDX-License-Identifier: Apache-2.0
// carom fit MODEL PLAN... --design: which of planned runs would tell most.
#ifndef CR_RUNS_FIT_DESIGN_H
#define CR_RUNS_FIT_DESIGN_H

#include "runs/fit_runs.h"

/// Puts the plans in order, prints and writes it with the intervals that are expected.
cr_status cr_fit_design(const cr_fit_runs_options* options, bool (*stop)(void* context),
                        cr_error* error);

#endif
