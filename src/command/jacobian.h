// SPDX-License-Identifier: Apache-2.0
// carom grad --jacobian: the derivative of the state after a step by the state before it.
#ifndef CR_COMMAND_JACOBIAN_H
#define CR_COMMAND_JACOBIAN_H

#include "command/setup.h"

/// Loads the model, and puts the state before the last step of a rollout, with its control, into the rollout's data.
cr_status cr_cli_jacobian_prepare(cr_setup* setup, cr_setup_options* options, cr_error* error);

/// Prints the Jacobian of the last step of a rollout, or of one step if no time is given
/// (NaN), as JSON or CSV; writes the CSV to a file if `csv` names one. By the parameters in `wrt`
/// too.
cr_status cr_cli_jacobian(cr_setup* setup, cr_setup_options options, const cr_text_list* wrt,
                          const char* csv, cr_error* error);

#endif
