// SPDX-License-Identifier: Apache-2.0
// What carom plan goes on from: the planner's memory and the history of its costs, in one file.
#ifndef CR_TASK_PLAN_MEMORY_H
#define CR_TASK_PLAN_MEMORY_H

#include "task/plan_task.h"

/// One iteration: its number, the cost, seconds since the begin, rollouts, rollouts that failed, seconds of all processors.
enum {
  CR_PLAN_ITERATION,
  CR_PLAN_COST,
  CR_PLAN_SECONDS,
  CR_PLAN_ROLLOUTS,
  CR_PLAN_FAILED,
  CR_PLAN_PROCESSOR,
  CR_PLAN_COLUMNS
};

typedef struct {
  double* row;  // n x columns: of a plan CR_PLAN_COLUMNS
  int n, room;
} cr_plan_history;

/// Adds a row[columns]; all have as many. CR_ERR_MEMORY
cr_status cr_plan_history_add(cr_plan_history* h, const double* row, int columns, cr_error* error);
void cr_plan_history_free(cr_plan_history* h);

/// Writes the file; it is whole at any time.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY
cr_status cr_plan_memory_save(const cr_plan_task* task, const cr_plan_history* h, const char* path,
                              cr_error* error);

/// Takes both back, behind cr_planner_set_start.
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT with the file's name where it belongs to another planner
cr_status cr_plan_memory_read(cr_plan_task* task, cr_plan_history* h, const char* path,
                              cr_error* error);

#endif
