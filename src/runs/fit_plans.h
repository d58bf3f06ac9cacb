// SPDX-License-Identifier: Apache-2.0
// Planned runs as measurements: what --observe names is simulated, from the controls of every plan.
#ifndef CR_RUNS_FIT_PLANS_H
#define CR_RUNS_FIT_PLANS_H

#include "carom/carom.h"
#include "command/options.h"

typedef struct {
  const cr_model* m;
  const cr_measurements* plans;  // their controls, times and first state count
  const cr_text_list* observe;   // PLACE=SD[@HZ]
  bool reference;                // start from the reference pose, whatever was measured
  bool pieces;                   // the state is needed all along, not only at the start
  bool (*stop)(void* context);   // may be NULL
} cr_fit_plans;

/// Runs with the controls of the plans, and of every observed place a channel with the model's own values. The state at the
/// start is in channels of qpos and qvel whose noise is so large that they tell nothing.
/// Owner    the caller
/// Errors   CR_ERR_ARG, CR_ERR_NAME naming the words of --observe; CR_ERR_FORMAT naming the plan; those of steps;
///          CR_ERR_INTERRUPTED
cr_status cr_fit_plans_simulate(const cr_fit_plans* plans, cr_measurements** measurements,
                                cr_error* error);

/// That every run measures something, with a noise that is given.
/// Errors   CR_ERR_ARG naming run and place
cr_status cr_fit_plans_check(const cr_model* m, const cr_measurements* measurements,
                             cr_error* error);

#endif
