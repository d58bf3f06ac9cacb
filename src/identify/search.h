// SPDX-License-Identifier: Apache-2.0
// The cost of an identification over its windows, on a pool of threads, and the search for its least value.
#ifndef CR_IDENTIFY_SEARCH_H
#define CR_IDENTIFY_SEARCH_H

#include "base/pool.h"
#include "identify/normal.h"
#include "learn/levenberg_marquardt.h"
#include "predict/predict.h"

typedef struct cri_saving cri_saving;

typedef struct {
  cri_problem p;
  cr_pool* pool;
  cri_predictor** predictor;            // one a worker
  struct cri_window_adjoint** adjoint;  // one a worker, from the first cri_gradient_of on
  cri_normal* normal;
  cr_real* cost;     // of every window
  int* uncounted;    // of every window, from its last derivative: events that it does not count
  cr_real* jumps;    // nx (columns + 1) a worker
  cr_error* errors;  // one a worker
  int* failed;       // window at which a worker failed, -1
  bool (*stop)(void* context);
  void (*progress)(void* context, int step, cr_real cost);
  void* context;
  bool bounded;        // x keeps the bounds of a global search
  int steps;           // that progress was told of
  cri_saving* saving;  // of a search that saves or resumes; or NULL
  const bool* fixed;   // n numbers of x: those that a search leaves as they are; NULL: none
  bool no_priors;      // the cost is of the data alone

  // the windows of the current evaluation
  int first, n;
  bool derive;
} cri_search;

cr_status cri_search_create(cri_search* search, int nthread, cr_error* error);
void cri_search_free(cri_search* search);

/// Puts x (p.n numbers, then nx for every window) into the problem: parameters, derived constants.
/// Errors   those of cri_parameters_apply
cr_status cri_search_move(cri_search* search, const cr_real* x, bool derive, cr_error* error);

/// The cost of windows at the point of the last cri_search_move; with `derive` also the normal equations.
/// With the first window also what the priors of the parameters add.
/// Equation sum of rho(e / noise), rho(z) = z^2 / 2 or k |z| - k^2 / 2 where |z| > k = huber; and |jump / continuity|^2 / 2
///          [identification.m4]
/// Errors   CR_ERR_INTERRUPTED; those of cri_predict, of the first window that fails
cr_status cri_search_cost(cri_search* search, int first, int n, bool derive, cr_real* cost,
                          cr_error* error);

/// What priors add to the cost at p.x; adds its gradient by x where that is not NULL.
/// Shapes   gradient[n]
cr_real cri_search_priors(const cri_search* search, cr_real* gradient);

/// Runs work on n items on the pool. It leaves its sentence in errors[worker], and in failed[worker] the lowest item that failed.
/// Errors   those of work, with the sentence of the lowest item
cr_status cri_search_run(cri_search* search, int n, cr_pool_work* work, void* context,
                         cr_error* error);

/// Least squares over x and the starts of these windows, from p.x. x_fixed: only over the starts.
/// With `saving` it goes on where that says, and saves every step.
cr_status cri_search_minimise(cri_search* search, int first, int n, bool x_fixed,
                              const cr_damping* damping, cr_damped_end* end, cr_error* error);

/// Bounds of x: of parameters theirs, of delays 0 and the longest one, of offsets none. `bounded`: those of a global search
/// (cr_identification_get_bounds).
/// Shapes   lower[n], upper[n]
void cri_search_bounds(const cri_problem* problem, bool bounded, cr_real* lower, cr_real* upper);

/// True for a status that makes a trial no place to go to: it cannot be simulated.
bool cri_search_is_no_place(cr_status status);

#endif
