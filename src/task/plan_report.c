// SPDX-License-Identifier: Apache-2.0
#include "task/plan_report.h"

#include <math.h>
#include <stdio.h>

static void print_goals(const cr_plan_task* t, const cr_plan_outcome* outcome) {
  if (t->ngoal > 0) {
    (void)printf("%-20s %14s %14s %14s\n", "goal", "at the end", "below", "since, s");
  }
  for (int i = 0; i < t->ngoal; i++) {
    const cr_goal_result* r = &outcome->goals[i];
    char since[32] = "not reached";
    if (!isnan(r->since)) {
      (void)snprintf(since, sizeof since, "%.4g", r->since);
    }
    (void)printf("%-20s %14.6g %14.6g %14s\n", t->goals[i].name, r->value, t->goals[i].below,
                 since);
  }
}

void cr_plan_report_print(const cr_plan_task* t, const cr_plan_outcome* outcome,
                          const char* heading) {
  (void)printf("%-20s %14s\n", "term", heading);
  for (int i = 0; i < cr_cost_count(t->cost); i++) {
    (void)printf("%-20s %14.6g\n", cr_cost_name(t->cost, i), (double)outcome->parts[i]);
  }
  (void)printf("%-20s %14.6g\n", "all", (double)outcome->cost);
  print_goals(t, outcome);
}

// a goal that was not reached has no time: null
static void json_goals(const cr_plan_task* t, const cr_plan_outcome* outcome, cr_json* j) {
  cr_json_open(j, "goals", '{');
  for (int i = 0; i < t->ngoal; i++) {
    const cr_goal_result* r = &outcome->goals[i];
    cr_json_open(j, t->goals[i].name, '{');
    cr_json_real(j, "value", (cr_real)r->value);
    cr_json_real(j, "below", (cr_real)t->goals[i].below);
    cr_json_real(j, "since", (cr_real)r->since);
    cr_json_close(j, '}');
  }
  cr_json_close(j, '}');
}

void cr_plan_report_json(const cr_plan_task* t, const cr_plan_outcome* outcome, cr_json* j) {
  cr_json_real(j, "cost", outcome->cost);
  cr_json_open(j, "terms", '{');
  for (int i = 0; i < cr_cost_count(t->cost); i++) {
    cr_json_real(j, cr_cost_name(t->cost, i), outcome->parts[i]);
  }
  cr_json_close(j, '}');
  json_goals(t, outcome, j);
}
