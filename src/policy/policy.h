// SPDX-License-Identifier: Apache-2.0
// Policies. carom/policy.h documents the public functions.
#ifndef CR_POLICY_POLICY_H
#define CR_POLICY_POLICY_H

#include "carom/policy.h"
#include "control/residual.h"

typedef struct {
  cri_residual residual;
  cr_real offset, scale;
} cri_observation;

struct cr_policy {
  const cr_model *m, *backward;
  cri_observation* observations;
  int nobservation, ninput;
  bool needs_fields;  // an observation is computed
  cr_network* network;
  int nset, sets, nstep,
      every;               // weights of a set, sets, steps of a motion, steps between decisions
  cr_real *middle, *half;  // nu each; half 0: the output is the control
  cr_real *weights, *bar;  // sets x nset
  cr_real *values, *x, *x_bar;  // ninput
  cr_real *y, *y_bar, *u;       // nu: outputs, their cotangents, the control that is held
  cr_real* held_bar;            // nu: cotangents of the steps that it is held for
  cr_real* room;                // of the network
  cr_real* memory;
  cr_data *see, *see_bar;     // where observations are computed
  const cr_rollout* rollout;  // that it is attached to
  // of estimates: what is added to every decision, decisions x nu, or NULL; and the sum of J'w / sigma^2 over decisions, [nweight]
  const cr_real* noise;
  const cr_real* weight_of_noise;  // nu: 1 / sigma^2; NULL: no score
  cr_real* score;
};

/// The control of a decision: without what is held, without noise.
/// Errors   those of cr_forward and of residuals
cr_status cri_policy_decide(cr_policy* p, const cr_model* m, const cr_data* d, int step);

/// Decisions of nstep steps.
static inline int cri_policy_decisions(const cr_policy* p, int nstep) {
  return (nstep + p->every - 1) / p->every;
}

#endif
