// SPDX-License-Identifier: Apache-2.0
// What a motion of a task came to, as a person and a program read it: the terms of its cost and its goals.
#ifndef CR_TASK_PLAN_REPORT_H
#define CR_TASK_PLAN_REPORT_H

#include "task/plan_goal.h"
#include "tools/json.h"

/// Prints a table of the terms, under `heading`, and one of the goals if there are any.
void cr_plan_report_print(const cr_plan_task* task, const cr_plan_outcome* outcome,
                          const char* heading);

/// Adds cost, terms and goals to an object.
void cr_plan_report_json(const cr_plan_task* task, const cr_plan_outcome* outcome, cr_json* j);

#endif
