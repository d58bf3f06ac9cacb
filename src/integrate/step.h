// SPDX-License-Identifier: Apache-2.0
// One time step and its derivatives: the dynamics, then the integrator the model asks for. What a
// rollout is a sequence of. The functions are public: their contract is in carom/step.h.
#ifndef CR_INTEGRATE_STEP_H
#define CR_INTEGRATE_STEP_H

#include "carom/step.h"
#include "model/data.h"

/// cr_step and its derivatives for callers that know their blocks: nothing is checked.
cr_status cri_step(const cr_model* m, cr_data* d);
cr_status cri_step_jvp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* tan);
cr_status cri_step_vjp(const cr_model* m, const cr_model* m_backward, const cr_data* d,
                       cr_data* work, cr_data* bar);

/// cr_advance for who knows that the next state is there: from this block or copied from another.
void cri_advance(const cr_model* m, cr_data* d);

#endif
