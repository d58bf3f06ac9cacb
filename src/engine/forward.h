// SPDX-License-Identifier: Apache-2.0
// The whole evaluation of the dynamics at one state, and its derivatives: loops over the pipeline.
// cr_forward, cr_forward_jvp and cr_forward_vjp are public: their contract is in carom/step.h.
#ifndef CR_ENGINE_FORWARD_H
#define CR_ENGINE_FORWARD_H

#include "carom/step.h"
#include "model/data.h"

/// The dynamics alone, up to the acceleration: cr_forward without measured quantities. A derivative
/// of d runs the stages that d ran last.
cr_status cri_dynamics(const cr_model* m, cr_data* d);

/// The measured quantities of d, behind cri_dynamics or a step of one stage.
cr_status cri_measure(const cr_model* m, cr_data* d);

/// Some stages only (cri_stages_behind), at the state in d. What others computed there belongs to another state.
cr_status cri_forward_through(const cr_model* m, cr_data* d, const bool* stages);

/// cr_forward_vjp of a block with measured quantities, through some stages only (cri_stages_behind).
cr_status cri_forward_vjp_through(const cr_model* m, const cr_data* d, cr_data* bar,
                                  const bool* stages);

/// cr_forward_jvp and cr_forward_vjp without checks of the blocks.
cr_status cri_forward_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cri_forward_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
