// SPDX-License-Identifier: Apache-2.0
// Motions of carom plan: that of a plan, and that of a plant which follows one plan after another.
#ifndef CR_TASK_PLAN_MOTION_H
#define CR_TASK_PLAN_MOTION_H

#include "task/plan_goal.h"

/// The motion of the plan, or of a policy (NULL: none), from the start, written to an HDF5 file as cr_rollout_save does.
cr_status cr_plan_motion(cr_plan_task* task, cr_policy* policy, const char* path,
                         cr_plan_outcome* outcome, cr_error* error);

/// What a motion in real time came to.
typedef struct {
  double seconds;  // of the motion
  int steps;
  int missed;  // steps that were not done when the next one was due; the clock is set back by what they were late
  double mean_age;  // steps, of the plan that gave a control
  cr_live_report live;
} cr_plan_pace;

typedef struct {
  void* context;
  cr_status (*replan)(void* context, int step, cr_error* error);
  bool (*stop)(void* context);
  cr_plan_pace*
      pace;  // not NULL: in real time, with a planner beside that plans on its own; replan is not called
} cr_plan_loop;

/// Plans, moves the plant `every` steps, and so on for the time of the task. The plant's controls have noise and come late, as `mpc`
/// says. In real time the planner has a thread of its own and the plant moves when the clock says. Writes time, qpos, qvel, act and ctrl; the cost is that of the plant's motion, with its end.
cr_status cr_plan_follow(cr_plan_task* task, const cr_plan_loop* loop, const char* path,
                         cr_plan_outcome* outcome, cr_error* error);

#endif
