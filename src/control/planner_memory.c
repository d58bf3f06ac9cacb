// SPDX-License-Identifier: Apache-2.0
// What a planner goes on from, as numbers.
#include <string.h>

#include "control/planner.h"

static void numbers(cr_planner* p, cri_plan_numbers* v) {
  cri_numbers_of(v, p->knots, (size_t)p->n);
  cri_numbers_of(v, &p->cost, 1);
  cri_numbers_bool(v, &p->known);
  cri_numbers_int(v, &p->iterations);
  cri_numbers_of(v, &p->regularisation, 1);
  cri_numbers_of(v, &p->gradient, 1);
  p->method->numbers(p, v);
}

size_t cr_planner_memory_size(const cr_planner* planner) {
  if (planner == NULL) {
    return 0;
  }
  cr_planner* p = (cr_planner*)(uintptr_t)planner;  // counting changes nothing
  cri_plan_numbers v = {.pass = CRI_NUMBERS_COUNT};
  numbers(p, &v);
  return v.n;
}

cr_status cr_planner_get_memory(const cr_planner* planner, cr_real* memory, cr_error* error) {
  const cri_call call = {"cr_planner_get_memory", error};
  CR_TRY(cri_given(&call, planner, "the planner"));
  CR_TRY(cri_given(&call, memory, "the memory"));
  cr_planner* p = (cr_planner*)(uintptr_t)planner;  // reading changes nothing
  cri_plan_numbers v = {.pass = CRI_NUMBERS_GET, .at = memory};
  numbers(p, &v);
  return CR_OK;
}

// that the plan costs here what it did: a memory says nothing of model, start and cost
static cr_status check_cost(cr_planner* p, cr_error* error) {
  cr_real cost;
  if (!p->known) {
    return CR_OK;
  }
  CR_TRY(cri_plan_cost(p, 0, p->knots, &cost));
  if (cr_abs(cost - p->cost) <= CR_R(1e-9) * cr_abs(p->cost)) {
    return CR_OK;
  }
  return cri_fail(error, CR_ERR_ARG,
                  "plan: the remembered plan costs %.9g here, not %.9g: model, start or cost is "
                  "another; make a new plan",
                  (double)cost, (double)p->cost);
}

cr_status cr_planner_set_memory(cr_planner* p, const cr_real* memory, size_t n, cr_error* error) {
  const cri_call call = {"cr_planner_set_memory", error};
  CR_TRY(cri_given(&call, p, "the planner"));
  CR_TRY(cri_given(&call, memory, "the memory"));
  size_t own = cr_planner_memory_size(p);
  if (n != own) {
    return cri_fail(error, CR_ERR_ARG,
                    "plan: a memory of %zu numbers is of another planner; this one has %zu", n,
                    own);
  }
  cri_plan_numbers v = {.pass = CRI_NUMBERS_SET, .at = (cr_real*)(uintptr_t)memory};
  numbers(p, &v);
  cri_controls_spread(&p->controls, p->knots, p->ctrl);
  cr_status status = check_cost(p, error);
  if (status != CR_OK) {  // what is known belongs to something else
    cr_planner_restart(p);
  }
  return status;
}
