// SPDX-License-Identifier: Apache-2.0
// One time step and its derivatives: the dynamics, then the model's integrator. A rollout is a
// sequence of such steps. The functions are public: their contract is in carom/step.h.
#ifndef CR_INTEGRATE_STEP_H
#define CR_INTEGRATE_STEP_H

#include "carom/step.h"
#include "model/data.h"

/// cr_step and its derivatives without checks of the blocks.
cr_status cri_step(const cr_model* m, cr_data* d);
cr_status cri_step_jvp(const cr_model* m, const cr_data* d, cr_data* work, cr_data* tan);
cr_status cri_step_vjp(const cr_model* m, const cr_model* m_backward, const cr_data* d,
                       cr_data* work, cr_data* bar);

/// The rest of a step behind the dynamics at d, measured or not.
cr_status cri_step_onward(const cr_model* m, cr_data* d);

/// cr_advance if the next state is known to be there: from this block or copied from another.
void cri_advance(const cr_model* m, cr_data* d);

#endif
