// SPDX-License-Identifier: Apache-2.0
// carom grad --jacobian --estimator: the linear model of a step that noise has smoothed.
#ifndef CR_CLI_GRAD_LINEAR_H
#define CR_CLI_GRAD_LINEAR_H

#include "cli/grad_estimate.h"

/// Prints A, B and c of the mean of the last step of a rollout, or of one step if no time is given (NaN), with errors, as JSON or CSV;
/// writes the CSV to a file if `csv` names one. The ranks, which are open, share the samples; the first one prints and writes. --sigma is of qpos, qvel, act and ctrl; without it a name has no noise.
/// Errors   CR_ERR_ARG naming the option; those of cr_smoothed_model
cr_status cr_cli_grad_linear(cr_setup* setup, cr_setup_options options,
                             const cr_estimate_options* estimate, const char* csv, cr_ranks* ranks,
                             cr_error* error);

#endif
