// SPDX-License-Identifier: Apache-2.0
// Effect of events on tangents and cotangents of the state: the saltation matrix and its transpose, for
// all events of rows in one step, see event/event.h.
// Derivation: docs/derivations/event.md
#ifndef CR_EVENT_EVENT_JUMP_H
#define CR_EVENT_EVENT_JUMP_H

#include "model/data.h"

/// Applies the events of a step of length h to a tangent of the state at its end. a, b: the state at the
/// start and at the end, both evaluated.
/// Equation v_tan += sum_i (qacc_i - qacc_i-1) / s_i' s_i_tan                        [event.e2]
///          qacc_i: with rows 1 to i of those that enter, or without those that leave; several: the mean
///          over one order and its reverse; s: the gap, for a swap the difference of two   [event.e4]
///          or its moment, dv = -(qacc_i - qacc_i-1) t_tan                          [event.e6]
///          [Aizerman and Gantmakher, Determination of stability by linear approximation, 1958]
/// Requires tan->qpos, qvel, act: tangents of the state at the end as the step alone has them, and of the
///          other inputs of cr_forward
/// Errors   in a->error: those of cri_dynamics
cr_status cri_jump_jvp(const cr_model* m, cr_data* a, cr_data* b, cr_real h, cr_data* tan);

/// The transpose.
/// Equation c_i = v_bar . (qacc_i - qacc_i-1) / s_i',  s_bar_i += c_i                 [event.e2]
/// Requires bar->qpos, qvel, act: the cotangents of the state at the end
/// Leaves   in them the cotangents for the step's own vjp, and adds to the other inputs of cr_forward
cr_status cri_jump_vjp(const cr_model* m, cr_data* a, cr_data* b, cr_real h, cr_data* bar);

/// The state just before rows entered: b moved back along its velocity until all rows that
/// entered since a are gone, evaluated. If no motion does this, b stays as it is.
/// Requires a and b evaluated
/// Errors   in b->error: those of cri_dynamics
cr_status cri_jump_before(const cr_model* m, cr_data* a, cr_data* b, cr_real h);

#endif
