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

#ifdef __cplusplus
}
#endif
#endif
