// SPDX-License-Identifier: Apache-2.0
// carom bench --plan: what an iteration of a task's planner costs, and what it would cost with differences.
#ifndef CR_TASK_PLAN_BENCH_H
#define CR_TASK_PLAN_BENCH_H

#include "command/options.h"
#include "tools/json.h"

typedef struct {
  const cr_text_list *tasks, *set;
  int rounds, iterations;
  bool markdown, json;
} cr_plan_bench_options;

/// Measures each task and prints it in the requested form, JSON into j.
/// Errors   those of a task; CR_ERR_ARG for a method other than ilqr
cr_status cr_plan_bench(const cr_plan_bench_options* options, cr_json* j, cr_error* error);

#endif
