// SPDX-License-Identifier: Apache-2.0
// The full Jacobian of a time step: how the next state depends on the state, the controls, the
// applied forces and chosen parameters.
#ifndef CAROM_STEP_JACOBIAN_H
#define CAROM_STEP_JACOBIAN_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Work memory for Jacobians of a step. Belongs to one thread; serves one model and data of its
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
///          qpos (docs/conventions.md), qvel, act; npluginstate more with cr_model_add_state. Each may be
///          NULL
/// Units    those of the states
/// Cost     that of a few steps. The integrator discrete and a few features cost a tangent of the
///          step for every column instead: cr_jacobian_fallback says which
/// Errors   CR_ERR_SINGULAR where an inertia has no factor; those of cr_step_jvp, as CR_ERR_ARG unless
///          cr_step has just been called
/// Memory   no allocation
/// Smooth   as cr_step
CR_API cr_status cr_step_jacobian(const cr_model* m, const cr_data* d, cr_jacobian* work,
                                  cr_real* by_x, cr_real* by_ctrl, cr_real* by_force);

/// The feature that made the last Jacobian go column by column; NULL if none did.
CR_API const char* cr_jacobian_fallback(const cr_jacobian* work);

/// The sentence of the last failure of a function that got this work memory.
CR_API const char* cr_jacobian_error(const cr_jacobian* work);

/// Work memory for Jacobians of the sensors. Belongs to one thread; serves one model and data of its size. Owner: the caller,
/// cr_sensor_jacobian_destroy.
typedef struct cr_sensor_jacobian cr_sensor_jacobian;

CR_API cr_status cr_sensor_jacobian_create(cr_sensor_jacobian** work, const cr_model* m,
                                           const cr_data* d, cr_error* error);
CR_API void cr_sensor_jacobian_destroy(cr_sensor_jacobian* work);

/// Jacobians of sensordata at the state at which cr_forward was called: with cr_step_jacobian the linear system x' = A x + B u,
/// y = C x + D u.
/// Map      x = (qpos, qvel, act), ctrl -> d sensordata / d x, d ctrl
/// Equation columns by tangents of cr_forward, or rows by its cotangents, whichever are fewer
/// Shapes   by_x[nsensordata nx], by_ctrl[nsensordata nu], row by row, nx as in cr_step_jacobian. Each may be NULL. A sensor's
///          quaternion has four rows
/// Units    those of the sensors over those of the state
/// Errors   those of cr_forward_jvp and cr_forward_vjp; CR_ERR_ARG unless cr_forward has just been called
/// Memory   no allocation
/// Smooth   as cr_forward; not where a sensor reaches its cutoff
CR_API cr_status cr_sensordata_jacobian(const cr_model* m, const cr_data* d,
                                        cr_sensor_jacobian* work, cr_real* by_x, cr_real* by_ctrl);

/// The sentence of the last failure.
CR_API const char* cr_sensor_jacobian_error(const cr_sensor_jacobian* work);

/// Work memory for the Jacobian of a step by parameters. Belongs to one thread; serves one model and data of
/// its size. Owner: the caller, cr_parameter_jacobian_destroy.
typedef struct cr_parameter_jacobian cr_parameter_jacobian;

/// names[n]: model fields, or numbers of them, as "body_mass", "geom_size[cube]", "dof_damping[3]".
/// With `derive` constants that follow from them (body_invweight0, tendon_length0 ...) follow, as in
/// cr_model_derive; if such constants are part of a named field, their columns are zero.
/// Errors   CR_ERR_NAME for a name that is no parameter, does not exist, or is part of a quaternion;
///          CR_ERR_ARG with `derive` for a field with derived numbers only; CR_ERR_MEMORY
CR_API cr_status cr_parameter_jacobian_create(cr_parameter_jacobian** work, const cr_model* m,
                                              const cr_data* d, const char* const* names, int n,
                                              bool derive, cr_error* error);
CR_API void cr_parameter_jacobian_destroy(cr_parameter_jacobian* work);

/// Columns: the numbers of all names together, 3 for a quaternion (docs/conventions.md).
CR_API int cr_parameter_jacobian_columns(const cr_parameter_jacobian* work);

/// Columns of name i; 0 if there is no name i.
CR_API int cr_parameter_jacobian_width(const cr_parameter_jacobian* work, int i);

/// Jacobian, by parameters, of the step that cr_step has just taken.
/// Map      parameters -> d x_next / d parameters
/// Equation H qacc' = -r' with r' by the parameters, then the integrator's map
///          derivation: docs/derivations/step_jacobian.md
/// Shapes   by_parameters[nx columns], row by row, nx = 2 nv + na as in cr_step_jacobian; columns in
///          the order of the names
/// Units    those of the state over those of the parameter
/// Cost     a tangent of the stages behind the parameter for every column, or a vjp of the step for
///          every row, whichever are fewer; rows with `derive`
/// Errors   those of cr_step_jvp and cr_step_vjp
/// Memory   no allocation
/// Smooth   as cr_step
CR_API cr_status cr_step_parameter_jacobian(const cr_model* m, const cr_data* d,
                                            cr_parameter_jacobian* work, cr_real* by_parameters);

/// The sentence of the last failure.
CR_API const char* cr_parameter_jacobian_error(const cr_parameter_jacobian* work);

#ifdef __cplusplus
}
#endif
#endif
