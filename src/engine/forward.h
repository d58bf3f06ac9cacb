// SPDX-License-Identifier: Apache-2.0
// The whole evaluation of the dynamics at one state, and its derivatives: loops over the pipeline.
#ifndef CR_ENGINE_FORWARD_H
#define CR_ENGINE_FORWARD_H

#include "model/data.h"

/// Everything from the state: runs every stage of the pipeline (MuJoCo's mj_forward).
/// Map      (qpos, qvel, act, ctrl, qfrc_applied, xfrc_applied; parameters) -> qacc, act_dot, ...
/// Errors   those of the stages; CR_ERR_NONFINITE when the acceleration is not finite
/// Smooth   but for contact and limit switching and the kinks named at each stage
cr_status cr_forward(const cr_model* m, cr_data* d);

/// Tangents of everything, from those of the inputs in `tan`. d is as cr_forward left it.
cr_status cr_forward_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Adds to the cotangents of the inputs (bar->qpos nv numbers, qvel, act, ctrl, qfrc_applied,
/// xfrc_applied, bar->par) what the cotangents of computed fields in `bar` imply, and clears the
/// latter: bar holds no computed cotangent afterwards, ready for the next sweep.
cr_status cr_forward_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
