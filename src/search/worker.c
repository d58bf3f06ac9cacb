// SPDX-License-Identifier: Apache-2.0
// Every way down remembers the best place itself, so that an end without success (a limit, a place that is none) is
// no loss.
#include "search/worker.h"

size_t cri_worker_room(const cr_global_problem* p) {
  size_t squares = p->residuals != NULL ? cri_dense_squares_room(p->n, p->m) : 0;
  return 3 * (size_t)p->n + cri_damped_room(p->n) + squares;
}

void cri_worker_bind(cr_global_worker* w, cr_real* room) {
  const cr_global_problem* p = w->problem;
  w->gradient = room;
  w->best = w->gradient + p->n;
  w->trial = w->best + p->n;
  w->damped = w->trial + p->n;
  w->squares =
      (cr_dense_squares){.n = p->n, .m = p->m, .evaluate = p->residuals, .context = w->context};
  if (p->residuals != NULL) {
    cri_dense_squares_bind(&w->squares, w->damped + cri_damped_room(p->n));
  }
}

static cr_status check_stop(const cr_global_worker* w, cr_error* error) {
  bool stopped = w->options->stop != NULL && w->options->stop(w->options->context);
  return stopped ? cri_fail(error, CR_ERR_INTERRUPTED, "the search was stopped") : CR_OK;
}

static cr_status check_value(cr_real value, cr_error* error) {
  return !isnan(value) && value > -(cr_real)INFINITY
             ? CR_OK
             : cri_fail(error, CR_ERR_NONFINITE, "the value is %s",
                        isnan(value) ? "not a number" : "infinite below zero");
}

static cr_status ask_descent(cr_global_worker* w, int iterations, cr_real* x, cr_real* value,
                             cr_error* error) {
  w->evaluations++;
  CR_TRY(w->problem->descend(w->context, iterations, x, value, error));
  return check_value(*value, error);
}

// the value, and the gradient unless it is NULL
static cr_status ask(cr_global_worker* w, const cr_real* x, cr_real* value, cr_real* gradient,
                     cr_error* error) {
  const cr_global_problem* p = w->problem;
  CR_TRY(check_stop(w, error));
  if (p->residuals == NULL && p->value == NULL && p->evaluate == NULL) {
    cr_copy(w->trial, x, p->n);
    return ask_descent(w, 0, w->trial, value, error);
  }
  w->evaluations++;
  if (p->residuals != NULL) {
    return cri_dense_squares_value(&w->squares, x, value, gradient, error);
  }
  if (gradient == NULL && p->value != NULL) {
    CR_TRY(p->value(w->context, x, value, error));
  } else {
    CR_TRY(p->evaluate(w->context, CR_ALL_DATA, x, value, gradient != NULL ? gradient : w->gradient,
                       error));
  }
  return check_value(*value, error);
}

cr_status cri_worker_value(cr_global_worker* w, const cr_real* x, cr_real* value, cr_error* error) {
  return ask(w, x, value, NULL, error);
}

static void note(cr_global_worker* w, const cr_real* x, cr_real value) {
  if (value < w->best_value) {
    w->best_value = value;
    cr_copy(w->best, x, w->problem->n);
  }
}

// ---- the caller's own way down

// goes down from w->trial
static cr_status descend_own(cr_global_worker* w, cr_error* error) {
  const cr_global_problem* p = w->problem;
  cr_real value;
  CR_TRY(check_stop(w, error));
  CR_TRY(ask_descent(w, w->options->local_iterations, w->trial, &value, error));
  for (int i = 0; i < p->n; i++) {
    // an end beyond the bounds could not be a place of the population
    if (isfinite(value) && !(w->trial[i] >= p->lower[i] && w->trial[i] <= p->upper[i])) {
      return cri_fail(error, CR_ERR_ARG,
                      "a way down left the bounds: x[%d] = %.9g is not between %.9g and %.9g", i,
                      (double)w->trial[i], (double)p->lower[i], (double)p->upper[i]);
    }
  }
  note(w, w->trial, value);
  return CR_OK;
}

