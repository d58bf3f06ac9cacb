// SPDX-License-Identifier: Apache-2.0
// Stages that were added to a model: each is a row of its schedule. What is public is documented in
// carom/stage.h.
#ifndef CR_ENGINE_ADDED_STAGE_H
#define CR_ENGINE_ADDED_STAGE_H

#include "carom/stage.h"
#include "engine/pipeline.h"

/// Row i of s, one that was added: forward in d, tangents in tan, cotangents in bar.
/// Saves    stage_before
/// Errors   CR_ERR_UNSUPPORTED where the derivative is missing; CR_ERR_NONFINITE; CR_ERR_ARG where d was made
///          before the stage was added; what its function returns. The sentence names the stage
cr_status cri_added_forward(const cri_schedule* s, int i, const cr_model* m, cr_data* d);
cr_status cri_added_jvp(const cri_schedule* s, int i, const cr_model* m, const cr_data* d,
                        cr_data* tan);
cr_status cri_added_vjp(const cri_schedule* s, int i, const cr_model* m, const cr_data* d,
                        cr_data* bar);

/// The name of the first stage that was added to the dynamics of m, NULL without one.
const char* cri_first_added(const cr_model* m);

/// The name of the first that changes a distance, or where or how fast something moves, so that a
/// row's velocity is not the rate of its distance; NULL without one.
const char* cri_first_moving(const cr_model* m);

#endif
