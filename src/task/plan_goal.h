// SPDX-License-Identifier: Apache-2.0
// Goals of a task: numbers of a motion, and since when each is at most its limit. Goals judge a motion; no planner sees them.
#ifndef CR_TASK_PLAN_GOAL_H
#define CR_TASK_PLAN_GOAL_H

#include "task/plan_task.h"

typedef struct {
  double value;  // at the end
  double since;  // s, the time from which on it is at most the limit; NAN if it is above at the end
} cr_goal_result;

/// What a motion came to.
typedef struct {
  cr_real* parts;  // ncost: what each term of the cost adds
  cr_real cost;    // their sum
  cr_goal_result goals[CR_TASK_MOST];
} cr_plan_outcome;

typedef struct {
  const cr_plan_task* task;
  const cr_model* m;
  cr_loss cost;  // of the motion
  cr_goal_result* results;
  cr_expression* expressions[CR_TASK_MOST];
} cr_plan_goals;

/// Goals of a motion of m, with the cost of this motion; results[ngoal] are filled while it is evaluated. All must outlive g, and g must
/// stay where it is. Free with cr_plan_goals_free, also after an error.
/// Errors   CR_ERR_MEMORY
cr_status cr_plan_goals_make(cr_plan_goals* g, const cr_plan_task* task, const cr_model* m,
                             const cr_loss* cost, cr_goal_result* results, cr_error* error);
void cr_plan_goals_free(cr_plan_goals* g);

/// The cost as a loss of a rollout; its value notes the goals of the state too. It has no gradient.
cr_loss cr_plan_goals_loss(cr_plan_goals* g);

#endif
