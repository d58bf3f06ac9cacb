// SPDX-License-Identifier: Apache-2.0
// The lines of a report: what is told of every parameter, delay and offset of a fit of measured runs.
#ifndef CR_RUNS_FIT_LINES_H
#define CR_RUNS_FIT_LINES_H

#include "runs/fit_setup.h"

/// Names and starts, and which lines --profile asks for.
/// Errors   CR_ERR_NAME: --profile names what is not estimated; CR_ERR_ARG: what has no profile; CR_ERR_MEMORY
cr_status cr_fit_lines_begin(cr_runs_fit* f, cr_error* error);

/// After the search: values and intervals.
/// Errors   those of cr_identification_profile
cr_status cr_fit_lines_find(cr_runs_fit* f, cr_error* error);

#endif
