// SPDX-License-Identifier: Apache-2.0
// The whole evaluation of the dynamics at one state, and its derivatives: loops over the pipeline.
// cr_forward, cr_forward_jvp and cr_forward_vjp are public: their contract is in carom/step.h.
#ifndef CR_ENGINE_FORWARD_H
#define CR_ENGINE_FORWARD_H

#include "carom/step.h"
#include "model/data.h"

/// The dynamics alone, up to the acceleration: cr_forward without what is only measured. A derivative
/// of d goes through as many stages as d did last.
cr_status cri_dynamics(const cr_model* m, cr_data* d);

#endif
