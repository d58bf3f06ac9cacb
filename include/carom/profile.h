// SPDX-License-Identifier: Apache-2.0
// A time step with somebody who looks on between its stages: for profiles, and to see where a number comes from.
// This is carom bench --profile.
#ifndef CAROM_PROFILE_H
#define CAROM_PROFILE_H

#include "carom/stage.h"
#include "carom/step.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Stages that a step evaluates, numbers 0 ... n - 1 of cr_model_stage; behind them the integrator counts as
/// number n. 0 without a model.
CR_API int cr_step_stages(const cr_model* model);

/// Called before the first stage, with stage -1, and after each with its number. What it does is no part of the
/// step: it may read the data, and must not change them.
typedef void (*cr_stage_watch)(void* context, int stage);

/// cr_step, cr_step_jvp and cr_step_vjp (with m_backward == m), watched: the same numbers. The cotangents go
/// through the integrator first and through the stages from the last to the first.
/// Needs    the twins: cr_step at this state
/// Errors   those of the function; CR_ERR_UNSUPPORTED for integrators of several stages (RK4, tsit5 ...), and at a
///          point where cr_step_jvp needs `work`. The sentence is where theirs is
/// Memory   no allocation
CR_API cr_status cr_step_watched(const cr_model* m, cr_data* d, cr_stage_watch watch,
                                 void* context);
CR_API cr_status cr_step_jvp_watched(const cr_model* m, const cr_data* d, cr_data* tan,
                                     cr_stage_watch watch, void* context);
CR_API cr_status cr_step_vjp_watched(const cr_model* m, const cr_data* d, cr_data* bar,
                                     cr_stage_watch watch, void* context);

#ifdef __cplusplus
}
#endif
#endif
