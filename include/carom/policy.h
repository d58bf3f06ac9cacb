// SPDX-License-Identifier: Apache-2.0
// Policies: networks that read a state and give controls, in a loop with the model; and their training by gradients of the
// expected cost. docs/policies.md shows how.
#ifndef CAROM_POLICY_H
#define CAROM_POLICY_H

#include "carom/cost.h"
#include "carom/estimator.h"
#include "carom/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Numbers that a policy reads, each as (x - offset) scale: of a place, or of an expression, as residuals of costs have them
/// without a target. A free joint's qpos has six numbers, a ball joint's three.
typedef struct {
  size_t size;       // sizeof(cr_observation), set by the caller
  const char* text;  // "qpos", "qvel[hip]", "sin(qpos[hinge])", "site_xpos[tip] - site_xpos[goal]"
  cr_residual_kind kind;  // PLACE, ORIENTATION or EXPRESSION
  cr_real offset, scale;  // a scale of 0: 1
} cr_observation;

/// What a policy is. What a zero stands for is in brackets.
typedef struct {
  size_t size;  // sizeof(cr_policy_options), set by the caller
  const cr_observation* const* observations;
  int nobservation;
  const cr_layer* layers;  // hidden ones, dense; behind them is a dense layer with nu outputs
  int nlayer;              // none: the policy is linear
  int sets;  // sets of weights, one after the other over a motion: a policy that changes in time [1]
  int nstep;  // steps of a motion, with more than one set
  int every;  // steps that a control is held [1]
  bool
      limited;  // controls with a range are its middle plus half of it times tanh(y), others y itself; false: all are y
} cr_policy_options;

/// A policy with its weights. Belongs to one thread.
/// Equation u = y, or of `limited` c + r tanh(y), y = network(weights of the set, (x - offset) scale)   [policy.p1]
/// Smooth   where observations and activations are
typedef struct cr_policy cr_policy;

/// m has to outlive it. The weights are 0: the policy gives 0, or the middle of the ranges.
/// Owner    the caller, cr_policy_destroy
/// Errors   CR_ERR_ARG: no controls, no observations, counts below 0, layers that remember; CR_ERR_NAME for what is no place or
///          expression; CR_ERR_UNSUPPORTED for an observation that depends on the controls; CR_ERR_MEMORY
CR_API cr_status cr_policy_create(cr_policy** policy, const cr_model* m,
                                  const cr_policy_options* options, cr_error* error);
CR_API void cr_policy_destroy(cr_policy* policy);

/// Its numbers of all observations; of all weights, set by set; and these, to be read and written. 0 and NULL for NULL.
/// Owner    borrowed
CR_API int cr_policy_ninput(const cr_policy* policy);
CR_API int cr_policy_nweight(const cr_policy* policy);
CR_API cr_real* cr_policy_weights(cr_policy* policy);

/// First weights: of hidden layers random, all sets alike; of the last layer 0, so that the policy still gives 0.
/// Errors   CR_ERR_ARG
CR_API cr_status cr_policy_init(cr_policy* policy, uint64_t seed, cr_error* error);

/// The control at the state in d, before step `step` of a motion.
/// Shapes   ctrl[nu]
/// Errors   CR_ERR_ARG; those of cr_forward, where an observation is computed, and of expressions
CR_API cr_status cr_policy_control(cr_policy* policy, const cr_model* m, const cr_data* d, int step,
                                   cr_real* ctrl, cr_error* error);

/// Lets the policy give the controls of the rollout's next runs. Gradients of these count how controls follow from states, and fill
/// cr_policy_weights_bar. `backward`, the model of the backward pass or NULL, differentiates the observations too. The policy has to
/// outlive these runs. NULL as policy: the rollout has its own controls again.
/// Errors   CR_ERR_ARG for a rollout of another model
CR_API cr_status cr_policy_attach(cr_policy* policy, cr_rollout* rollout, const cr_model* backward,
                                  cr_error* error);

/// The gradient by the weights, [nweight], of the last gradient of the attached rollout.
/// Owner    borrowed
CR_API const cr_real* cr_policy_weights_bar(const cr_policy* policy);

// ---- training: descent along estimates of the gradient of the expected cost, over noise on every decision, random starts and models

/// A parameter that differs from start to start: each of its numbers times exp(sigma z), z standard normal.
typedef struct {
  size_t size;       // sizeof(cr_varied), set by the caller
  const char* name;  // "body_mass[cube]", "geom_friction[floor][0]"
  cr_real sigma;
} cr_varied;

/// How weights follow a gradient.
typedef enum { CR_POLICY_ADAM, CR_POLICY_PLAIN } cr_policy_descent;

