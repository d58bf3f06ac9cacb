// SPDX-License-Identifier: Apache-2.0
// The full Jacobian of a time step: how the next state depends on the state, the controls and the
// applied forces.
#ifndef CAROM_STEP_JACOBIAN_H
#define CAROM_STEP_JACOBIAN_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room to compute Jacobians of a step in. Belongs to one thread; serves one model and data of its
/// size. Owner: the caller, cr_jacobian_destroy.
typedef struct cr_jacobian cr_jacobian;

CR_API cr_status cr_jacobian_create(cr_jacobian** work, const cr_model* m, const cr_data* d,
                                    cr_error* error);
CR_API void cr_jacobian_destroy(cr_jacobian* work);

/// Jacobians of the step that cr_step has just taken.
/// Map      x = (qpos, qvel, act), ctrl, qfrc_applied -> d x_next / d x, d ctrl, d qfrc_applied
/// Equation H qacc' = -r', r = M a + c - tau - J' f at qacc held; then the integrator's map
///          derivation: docs/derivations/step_jacobian.md
/// Shapes   by_x[nx nx], by_ctrl[nx nu], by_force[nx nv], row by row, nx = 2 nv + na: tangents of
///          qpos (docs/conventions.md), qvel, act. Each may be NULL
/// Units    those of the states
/// Cost     that of a few steps. The integrator discrete and a few features cost a tangent of the
///          step for every column instead: cr_jacobian_columns says which
/// Errors   CR_ERR_SINGULAR where an inertia has no factor; those of cr_step_jvp
/// Memory   no allocation
/// Smooth   as cr_step
CR_API cr_status cr_step_jacobian(const cr_model* m, const cr_data* d, cr_jacobian* work,
                                  cr_real* by_x, cr_real* by_ctrl, cr_real* by_force);

/// What made the last one go column by column; NULL where nothing did.
CR_API const char* cr_jacobian_columns(const cr_jacobian* work);

/// The sentence behind the last failure.
CR_API const char* cr_jacobian_error(const cr_jacobian* work);

#ifdef __cplusplus
}
#endif
#endif
