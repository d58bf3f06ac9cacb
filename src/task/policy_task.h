// SPDX-License-Identifier: Apache-2.0
// The policy of a task, in training: what `observe`, `policy`, `train`, `spread` and `vary` ask for.
#ifndef CR_TASK_POLICY_TASK_H
#define CR_TASK_POLICY_TASK_H

#include "task/plan_task.h"

/// How a training runs; none of it but the seed changes its digits.
typedef struct {
  int seed, nthread;
  bool (*stop)(void* context);
  const cr_processes* processes;
} cr_policy_task_options;

/// A training from the task's start, with the first weights of its seed. The task has to outlive it.
/// Owner    the caller, cr_policy_training_destroy
/// Errors   CR_ERR_FORMAT naming the key; those of cr_policy_training_create
cr_status cr_policy_task_create(cr_policy_training** training, const cr_plan_task* task,
                                const cr_policy_task_options* options, cr_error* error);

#endif
