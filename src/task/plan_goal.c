// SPDX-License-Identifier: Apache-2.0
#include "task/plan_goal.h"

#include <math.h>

cr_status cr_plan_goals_make(cr_plan_goals* g, const cr_plan_task* task, const cr_model* m,
                             const cr_loss* cost, cr_goal_result* results, cr_error* error) {
  *g = (cr_plan_goals){.task = task, .m = m, .cost = *cost, .results = results};
  for (int i = 0; i < task->ngoal; i++) {
    CR_TRY(cr_expression_create(&g->expressions[i], m, task->goals[i].of, error));
    results[i] = (cr_goal_result){(double)NAN, (double)NAN};
  }
  return CR_OK;
}

void cr_plan_goals_free(cr_plan_goals* g) {
  for (int i = 0; g->task != NULL && i < g->task->ngoal; i++) {
    cr_expression_destroy(g->expressions[i]);
  }
}

static bool every_step(const void* context, int step, int nstep) {
  (void)context;
  (void)nstep;
  return step > 0;
}

static cr_status note(void* context, const cr_model* m, const cr_data* d, int step, cr_real* loss) {
  cr_plan_goals* g = context;
  for (int i = 0; i < g->task->ngoal; i++) {
    cr_goal_result* r = &g->results[i];
    const cr_loss of = cr_expression_loss(g->expressions[i], true);
    cr_real value = 0;
    CR_TRY(of.value(of.context, m, d, step, &value));
    r->value = (double)value;
    if (!(r->value <= g->task->goals[i].below)) {
      r->since = (double)NAN;
    } else if (isnan(r->since)) {
      r->since = (double)cr_data_time(d);
    }
  }
  return g->cost.value(g->cost.context, m, d, step, loss);
}

cr_loss cr_plan_goals_loss(cr_plan_goals* g) {
  return (cr_loss){.context = g, .looks_at = every_step, .value = note, .needs_fields = true};
}
