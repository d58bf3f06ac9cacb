// SPDX-License-Identifier: Apache-2.0
// Gradients of a loss that noise has smoothed: of E[L(x + w)], w normal with mean 0. Where the loss jumps or is stiff, the
// gradient at one point misleads; that of the mean does not.
#ifndef CAROM_ESTIMATOR_H
#define CAROM_ESTIMATOR_H

#include "carom/gradient.h"
#include "carom/minimise.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the gradient of the mean is estimated from N samples w_i with covariance S (docs/estimators.md).
typedef enum {
  CR_ESTIMATOR_FIRST,  // F = mean of L'(x + w_i): biased where samples miss a jump, its variance grows with stiffness
  CR_ESTIMATOR_ZEROTH,  // Z = mean of (L(x + w_i) - L(x)) S^-1 w_i: never biased
  CR_ESTIMATOR_ALPHA  // alpha F + (1 - alpha) Z: the least variance that its bound on the bias allows
} cr_estimator_kind;

typedef enum {
  CR_DRAWS_RANDOM,      // independent
  CR_DRAWS_ANTITHETIC,  // pairs w and -w
  CR_DRAWS_QUASI  // eight independent sets of points that fill the space evenly (scrambled Halton points)
} cr_draws;

/// What the weight of an alpha-order estimate comes from.
typedef enum {
  CR_ALPHA_FREE,     // least variance
  CR_ALPHA_BOUNDED,  // less than that, for the bound on the bias
  CR_ALPHA_ZERO      // 0: the samples are too few to tell the bias of F within the bound
} cr_alpha_verdict;

/// Processes that share samples, such as those of an MPI job. All make the same calls with the same numbers, and all get the same
/// estimate, to the digits that one process gets alone.
typedef struct {
  size_t size;      // sizeof(cr_processes), set by the caller
  int rank, count;  // number of this process, from 0; how many they are
  /// Called by all of them at the same points. `rows` are n of `size` bytes; process r has filled those from n r / count to n (r + 1) / count
  /// (rounded down, in 64 bits). Afterwards every process has all of them. `status` is that of this process; where some have failed,
  /// all return the status of the lowest one, with its sentence. n may be 0: only statuses are compared.
  cr_status (*share)(void* context, cr_status status, void* rows, int n, size_t size,
                     cr_error* error);
  void* context;
} cr_processes;

/// What a zero stands for is in brackets.
typedef struct {
  size_t size;  // sizeof(cr_estimator_options), set by the caller
  cr_estimator_kind kind;
  int samples;  // N, at least 2; ANTITHETIC even, QUASI a multiple of 8
  const cr_real*
      sigma;  // n: standard deviation of each number, in the order of the names; of FIRST some may be 0
  const cr_real* covariance;  // n x n, instead of sigma
  cr_draws draws;
  uint64_t seed;       // one seed, one set of samples: common random numbers
  cr_real confidence;  // of intervals, and of the bound on the bias [0.95]
  cr_real bias;   // gamma: how far ALPHA may be from the truth, as a norm; infinite: any [2 eps]
  cr_real bound;  // L: the largest norm that a summand of Z can have [the largest that was seen]
  bool (*stop)(void* context);  // asked before every sample, by any thread; true ends; may be NULL
  void* context;
  const cr_processes* processes;  // that share the samples of cr_gradient_estimate [this one alone]
} cr_estimator_options;

/// An estimate. Figures that the kind does not have are NaN.
typedef struct {
  size_t size;  // sizeof(cr_smoothed_gradient), set by the caller
  cr_real *gradient,
      *error;  // n each, set by the caller: the estimate, half the width of its interval; NULL: not asked
  cr_real *first, *zeroth;         // n each, set by the caller: F, Z; NULL: not asked
  cr_real loss, mean, mean_error;  // L(x); the mean of L(x + w), and half the width of its interval
  cr_real first_variance, zeroth_variance;  // of one sample: trace of the covariance of its summand
  cr_real alpha;                            // weight of F
  cr_real distance,
      certainty;  // |F - Z|; eps, within which Z is from the truth with the confidence
  cr_alpha_verdict verdict;
  char text[256];  // a sentence about bias and variance
} cr_smoothed_gradient;

/// Estimates the gradient of E[L(x + w)] by the numbers of a gradient's names. Runs the rollouts of the workers, one a thread: all
/// are created alike, each with a model of its own, and with a loss of its own that is the same function. Worker 0 has the
/// start, in its rollout and its model; the others are given it. Afterwards the rollouts of workers that worked are at a sample.
/// Map      worker 0's start, losses, options -> estimate
/// Equation [estimator.e1 ... e6], docs/derivations/estimator.md
/// Shapes   workers[nworker], losses[nworker]
/// Threads  the same bits for any nworker, and for any number of processes
/// Smooth   E[L] is, for any L that does not grow too fast
/// Errors   CR_ERR_ARG for options that are none, and for parameters where the backward pass has a model of its own; CR_ERR_INTERRUPTED; CR_ERR_MEMORY; those of a run or a gradient, with the
///          number of the sample; CR_ERR_MODEL where a sample moves a parameter to what the model does not allow
CR_API cr_status cr_gradient_estimate(cr_gradient* const* workers, const cr_loss* losses,
                                      int nworker, const cr_estimator_options* options,
                                      cr_smoothed_gradient* estimate, cr_error* error);

