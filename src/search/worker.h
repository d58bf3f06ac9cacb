// SPDX-License-Identifier: Apache-2.0
// What one thread of a global search evaluates with: the caller's function with this thread's context, and the way down to a
// local minimum.
#ifndef CR_SEARCH_WORKER_H
#define CR_SEARCH_WORKER_H

#include "carom/minimise.h"
#include "learn/least_squares.h"
#include "learn/objective.h"

/// L-BFGS, where there is NLopt: minimises from x, with so many evaluations at most.
typedef cr_status cri_gradient_search(const cr_objective* objective, int evaluations,
                                      cr_real tolerance, const cr_real* lower, const cr_real* upper,
                                      cr_real* x, cr_error* error);

typedef struct {
  const cr_global_problem* problem;
  const cr_global_options* options;  // all defaults filled in
  cri_gradient_search* lbfgs;        // NULL: there is none
  void* context;
  int64_t evaluations;
  cr_dense_squares squares;
  cr_real *gradient, *best, *trial, *damped;  // n each, and the room of Levenberg-Marquardt
  cr_real best_value;                         // of a way down, at best
  bool at_infinity;                           // a way down came to a place that is none
} cr_global_worker;

/// Numbers of a worker's room, which cri_worker_bind lays out; problem, options, lbfgs and context are set before.
size_t cri_worker_room(const cr_global_problem* problem);
void cri_worker_bind(cr_global_worker* worker, cr_real* room);

/// The value at x, infinity included.
/// Errors   those of the function; CR_ERR_NONFINITE: NaN; CR_ERR_INTERRUPTED
cr_status cri_worker_value(cr_global_worker* worker, const cr_real* x, cr_real* value,
                           cr_error* error);

/// Goes down from x: x becomes the best place on the way. Without a local method it is the value at x.
/// Errors   as above
cr_status cri_worker_descend(cr_global_worker* worker, cr_real* x, cr_real* value, cr_error* error);

#endif