/// How a policy is trained. What a zero stands for is in brackets.
typedef struct {
  size_t size;               // sizeof(cr_policy_training_options), set by the caller
  int nstep;                 // of a motion
  const cr_model* backward;  // model of the backward pass, see cr_rollout_gradient; NULL: the model
  cr_estimator_kind estimator;
  int samples;  // of an iteration, over all starts; at least 2 in a row from one start or from two [64]
  int starts;  // starts of an iteration, whose samples are compared with a motion without noise [1]
  bool antithetic;  // samples come in pairs, w and -w
  const cr_real*
      noise;  // nu: standard deviations of the noise on every decision; of FIRST some may be 0
  cr_real noise_end;  // factor of the noise in the last iteration, geometric from 1 [1]
  const cr_real*
      spread;  // 2 nv + na + npluginstate: standard deviations of the start, in the tangent of the state; NULL: 0
  const cr_varied* const* varied;
  int nvaried;
  cr_real confidence, bias, bound;  // as in cr_estimator_options
  int iterations;                   // over which noise and step size change [100]
  cr_policy_descent descent;        // [Adam]; PLAIN: along the gradient
  cr_real rate, final_rate;  // step size, and that of the last iteration, geometric [0.01; rate]
  cr_real rate_power;        // and times (1 + iteration)^-rate_power [0]
  cr_real clip;              // a longer gradient is cut to this length [never]
  uint64_t seed;
  int nthread;                  // the same bits for any number [one a processor]
  bool (*stop)(void* context);  // asked before every motion, by any thread; true ends the iteration
  void* context;
  const cr_processes* processes;  // that share the motions of an iteration [this one alone]
} cr_policy_training_options;

/// A policy in training: the policy, motions, moments of the descent. Belongs to one thread, and has others of its own.
typedef struct cr_policy_training cr_policy_training;

/// Motions start at the state in `start` (everything that a step reads, its time too). All that is given is copied, but m and
/// options->backward, which have to outlive it.
/// Owner    the caller, cr_policy_training_destroy
/// Errors   CR_ERR_ARG naming the option; CR_ERR_NAME for a varied parameter that is none; CR_ERR_UNSUPPORTED: varied parameters where
///          the backward pass has a model of its own; those of cr_policy_create; CR_ERR_MEMORY
CR_API cr_status cr_policy_training_create(cr_policy_training** training, const cr_model* m,
                                           const cr_data* start, const cr_cost* cost,
                                           const cr_policy_options* policy,
                                           const cr_policy_training_options* options,
                                           cr_error* error);
CR_API void cr_policy_training_destroy(cr_policy_training* training);

/// The policy, whose weights may be read and written (then call cr_policy_training_restart).
/// Owner    borrowed
CR_API cr_policy* cr_policy_training_policy(cr_policy_training* training);

/// Forgets the moments of the descent and begins with iteration 0; the weights stay.
CR_API void cr_policy_training_restart(cr_policy_training* training);

/// The gradient of the expected cost by the weights, at iteration k with its noise and its samples. The weights stay.
/// Map      weights, k -> estimate, of cr_policy_nweight numbers; loss is the mean without noise over the starts, NaN for FIRST
/// Equation F = mean of dL/dW; Z = mean of (L(w) - L(0)) sum over decisions of (du/dW)' w / sigma^2   [policy.p2, p3]
/// Threads  the same bits for any number of them, and of processes
/// Errors   those of runs and gradients, with the number of the sample; CR_ERR_INTERRUPTED
CR_API cr_status cr_policy_training_estimate(cr_policy_training* training, int k,
                                             cr_smoothed_gradient* estimate, cr_error* error);

/// What an iteration came to.
typedef struct {
  size_t size;    // sizeof(cr_policy_training_result), set by the caller
  int iteration;  // its number, from 0
  cr_real mean,
      mean_error;  // expected cost at the weights before the step, and half the width of its interval
  cr_real loss;    // of the starts without noise; NaN for FIRST
  cr_real alpha;  // weight of the first order
  cr_real first_variance, zeroth_variance;
  cr_real gradient;  // length of the estimate, before it was cut
  cr_real rate;      // step size
} cr_policy_training_result;

/// One iteration: an estimate, and a step of the weights. result may be NULL.
/// Errors   those of cr_policy_training_estimate; the weights are then as before
CR_API cr_status cr_policy_training_step(cr_policy_training* training,
                                         cr_policy_training_result* result, cr_error* error);

/// Iterations made.
CR_API int cr_policy_training_iterations(const cr_policy_training* training);

/// What further iterations depend on beside the options, as numbers: weights, moments, the number of the next iteration. A training made in the
/// same way that gets them goes on to the same digits.
/// Shapes   memory[cr_policy_training_memory_size]
/// Errors   CR_ERR_ARG for another count, or numbers that are no memory
CR_API size_t cr_policy_training_memory_size(const cr_policy_training* training);
CR_API cr_status cr_policy_training_get_memory(const cr_policy_training* training, cr_real* memory,
                                               cr_error* error);
CR_API cr_status cr_policy_training_set_memory(cr_policy_training* training, const cr_real* memory,
                                               size_t n, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
