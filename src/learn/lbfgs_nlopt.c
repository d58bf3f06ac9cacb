// SPDX-License-Identifier: Apache-2.0
// L-BFGS through NLopt. An evaluation that fails stops NLopt, and its status is returned. NLopt checks
// a stop and its limit of evaluations only between iterations. In a line search it goes on evaluating,
// and gets infinity without work. A line search that cannot improve ends the search with the best
// point: at the accuracy of a sum over thousands of windows this is the usual end.
#include "learn/lbfgs_nlopt.h"

#include <nlopt.h>
#include <stdlib.h>

#include "learn/minimise.h"

typedef struct {
  const cr_objective* objective;
  nlopt_opt opt;
  int left;  // evaluations
  cr_status status;
  cr_error* error;
  cr_real *best, best_value;
} search;

static double evaluate(unsigned n, const double* x, double* gradient, void* data) {
  search* s = data;
  cr_evaluation e = {.gradient = gradient};
  if (s->status != CR_OK || s->left == 0) {
    (void)nlopt_force_stop(s->opt);
    cr_zero(gradient, (int)n);
    return HUGE_VAL;
  }
  s->left--;
  s->status = s->objective->evaluate(s->objective->context, CR_ALL_DATA, x, &e, s->error);
  if (s->status == CR_OK && !isfinite(e.value)) {
    s->status = cri_fail(s->error, CR_ERR_NONFINITE, "l-bfgs: the loss is not finite");
  }
  if (s->status != CR_OK) {
    (void)nlopt_force_stop(s->opt);
    return HUGE_VAL;
  }
  if (e.value < s->best_value) {
    s->best_value = e.value;
    cr_copy(s->best, x, (int)n);
  }
  return e.value;
}

static const char* words(nlopt_result result, bool all_done) {
  if (all_done) {
    return "all evaluations done";
  }
  switch (result) {
    case NLOPT_XTOL_REACHED:
      return "steps below the tolerance";
    case NLOPT_FTOL_REACHED:
    case NLOPT_SUCCESS:
      return "loss no longer falls";
    default:
      return "no step along the gradient lowers the loss";
  }
}

cr_status cri_lbfgs_minimise(const cr_lbfgs* lbfgs, const cr_objective* objective,
                             const cr_real* lower, const cr_real* upper, cr_real* x,
                             const char** reason, cr_error* error) {
  enum { MAX_N = 256 };
  double at[MAX_N];
  int n = objective->n;
  nlopt_opt opt = n <= MAX_N ? nlopt_create(NLOPT_LD_LBFGS, (unsigned)n) : NULL;
  if (opt == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "l-bfgs: no memory for %d parameters", n);
  }
  search s = {objective, opt, lbfgs->iterations, CR_OK, error, x, HUGE_VAL};
  cr_copy(at, x, n);
  (void)nlopt_set_lower_bounds(opt, lower);
  (void)nlopt_set_upper_bounds(opt, upper);
  (void)nlopt_set_min_objective(opt, evaluate, &s);
  (void)nlopt_set_xtol_abs1(opt, lbfgs->tolerance);
  (void)nlopt_set_ftol_rel(opt, 1e-15);
  double value;
  nlopt_result result = nlopt_optimize(opt, at, &value);
  nlopt_destroy(opt);
  if (result == NLOPT_OUT_OF_MEMORY) {
    return cri_fail(error, CR_ERR_MEMORY, "l-bfgs: no memory for %d parameters", n);
  }
  *reason = words(result, s.left == 0);
  return s.status;
}

cr_status cr_minimise_lbfgs(const cr_minimise_problem* p, const cr_lbfgs_options* o, cr_real* x,
                            const char** reason, cr_error* error) {
  const char* why = "";
  cr_objective objective;
  cr_real* bounds;
  const cri_call call = {"cr_minimise_lbfgs", error};
  CR_TRY(cri_given(&call, o, "options"));
  CR_TRY(cri_check_size(&call, o->size, sizeof *o, "cr_lbfgs_options"));
  CR_TRY(cri_minimise_begin(&call, p, x, &objective, &bounds));
  bool sane = o->iterations > 0 && o->tolerance >= 0 && p->n <= 256;
  const cr_lbfgs lbfgs = {.iterations = o->iterations, .tolerance = o->tolerance};
  cr_status status =
      !sane ? cri_fail(error, CR_ERR_ARG,
                       "cr_minimise_lbfgs: iterations and at most 256 numbers expected")
            : cri_lbfgs_minimise(&lbfgs, &objective, bounds, bounds + p->n, x, &why, error);
  free(bounds);
  if (reason != NULL) {
    *reason = why;
  }
  return status;
}
