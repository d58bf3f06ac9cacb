// SPDX-License-Identifier: Apache-2.0
// Tangents of a whole rollout: the effect of a small change of its start on its states.
#ifndef CR_ROLLOUT_TANGENT_H
#define CR_ROLLOUT_TANGENT_H

#include "rollout/trajectory.h"

/// Called with the tangent of the state at a time, in tan->qpos, qvel, act.
typedef void cri_tangent_look(void* context, const cr_model* m, const cr_data* tan, cr_real time);

/// Carries tan->qpos, qvel, act from the start of the last run to its end. Tangents of controls, applied
/// forces and parameters in `tan` are constant. `look` (may be NULL) gets the tangent after each step,
/// also after each step inside an interval. With events the tangent jumps at them.
/// Shapes   tan: a tangent of r->d
/// Errors   those of the steps
cr_status cri_rollout_jvp(cr_rollout* r, const cr_model* m, cr_data* tan, cri_tangent_look* look,
                          void* context, cr_error* error);

/// Its length, where qvel counts times 1 s and everything else as it is.
cr_real cri_tangent_norm(const cr_model* m, const cr_data* tan);

/// Growth of a change of the start: the largest singular value of the map from tangents of the
/// first state to tangents of the last, by this length.
/// `look` (may be NULL) gets the tangent that grows most on its way; it has length 1 at the start.
/// Equation power iteration, v <- J' J v, to a relative 1e-3 or 30 times
/// Leaves   r->bar: without meaning
/// Errors   those of a gradient
cr_status cri_rollout_growth(cr_rollout* r, const cr_model* m, cri_tangent_look* look,
                             void* context, cr_real* growth, cr_error* error);

#endif
