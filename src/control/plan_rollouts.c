// SPDX-License-Identifier: Apache-2.0
// Candidates of a planner: rollouts with their costs and gradients.
#include "control/planner.h"
#include "integrate/inputs.h"

// what ends the planner and not only the candidate
static bool is_fatal(cr_status status) { return status == CR_ERR_MEMORY || status == CR_ERR_ARG; }

cr_status cri_plan_run(cr_planner* p, int worker, cr_real* cost) {
  cri_plan_worker* w = &p->workers[worker];
  cri_inputs_copy(p->m, w->rollout->d, p->start);
  cr_status status = cr_rollout_run(w->rollout, p->m, p->o.nstep, &w->loss, &w->error);
  *cost = status == CR_OK ? w->rollout->loss : (cr_real)INFINITY;
  return is_fatal(status) ? status : CR_OK;
}

cr_status cri_plan_cost(cr_planner* p, int worker, const cr_real* knots, cr_real* cost) {
  cri_controls_spread(&p->controls, knots, p->workers[worker].rollout->ctrl);
  return cri_plan_run(p, worker, cost);
}

cr_status cri_plan_gradient(cr_planner* p, int worker, const cr_real* knots, cr_real* cost,
                            cr_real* gradient) {
  cri_plan_worker* w = &p->workers[worker];
  CR_TRY(cri_plan_cost(p, worker, knots, cost));
  if (!isfinite(*cost)) {
    return CR_OK;
  }
  cr_status status = cr_rollout_gradient(w->rollout, p->m, p->backward, &w->loss, &w->error);
  if (status != CR_OK) {
    *cost = (cr_real)INFINITY;
    return is_fatal(status) ? status : CR_OK;
  }
  cri_controls_gather(&p->controls, knots, w->rollout->ctrl_bar, gradient);
  for (int i = 0; i < p->n; i++) {
    if (!isfinite(gradient[i])) {
      *cost = (cr_real)INFINITY;
      (void)cri_fail(&w->error, CR_ERR_NONFINITE, "number %d of the gradient is not finite", i);
    }
  }
  return CR_OK;
}

typedef struct {
  cr_planner* p;
  const cr_real* candidates;
  cr_real* costs;
} costs_round;

static cr_status cost_of(void* context, int item, int worker) {
  const costs_round* round = context;
  const cr_real* knots = round->candidates + (ptrdiff_t)item * round->p->n;
  return cri_plan_cost(round->p, worker, knots, &round->costs[item]);
}

cr_status cri_plan_costs(cr_planner* p, int count, const cr_real* candidates, cr_real* costs) {
  costs_round round = {p, candidates, costs};
  CR_TRY(cr_pool_run(p->pool, count, cost_of, &round));
  p->rollouts += count;
  for (int i = 0; i < count; i++) {
    p->failed += !isfinite(costs[i]);
  }
  return CR_OK;
}

void cri_plan_take(cr_planner* p, const cr_real* knots, cr_real cost) {
  if (isfinite(cost) && (!p->known || cost < p->cost)) {
    cr_copy(p->knots, knots, p->n);
    p->cost = cost;
    p->known = true;
  }
}

int cri_plan_lowest(const cr_real* costs, int count) {
  int best = 0;
  for (int i = 1; i < count; i++) {
    best = costs[i] < costs[best] ? i : best;
  }
  return best;
}
