// SPDX-License-Identifier: Apache-2.0
// The vjp of a step by parameters alone: without the stages that only carry cotangents of the state. For rows by many parameters
// whose part by the state is known from the Jacobian of the step.
#ifndef CR_INTEGRATE_PARAMETER_SWEEP_H
#define CR_INTEGRATE_PARAMETER_SWEEP_H

#include "engine/pipeline.h"

/// What a sweep runs, for one model and one choice of fields.
typedef struct {
  bool stages[CR_MAX_STAGES];
  int split;                      // the stage behind that of the constraint rows
  bool masses;                    // an inertia of a body is wanted
  cr_field_id fixed[CR_N_FIELD];  // what the rows write that no wanted field changes
  int nfixed;
  cr_field_id left[CR_N_FIELD];  // fields whose cotangents no later stage of the sweep clears
  int nleft;
} cri_parameter_sweep;

/// False where there is none: integrators of several stages and discrete, stages that were added, wanted fields that move frames
/// or axes; and, with inertias of bodies, media and gravity compensation.
bool cri_parameter_sweep_plan(cri_parameter_sweep* sweep, const cr_model* m, const bool* wanted);

/// False at a point where a force acts at the centre of mass of a body whose place is wanted.
bool cri_parameter_sweep_holds(const cri_parameter_sweep* sweep, const cr_model* m,
                               const cr_data* d);

/// Adds to bar->par what cri_step_vjp adds, from the cotangent of the next state, which it clears. Cotangents of inputs are left
/// undefined, all others zero.
/// Equation [step_jacobian.p1]
/// Errors   those of cri_step_vjp
cr_status cri_parameter_sweep_vjp(const cri_parameter_sweep* sweep, const cr_model* m,
                                  const cr_data* d, cr_data* bar);

#endif
