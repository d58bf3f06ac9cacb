// SPDX-License-Identifier: Apache-2.0
// carom train of a task: a policy learns to keep the cost of a motion low.
#ifndef CR_CLI_TRAIN_POLICY_H
#define CR_CLI_TRAIN_POLICY_H

#include "base/status.h"

/// True if the file is a task in YAML with observations of a policy.
bool cr_train_is_task(const char* path);

/// carom train for such a file; the exit code.
int cr_cli_train_policy(int argc, char** argv);

#endif
