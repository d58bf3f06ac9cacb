// SPDX-License-Identifier: Apache-2.0
// Costs. carom/cost.h documents the public functions.
#ifndef CR_CONTROL_COST_H
#define CR_CONTROL_COST_H

#include "control/residual.h"
#include "math/norm.h"
#include "rollout/trajectory.h"

typedef struct {
  cri_residual residual;
  cri_norm norm;
  cr_real weight, terminal;
  bool direct;                 // no sweep is needed
  bool stages[CR_MAX_STAGES];  // of the model, that it reads
  cr_real sum;                 // of the last run
} cri_cost_term;

struct cr_cost {
  const cr_model* m;
  cri_cost_term* terms;
  int n, room, nstep;
  bool runs;  // a term looks at every state, not only at the last
  cr_real interval;
  int nz;                                    // numbers of state tangent and controls
  int most;                                  // numbers of the longest residual
  cr_real *r, *g, *h, *unit;                 // of one residual
  cr_real *row, *sum;                        // nz each
  int32_t* at;                               // nz: where a row is not zero
  bool stages[CR_MAX_STAGES], needs_fields;  // of all terms
  bool stages_backward[CR_MAX_STAGES];       // of the model that cri_cost_narrow was told
};

/// A cost with the same terms, for another thread. It shares nothing with the other but contexts of callbacks.
/// Errors   CR_ERR_MEMORY
cr_status cri_cost_copy(cr_cost** copy, const cr_cost* cost, cr_error* error);

/// Checks that the cost has terms, and belongs to m.
cr_status cri_cost_check(const cri_call* call, const cr_cost* cost, const cr_model* m);

/// Makes a rollout evaluate, for this cost, only the stages that it reads; `backward` is the model of its backward pass.
/// The cost has to outlive the rollout's runs.
void cri_cost_narrow(cr_cost* cost, cr_rollout* r, const cr_model* backward);

/// cr_cost_gauss_newton without checks. Needs the stages of the cost, no more.
cr_status cri_cost_gauss_newton(cr_cost* cost, const cr_model* m, const cr_data* d, int step,
                                cr_data* bar, cr_real* value, cr_real* gradient, cr_real* hessian);

#endif
