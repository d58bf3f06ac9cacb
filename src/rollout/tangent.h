// SPDX-License-Identifier: Apache-2.0
// Tangents of a whole rollout: what a small change of its start does to its states.
#ifndef CR_ROLLOUT_TANGENT_H
#define CR_ROLLOUT_TANGENT_H

#include "rollout/trajectory.h"

/// Looks at the tangent of the state at a time, in tan->qpos, qvel, act.
typedef void cri_tangent_look(void* context, const cr_model* m, const cr_data* tan, cr_real time);

/// Carries tan->qpos, qvel, act from the start of the last run to its end; tangents of controls, applied
/// forces and parameters in `tan` are constant. `look` (may be NULL) sees the tangent after each step,
/// also each of those inside an interval. With events the tangent jumps where they are.
/// Shapes   tan: a tangent of r->d
/// Errors   those of the steps
cr_status cri_rollout_jvp(cr_rollout* r, const cr_model* m, cr_data* tan, cri_tangent_look* look,
                          void* context, cr_error* error);

/// Its length, where qvel counts times 1 s and everything else as it is.
cr_real cri_tangent_norm(const cr_model* m, const cr_data* tan);

/// How much a change of the start grows: the largest singular value of the map from tangents of the
/// first state to tangents of the last, by this length.
/// `look` (may be NULL) sees the tangent that grows most on its way; it has length 1 at the start.
/// Equation power iteration, v <- J' J v, to a relative 1e-3 or 30 times
/// Leaves   r->bar: of no meaning
/// Errors   those of a gradient
cr_status cri_rollout_growth(cr_rollout* r, const cr_model* m, cri_tangent_look* look,
                             void* context, cr_real* growth, cr_error* error);

#endif
