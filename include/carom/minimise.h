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

// ---- the lowest of many minima

/// How places are chosen. Each is a population of points on islands that meet only at exchanges.
typedef enum {
  CR_GLOBAL_RESTARTS,  // every individual starts at a random place each generation, and goes down from there
  CR_GLOBAL_BASIN_HOPPING,  // every individual hops from its minimum, goes down, and stays where it got to if that is
  // lower, or higher by little (Wales and Doye, 1997); children of the better half take the
  // places of the worst
  CR_GLOBAL_CMA_ES,  // normal samples about a mean, whose covariance learns the shape (Hansen, 2016); starts
                     // anew where it has converged; no gradient needed
  CR_GLOBAL_DIFFERENTIAL_EVOLUTION  // steps are differences of individuals, rand/1/bin (Storn and Price, 1997); the
  // best of an island goes down; no gradient needed; at least 4 individuals
} cr_global_method;

/// How it goes down from a place.
typedef enum {
  CR_LOCAL_NONE,
  CR_LOCAL_LBFGS,                // NLopt's (CAROM_IO=ON), for n <= 256
  CR_LOCAL_LEVENBERG_MARQUARDT,  // of residuals
  CR_LOCAL_OWN                   // cr_global_problem.descend
} cr_local_method;

/// A way down of the caller's: goes down from x, within the bounds (CR_ERR_ARG beyond them), in at most so many steps; x ends where it ends, with its
/// value. 0 iterations: the value at x, which stays. Infinity: there is no way down, x stays.
typedef cr_status (*cr_descent_function)(void* context, int iterations, cr_real* x, cr_real* value,
                                         cr_error* error);

/// What is minimised: residuals, half the sum of whose squares is the value; or a function with its gradient; or, without a
/// local method, a value alone. Infinity: x is no place to go to. NaN is refused.
typedef struct {
  size_t size;  // sizeof(cr_global_problem), set by the caller
  int n;
  const cr_real *lower, *upper;  // n each, finite
  cr_objective_function evaluate;
  cr_residual_function residuals;  // or NULL
  int m;                           // residuals
  /// The value alone, where no gradient is needed; NULL: evaluate is asked.
  cr_status (*value)(void* context, const cr_real* x, cr_real* value, cr_error* error);
  void* const*
      contexts;  // a context for each thread (the same one for all, if it is only read): all have to give the
  int ncontext;  // same values. None: one thread, with `context`
  void* context;
  /// The way down of CR_LOCAL_OWN; also asked for values where there are no functions, with 0 iterations.
  cr_descent_function descend;
} cr_global_problem;

/// How islands of several processes, each with a part of the ring, exchange. `sent` is the best of this part's last
/// island, value first, then x; `received` is to become that of the part before. *done: a target was reached here; it
/// becomes true if one was reached anywhere.
/// Shapes   sent[1 + n], received[1 + n]
typedef cr_status (*cr_exchange_function)(void* context, int generation, const cr_real* sent,
                                          cr_real* received, bool* done, cr_error* error);

/// Settings. A zero stands for the value in brackets.
typedef struct {
  size_t size;  // sizeof(cr_global_options), set by the caller
  cr_global_method method;
  cr_local_method local;
  int local_iterations;                  // of a way down: evaluations (L-BFGS) or steps [50]
  cr_real local_tolerance;               // ends a way down when no x moves by more [1e-10]
  int islands, population, generations;  // [4], of an island [16], [100]
  uint64_t seed;
  int exchange_every;  // generations [10]; below 0: never. The best of an island takes the worst one's place on the next
  int nthread;  // [as many as contexts], at most one an island. The digits do not depend on it
  cr_real
      step;  // of a hop at first, as part of the bounds' width [0.25]; standard deviation of samples [0.3]
  cr_real
      temperature;  // of hops, as part of the mean of an island's values above its best [0.5]; below 0: none
  bool has_target;  // ends at a value of `target` or less
  cr_real target;
  void* context;  // of what follows; NULL each if not wanted
  bool (*stop)(
      void* context);  // true ends the search; asked before every evaluation, by every thread
  void (*progress)(void* context, int generation, cr_real best, const cr_real* x);
  /// Takes the state after every `save_every` [1] generations, to be kept byte by byte for `resume`.
  cr_status (*save)(void* context, int generation, const void* state, size_t size, cr_error* error);
  int save_every;
  const void*
      resume;  // a state of a search with the same problem, method, islands, population, seed: goes on to
  size_t
      resume_size;  // the same digits as if it had not ended. `generations` counts from the first start
  cr_exchange_function
      exchange;      // NULL: the ring closes here. Targets are then looked at in exchanges only
  int first_island;  // number of the first island here, for its random numbers
} cr_global_options;

/// What a search came to.
typedef struct {
  size_t size;  // sizeof(cr_global_result), set by the caller
  cr_real value;
  int generations;      // with those before a resume
  int64_t evaluations;  // the same; a call of cr_global_problem.descend is one
  const char* reason;   // in a few words; belongs to the library
} cr_global_result;

/// Looks for the lowest minimum within finite bounds. x is one of the first places that are tried, and ends at the best one,
/// also where the search was stopped. The result may be NULL. Random numbers are those of the seed, a stream for each
/// island.
/// Shapes   x[n]
/// Errors   CR_ERR_ARG; those of the function, by the island with the lowest number; CR_ERR_NONFINITE: NaN, or no
///          finite value anywhere; CR_ERR_INTERRUPTED: `stop` said so; CR_ERR_FORMAT: `resume` is a state of another
///          search; CR_ERR_UNSUPPORTED: L-BFGS in a library without NLopt; CR_ERR_MEMORY
CR_API cr_status cr_minimise_global(const cr_global_problem* problem,
                                    const cr_global_options* options, cr_real* x,
                                    cr_global_result* result, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
