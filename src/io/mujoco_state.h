// SPDX-License-Identifier: Apache-2.0
// A state of MuJoCo's as the inputs of a step. cr_state_from_mujoco is public: carom/mujoco.h.
#ifndef CR_IO_MUJOCO_STATE_H
#define CR_IO_MUJOCO_STATE_H

#include <mujoco/mujoco.h>

#include "model/data.h"

/// Copies the inputs of a step: qpos ... qacc_warmstart and time. `from` has the sizes of m.
void cri_mujoco_state(const cr_model* m, const mjData* from, cr_data* to);

#endif