// ---- L-BFGS

static cr_status objective(void* context, int batch, const cr_real* x, cr_evaluation* e,
                           cr_error* error) {
  cr_global_worker* w = context;
  (void)batch;
  CR_TRY(ask(w, x, &e->value, e->gradient, error));
  note(w, x, e->value);
  w->at_infinity = isinf(e->value);
  // its line search has no use for infinity: the way ends at the best place so far
  return w->at_infinity ? CR_ERR_NONFINITE : CR_OK;
}

static cr_status descend_gradient(cr_global_worker* w, cr_error* error) {
  const cr_global_problem* p = w->problem;
  const cr_objective o = {.context = w, .n = p->n, .evaluate = objective};
  w->at_infinity = false;
  cr_status status = w->lbfgs(&o, w->options->local_iterations, w->options->local_tolerance,
                              p->lower, p->upper, w->trial, error);
  return w->at_infinity ? CR_OK : status;
}

// ---- Levenberg-Marquardt

static cr_status damped_value(void* context, const cr_real* x, cr_real* value, cr_error* error) {
  cr_global_worker* w = context;
  CR_TRY(ask(w, x, value, NULL, error));
  note(w, x, *value);
  w->at_infinity = isinf(w->best_value);  // nothing else so far: the start is no place
  return CR_OK;
}

static cr_status damped_linearise(void* context, const cr_real* x, cr_real* gradient,
                                  cr_real* diagonal, cr_error* error) {
  cr_global_worker* w = context;
  w->evaluations++;
  return cri_dense_squares_damped(&w->squares).linearise(&w->squares, x, gradient, diagonal, error);
}

static cr_status damped_solve(void* context, cr_real damping, const cr_real* scale,
                              const bool* fixed, cr_real* step, cr_error* error) {
  cr_global_worker* w = context;
  return cri_dense_squares_damped(&w->squares)
      .solve(&w->squares, damping, scale, fixed, step, error);
}

static cr_status damped_curvature(void* context, const cr_real* step, cr_real* square,
                                  cr_error* error) {
  cr_global_worker* w = context;
  return cri_dense_squares_damped(&w->squares).curvature(&w->squares, step, square, error);
}

static cr_status descend_squares(cr_global_worker* w, cr_error* error) {
  const cr_global_problem* p = w->problem;
  const cr_damping damping = {.iterations = w->options->local_iterations,
                              .damping = CR_R(1e-3),
                              .step_tolerance = w->options->local_tolerance,
                              .gradient_tolerance = CR_R(1e-12),
                              .value_tolerance = CR_R(1e-14)};
  const cr_damped damped = {.context = w,
                            .n = p->n,
                            .value = damped_value,
                            .linearise = damped_linearise,
                            .solve = damped_solve,
                            .curvature = damped_curvature};
  cr_damped_end end;
  w->at_infinity = false;
  cr_status status =
      cri_damped_minimise(&damping, &damped, p->lower, p->upper, w->trial, w->damped, &end, error);
  return w->at_infinity ? CR_OK : status;
}

cr_status cri_worker_descend(cr_global_worker* w, cr_real* x, cr_real* value, cr_error* error) {
  int n = w->problem->n;
  if (w->options->local == CR_LOCAL_NONE) {
    return cri_worker_value(w, x, value, error);
  }
  w->best_value = (cr_real)INFINITY;
  cr_copy(w->trial, x, n);
  CR_TRY(w->options->local == CR_LOCAL_OWN     ? descend_own(w, error)
         : w->options->local == CR_LOCAL_LBFGS ? descend_gradient(w, error)
                                               : descend_squares(w, error));
  *value = w->best_value;
  if (isfinite(w->best_value)) {
    cr_copy(x, w->best, n);
  }
  return CR_OK;
}
