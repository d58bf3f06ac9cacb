// SPDX-License-Identifier: Apache-2.0
// A task of carom plan: a YAML file, and the model, start, cost and planner that it asks for.
#ifndef CR_TASK_PLAN_TASK_H
#define CR_TASK_PLAN_TASK_H

#include "carom/carom.h"
#include "command/options.h"
#include "task/plan_keys.h"
#include "tools/files.h"

#define CR_PLAN_MEMBER_REAL double
#define CR_PLAN_MEMBER_INT int
#define CR_PLAN_MEMBER_BOOL bool
#define CR_PLAN_MEMBER_TEXT const char*
#define CR_PLAN_MEMBER_WORD int
#define CR_PLAN_MEMBER(section, key, kind, otherwise, low, high, choices, text) \
  CR_PLAN_MEMBER_##kind key;
typedef struct {
  CR_PLAN_KEYS_TOP(CR_PLAN_MEMBER)
} cr_task_top;
typedef struct {
  CR_PLAN_KEYS_SET(CR_PLAN_MEMBER)
} cr_task_set;
typedef struct {
  CR_PLAN_KEYS_START(CR_PLAN_MEMBER)
} cr_task_start;
typedef struct {
  CR_PLAN_KEYS_COST(CR_PLAN_MEMBER)
} cr_task_cost;
typedef struct {
  CR_PLAN_KEYS_GOAL(CR_PLAN_MEMBER)
} cr_task_goal;
typedef struct {
  CR_PLAN_KEYS_PLANNER(CR_PLAN_MEMBER)
} cr_task_planner;
typedef struct {
  CR_PLAN_KEYS_MPC(CR_PLAN_MEMBER)
} cr_task_mpc;
typedef struct {
  CR_PLAN_KEYS_OBSERVE(CR_PLAN_MEMBER)
} cr_task_observe;
typedef struct {
  CR_PLAN_KEYS_POLICY(CR_PLAN_MEMBER)
} cr_task_policy;
typedef struct {
  CR_PLAN_KEYS_TRAIN(CR_PLAN_MEMBER)
} cr_task_train;
typedef struct {
  CR_PLAN_KEYS_SPREAD(CR_PLAN_MEMBER)
} cr_task_spread;
typedef struct {
  CR_PLAN_KEYS_VARY(CR_PLAN_MEMBER)
} cr_task_vary;
#undef CR_PLAN_MEMBER

enum { CR_TASK_MOST = 64 };

typedef struct {
  void* raw;  // owns the texts
  cr_task_top top;
  cr_task_planner planner;
  cr_task_mpc mpc;
  cr_task_policy policy;
  cr_task_train train;
  cr_task_cost costs[CR_TASK_MOST];
  int ncost;
  cr_task_set sets[CR_TASK_MOST];
  int nset;
  cr_task_start starts[CR_TASK_MOST];
  int nstart;
  cr_task_goal goals[CR_TASK_MOST];
  int ngoal;
  cr_task_observe observes[CR_TASK_MOST];  // of a policy; none: the task has none
  int nobserve;
  cr_task_spread spreads[CR_TASK_MOST];
  int nspread;
  cr_task_vary varies[CR_TASK_MOST];
  int nvary;
  char folder[CR_MAX_PATH];  // of the results
  cr_model *m, *backward, *plant;
  cr_data* start;
  cr_cost* cost;
  cr_planner* planning;
  int nstep, nu;
  double step;  // s
} cr_plan_task;

/// Reads the file, changed by the assignments of --set, and makes everything but its policy (task/policy_task.h). `command`: plan or train, in
/// the name of the folder. Free with cr_plan_task_free, also after an error.
/// Errors   CR_ERR_FILE, CR_ERR_FORMAT, CR_ERR_NAME with file and key; those of the model, the cost, the goals and the planner
cr_status cr_plan_task_read(cr_plan_task* task, const char* path, const cr_text_list* set,
                            const char* command, const char* folder, int nthread, cr_error* error);
void cr_plan_task_free(cr_plan_task* task);

/// The cost of a task's file, or of one that has nothing but `cost`, for a model.
/// Owner    the caller, cr_cost_destroy; the model has to outlive it
/// Errors   as cr_plan_task_read
cr_status cr_plan_task_cost(cr_cost** cost, const cr_model* m, const char* path, cr_error* error);

/// Numbers in a text, with spaces or commas between; `where` begins the sentence of an error.
/// Shapes   values[most]
/// Errors   CR_ERR_FORMAT
cr_status cr_plan_task_numbers(const char* where, const char* text, cr_real* values, int most,
                               int* n, cr_error* error);

#endif
