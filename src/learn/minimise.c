// SPDX-License-Identifier: Apache-2.0
// The public optimisers. See carom/minimise.h; L-BFGS is in lbfgs_nlopt.c.
#include "learn/minimise.h"

#include <stdlib.h>

#include "learn/adam.h"
#include "model/misuse.h"

static cr_status evaluate(void* context, int batch, const cr_real* x, cr_evaluation* result,
                          cr_error* error) {
  const cr_minimise_problem* p = context;
  CR_TRY(p->evaluate(p->context, batch, x, &result->value, result->gradient, error));
  return isfinite(result->value) ? CR_OK
                                 : cri_fail(error, CR_ERR_NONFINITE, "the value is not finite");
}

static cr_status check(const cri_call* call, const cr_minimise_problem* p, const cr_real* x) {
  CR_TRY(cri_given(call, p, "the problem"));
  CR_TRY(cri_given(call, x, "x"));
  CR_TRY(cri_check_size(call, p->size, sizeof *p, "cr_minimise_problem"));
  const char* wrong = p->n < 1 ? "no numbers" : p->evaluate == NULL ? "no function" : NULL;
  return wrong == NULL ? CR_OK : cri_fail(call->error, CR_ERR_ARG, "%s: %s", call->name, wrong);
}

cr_status cri_minimise_begin(const cri_call* call, const cr_minimise_problem* p, const cr_real* x,
                             cr_objective* objective, cr_real** bounds) {
  CR_TRY(check(call, p, x));
  cr_real* b = malloc(2 * (size_t)p->n * sizeof *b);
  if (b == NULL) {
    return cri_fail(call->error, CR_ERR_MEMORY, "%s: no memory for %d numbers", call->name, p->n);
  }
  for (int i = 0; i < p->n; i++) {
    b[i] = p->lower != NULL ? p->lower[i] : -(cr_real)INFINITY;
    b[p->n + i] = p->upper != NULL ? p->upper[i] : (cr_real)INFINITY;
    if (!(b[i] <= x[i] && x[i] <= b[p->n + i])) {
      free(b);
      return cri_fail(call->error, CR_ERR_ARG, "%s: x[%d] is not between its bounds", call->name,
                      i);
    }
  }
  *objective = (cr_objective){.context = (void*)(uintptr_t)p, .n = p->n, .evaluate = evaluate};
  *bounds = b;
  return CR_OK;
}

// zero stands for a default, what is below it for none
static cr_real number(cr_real x, cr_real otherwise) { return x == 0 ? otherwise : cr_max(x, 0); }

cr_status cr_minimise_adam(const cr_minimise_problem* p, const cr_adam_options* o, cr_real* x,
                           const char** reason, cr_error* error) {
  const char* why = "";
  cr_objective objective;
  cr_real* bounds;
  const cri_call call = {"cr_minimise_adam", error};
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_adam_options"));
  CR_TRY(cri_minimise_begin(&call, p, x, &objective, &bounds));
  bool sane = o->iterations >= 0 && o->rate > 0 && o->final_rate >= 0 && o->weight_decay >= 0;
  const cr_adam adam = {.iterations = o->iterations,
                        .rate = o->rate,
                        .final_rate = o->final_rate > 0 ? o->final_rate : o->rate,
                        .b1 = number(o->b1, CR_R(0.9)),
                        .b2 = number(o->b2, CR_R(0.999)),
                        .eps = number(o->eps, CR_R(1e-8)),
                        .tolerance = o->tolerance,
                        .batches = o->batches,
                        .keep_best = o->keep_best,
                        .decay = o->weight_decay};
  cr_status status =
      !sane ? cri_fail(error, CR_ERR_ARG, "cr_minimise_adam: iterations and a rate expected")
            : cri_adam_minimise(&adam, &objective, bounds, bounds + p->n, x, &why, error);
  free(bounds);
  if (reason != NULL) {
    *reason = why;
  }
  return status;
}
