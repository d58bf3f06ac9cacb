// SPDX-License-Identifier: Apache-2.0
// The motions of an estimate: a policy in a loop with the model, from random starts, with noise on every decision, on several threads.
#ifndef CR_POLICY_POLICY_MOTIONS_H
#define CR_POLICY_POLICY_MOTIONS_H

#include "base/pool.h"
#include "carom/policy.h"
#include "control/cost.h"
#include "policy/policy.h"

typedef struct {
  cr_model* m;  // its own where parameters are varied
  cr_cost* cost;
  cr_policy* policy;
  cr_rollout* rollout;
  cr_loss loss;
  cr_real *noise, *tangent;  // decisions x nu; of the state
  cr_real* values;           // of a varied parameter
  cr_error error;
} cri_motion_worker;

typedef struct {
  char* name;
  cr_real sigma;
  cr_real* base;  // n numbers
  int n;
} cri_varied;

typedef struct {
  const cr_model* m;
  cr_data* start;
  cr_policy_training_options o;
  cr_real *noise, *spread;   // nu; the state's tangent, NULL: none
  cr_real *sigma, *inverse;  // nu: of the iteration, and 1 / sigma^2, 0 where sigma is
  cri_varied* varied;
  int nvaried;
  cri_motion_worker* workers;
  cr_pool* pool;
  int nweight;
} cri_motions;

/// One motion: its start, its sample (-1: without noise), and whether its gradient is found.
typedef struct {
  int k, start, sample;
  bool gradient;
} cri_motion;

/// Copies what is given. Free with cri_motions_free, also after an error.
cr_status cri_motions_make(cri_motions* s, const cr_model* m, const cr_data* start,
                           const cr_cost* cost, const cr_policy_options* policy,
                           const cr_policy_training_options* options, cr_error* error);
void cri_motions_free(cri_motions* s);

/// Takes the weights of the first worker's policy over to all, and sets the noise to `factor` of that of the options.
void cri_motions_begin(cri_motions* s, cr_real factor);

/// Runs a motion on a worker; its policy then has the gradient, and the score of the sample.
/// Map      motion -> loss
/// Errors   those of runs and gradients; CR_ERR_INTERRUPTED
cr_status cri_motions_run(cri_motions* s, const cri_motion* motion, int worker, cr_real* loss,
                          cr_error* error);

#endif
