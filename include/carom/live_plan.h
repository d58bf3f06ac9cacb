// SPDX-License-Identifier: Apache-2.0
// A planner beside a control loop that never waits for it: the planner improves its plan in a thread of its own, from the
// newest state that the loop has told; the loop takes its controls from the newest plan.
#ifndef CAROM_LIVE_PLAN_H
#define CAROM_LIVE_PLAN_H

#include "carom/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  size_t size;     // sizeof(cr_live_options), set by the caller
  int first;       // iterations before the loop begins [1]
  int iterations;  // of each plan [1]
} cr_live_options;

/// What happened so far.
typedef struct {
  size_t size;      // sizeof(cr_live_report), set by the caller
  int plans;        // published, the first one too
  int failed;       // attempts without a plan: nothing that was tried had a cost
  int age;          // steps from the state of the plan that gave the last control to that control
  int oldest;       // the largest age
  int stale;        // controls behind the end of their plan: the last one held
  cr_error reason;  // why the last attempt failed
} cr_live_report;

/// A planner that runs. One thread, that of the control loop, calls what follows.
typedef struct cr_live_plan cr_live_plan;

/// Makes the first plan from the planner's start, which is the state at step 0, and starts the thread. Nobody else may use the planner,
/// or change its model or that of its cost, until cr_live_plan_destroy, which ends the thread and leaves the planner to its owner.
/// Owner    the caller, cr_live_plan_destroy
/// Errors   those of cr_planner_improve; CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_live_plan_create(cr_live_plan** live, cr_planner* planner,
                                     const cr_live_options* options, cr_error* error);
CR_API void cr_live_plan_destroy(cr_live_plan* live);

/// Tells the state at the begin of a step, counted from 0. Never waits and allocates nothing; a state that the planner had no time to
/// look at is gone.
/// Errors   CR_ERR_ARG: other data, a step before the last one told
CR_API cr_status cr_live_plan_observe(cr_live_plan* live, const cr_data* d, int step,
                                      cr_error* error);

/// The control of a step at the state in d by the newest plan, ILQR with its feedback. Never waits and allocates nothing.
/// Shapes   ctrl[nu]
/// Errors   CR_ERR_ARG
CR_API cr_status cr_live_plan_control(cr_live_plan* live, int step, const cr_data* d, cr_real* ctrl,
                                      cr_error* error);

/// Errors   CR_ERR_ARG
CR_API cr_status cr_live_plan_get_report(const cr_live_plan* live, cr_live_report* report,
                                         cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