/// The mean of an objective under noise on its numbers, as an objective: what cr_minimise_adam and cr_minimise_lbfgs take.
typedef struct cr_smoothed_objective cr_smoothed_objective;

/// Wraps the objective of a problem, whose context has to outlive it. Problem and options are copied with what they point to. Samples beyond the
/// problem's bounds are put on them. Every evaluation has the same samples (common random numbers), so the mean of FIRST is a function with
/// its exact gradient, which L-BFGS needs.
/// Owner    the caller, cr_smoothed_objective_destroy
/// Errors   CR_ERR_ARG for options that are none; CR_ERR_MEMORY
CR_API cr_status cr_smoothed_objective_create(cr_smoothed_objective** smoothed,
                                              const cr_minimise_problem* problem,
                                              const cr_estimator_options* options, cr_error* error);
CR_API void cr_smoothed_objective_destroy(cr_smoothed_objective* smoothed);

/// The mean over the samples, and the estimate of its gradient: a cr_objective_function whose context is the smoothed objective.
/// Map      x -> mean of L(x + w), gradient
/// Equation [estimator.o1], docs/derivations/estimator.md
/// Shapes   x[n], gradient[n]; gradient NULL: not asked
/// Thread   one at a time
/// Errors   CR_ERR_ARG, CR_ERR_INTERRUPTED; those of the objective, with the number of the sample
CR_API cr_status cr_smoothed_objective_evaluate(void* smoothed, int batch, const cr_real* x,
                                                cr_real* value, cr_real* gradient, cr_error* error);

/// The estimator to use where a gradient was measured: FIRST where it may be trusted, or a finer run would do; ALPHA where contacts come
/// in another order or at moments that are not counted; ZEROTH where the motion is chaotic or the gradient never settles.
CR_API cr_estimator_kind cr_estimator_for(const cr_trust* trust);

// ---- linear models of a step that noise has smoothed: of E[f(x + w)]. Where contacts begin or jump, the Jacobian at one point describes a
// side of the jump; that of the mean describes the neighbourhood

/// What a zero stands for is in brackets.
typedef struct {
  size_t size;             // sizeof(cr_smoothed_model_options), set by the caller
  cr_estimator_kind kind;  // ALPHA: each row of A and B has a weight of its own
  int samples;             // N, as in cr_estimator_options; 0: [no noise, the Jacobian itself]
  const cr_real* sigma;  // nx + nu: standard deviations of the state's tangent and of the controls
  cr_draws draws;
  uint64_t seed;       // one seed, one set of samples
  cr_real confidence;  // of intervals [0.95]
  int steps;           // of the model; controls are held [1]
  const cr_model*
      backward;  // model whose Jacobians are taken, as one with contacts from distance; NULL: [the model]
  int nthread;  // [one a processor]
  bool
      least_squares;  // ZEROTH: the model that is nearest to the samples, in place of the mean of products: exact where the steps are linear. Needs more
                      // samples than nx + nu
  const cr_processes* processes;  // that share the samples [this one alone]
} cr_smoothed_model_options;

/// x' (-) f(x, u) = c + A dx + B du, row by row, nx = 2 nv + na: tangents of qpos, then qvel, act. Each pointer is set by the caller; NULL: not
/// asked. Errors are halves of the widths of intervals; 0 without noise.
typedef struct {
  size_t size;         // sizeof(cr_linear_model), set by the caller
  cr_real *A, *B, *c;  // nx nx, nx nu, nx
  cr_real *A_error, *B_error, *c_error;
} cr_linear_model;

/// The linear model of the mean of some steps from the state and the controls in d, which stays as it is.
/// Map      d, options -> A, B, c
/// Equation [smoothed_model.e1 ... e4], docs/derivations/smoothed_model.md
/// Threads  the same bits for any number of them, and of processes
/// Smooth   the mean is, where sigma is above 0
/// Errors   CR_ERR_ARG for options that are none; CR_ERR_UNSUPPORTED for models with states of their own (cr_model_add_state);
///          those of cr_step and cr_step_jacobian, with the number of the sample; CR_ERR_MEMORY
CR_API cr_status cr_smoothed_model(const cr_model* m, const cr_data* d,
                                   const cr_smoothed_model_options* options,
                                   cr_linear_model* linear, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
