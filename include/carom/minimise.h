// SPDX-License-Identifier: Apache-2.0
// Optimisers: L-BFGS and Adam for a function with its gradient, Levenberg-Marquardt and Gauss-Newton for sums of
// squares, and four methods that look for the lowest of many minima within bounds. docs/identification.md says
// when to use which.
#ifndef CAROM_MINIMISE_H
#define CAROM_MINIMISE_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The function that an optimiser minimises: gives the value at x[n] and fills gradient[n]. `batch` is
/// the iteration whose part of the data to use, or CR_ALL_DATA. A status other than CR_OK ends the
/// search.
enum { CR_ALL_DATA = -1 };
typedef cr_status (*cr_objective_function)(void* context, int batch, const cr_real* x,
                                           cr_real* value, cr_real* gradient, cr_error* error);

typedef struct {
  size_t size;  // sizeof(cr_minimise_problem), set by the caller
  int n;
  cr_objective_function evaluate;
  void* context;
  const cr_real *lower, *upper;  // n each, infinite if open; NULL: none
} cr_minimise_problem;

/// Settings of L-BFGS.
typedef struct {
  size_t size;     // sizeof(cr_lbfgs_options), set by the caller
  int iterations;  // at most so many evaluations
  cr_real
      tolerance;  // ends when a step changes no x by more than this, or the value by 1e-15 of it
} cr_lbfgs_options;

/// Settings of Adam (Kingma and Ba, 2015). Projection keeps its bounds. A zero stands for the value in
/// brackets.
typedef struct {
  size_t size;  // sizeof(cr_adam_options), set by the caller
  int iterations;
  cr_real rate,
      final_rate;  // step size of the first and the last iteration, geometric between; rate > 0;
                   // final_rate 0: [rate]
  cr_real b1, b2, eps;  // [0.9, 0.999, 1e-8]; below 0: none
  cr_real tolerance;    // ends when no x moved by more than this for five iterations; 0: never
  bool batches;         // each iteration uses its own batch of the data
  bool keep_best;       // return x of the lowest value, not the last x; not with batches
  cr_real
      weight_decay;  // AdamW (Loshchilov and Hutter, 2019): each iteration takes rate times this part of x away
} cr_adam_options;

/// Minimises from x; x ends at the best point (Adam: see keep_best). *reason says in a few words why the search
/// ended; it may be NULL, and the text belongs to the library. L-BFGS is NLopt's (CAROM_IO=ON), for n <= 256.
/// Shapes   x[n]
/// Errors   CR_ERR_ARG; those of the function; CR_ERR_NONFINITE where a value is not finite; CR_ERR_MEMORY
CR_API cr_status cr_minimise_lbfgs(const cr_minimise_problem* problem,
                                   const cr_lbfgs_options* options, cr_real* x, const char** reason,
                                   cr_error* error);
CR_API cr_status cr_minimise_adam(const cr_minimise_problem* problem,
                                  const cr_adam_options* options, cr_real* x, const char** reason,
                                  cr_error* error);

/// The residuals of a sum of squares: fills residuals[m] at x[n] and, unless it is NULL, jacobian[m n], row by row:
/// the derivative of residual i by x[j] is jacobian[i n + j]. Infinity: x is no place to go to. A status other than
/// CR_OK ends the search.
typedef cr_status (*cr_residual_function)(void* context, const cr_real* x, cr_real* residuals,
                                          cr_real* jacobian, cr_error* error);

/// Half the sum of squares of m residuals, |r(x)|^2 / 2.
typedef struct {
  size_t size;  // sizeof(cr_least_squares_problem), set by the caller
  int n, m;
  cr_residual_function evaluate;
  void* context;
  const cr_real *lower, *upper;  // n each, infinite if open; NULL: none
} cr_least_squares_problem;

typedef enum {
  CR_LEVENBERG_MARQUARDT,
  CR_GAUSS_NEWTON  // no damping, halved steps: fewer of them near a solution where all x matter
} cr_least_squares_method;

/// Settings for sums of squares. A zero stands for the value in brackets, what is below it for none.
typedef struct {
  size_t size;  // sizeof(cr_least_squares_options), set by the caller
  cr_least_squares_method method;
  int iterations;              // steps tried at most [100]
  cr_real damping;             // at the start, relative to the diagonal of J'J [1e-3]
  cr_real step_tolerance;      // ends when every |step| <= this (|x| + this) [1e-10]
  cr_real gradient_tolerance;  // ends when every |J'r| <= this, but at bounds [1e-12]
  cr_real value_tolerance;  // ends when a step lowers the value by this part of it or less [1e-14]
} cr_least_squares_options;

/// Minimises a sum of squares from x within its bounds; x ends at the best point. *reason as above. Damping follows
/// Nielsen (1999) and is scaled by the diagonal of J'J (Marquardt, 1963; More, 1978), so that units of x do not matter;
/// steps come from a QR decomposition. Numbers that residuals do not tell apart stay near their start, while
/// Gauss-Newton refuses them.
/// Shapes   x[n]
/// Errors   CR_ERR_ARG; those of the function; CR_ERR_NONFINITE with the number of the residual: a residual that is not
///          finite at the start, NaN anywhere, a derivative that is not finite; CR_ERR_SINGULAR (Gauss-Newton); CR_ERR_MEMORY
/// Thread   safe for distinct contexts
CR_API cr_status cr_minimise_levenberg_marquardt(const cr_least_squares_problem* problem,
                                                 const cr_least_squares_options* options,
                                                 cr_real* x, const char** reason, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
