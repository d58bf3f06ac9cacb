// SPDX-License-Identifier: Apache-2.0
// Data: a state and everything computed from it; its twins, tangents and cotangents.
#ifndef CAROM_DATA_H
#define CAROM_DATA_H

#include "carom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A state and everything computed from it, in one block of memory. Belongs to one thread.
typedef struct cr_data cr_data;

/// A data block at the model's reference pose. Owner: the caller, cr_data_destroy.
CR_API cr_status cr_data_create(cr_data** data, const cr_model* model, cr_error* error);
CR_API void cr_data_destroy(cr_data* data);

/// The same with room for at least so many contacts at once, and for constraint rows in proportion: for a model whose step
/// ends with CR_ERR_CAPACITY. Twins that are made of the block have its room; a second block (`work`) has to be made alike.
/// Errors   CR_ERR_ARG for a negative number; CR_ERR_MEMORY
CR_API cr_status cr_data_create_room(cr_data** data, const cr_model* model, int contacts,
                                     cr_error* error);

/// Reference pose, zero velocity, controls, applied forces and time.
/// Errors   CR_ERR_ARG for tangents and cotangents, and for data of another model
CR_API cr_status cr_data_reset(const cr_model* model, cr_data* data);

/// A twin that holds tangents, or cotangents, of every field of `data` that has a derivative and
/// of every model field that may be a parameter; all zero. Owner: the caller, cr_data_destroy.
CR_API cr_status cr_data_create_tangent(cr_data** twin, const cr_model* model, const cr_data* data,
                                        cr_error* error);
CR_API cr_status cr_data_create_cotangent(cr_data** twin, const cr_model* model,
                                          const cr_data* data, cr_error* error);

/// A field by MuJoCo's name, as "qpos" or "xpos": rows x width numbers, row after row. On a twin
/// also a parameter's name, as "body_mass": its tangents or cotangents.
/// Shapes   *rows live rows, *width numbers in a row; a twin's qpos has nv rows (docs/conventions.md);
///          rows and width may be NULL
/// Owner    borrowed; valid until the block is destroyed. Write to inputs of the step only
/// Errors   NULL, and a sentence in cr_data_error(data), for an unknown name, or a field that has no
///          numbers here; *rows and *width are then 0
CR_API cr_real* cr_data_view(const cr_model* model, cr_data* data, const char* name, int* rows,
                             int* width);

/// The numbers of a named place of a state or of a computed field, as "qpos[elbow]",
/// "site_xpos[tip].z", "gyro" or "contact[floor:cube].dist"; of the model too, as "body_mass[box]".
/// They are NaN for a contact that does not exist now.
/// Shapes   values[n], n the number of numbers the place has (cr_model_place)
/// Needs    the function that computes the field, for computed ones: cr_forward
/// Errors   CR_ERR_NAME, CR_ERR_ARG (another n, a tangent, a twin)
CR_API cr_status cr_data_get(const cr_model* model, const cr_data* data, const char* name,
                             cr_real* values, int n, cr_error* error);

/// Sets the numbers of an input of the step, as "qpos[elbow]" or "ctrl".
/// Errors   CR_ERR_NAME, CR_ERR_ARG (another n, a field that is computed, or of the model), CR_ERR_NONFINITE
CR_API cr_status cr_data_set(const cr_model* model, cr_data* data, const char* name,
                             const cr_real* values, int n, cr_error* error);

/// Checks that a simulation can start from this state: qpos is finite, and its quaternions, as those of
/// mocap bodies, have length 1 to 1e-6.
/// Errors   CR_ERR_ARG, CR_ERR_NONFINITE with the coordinate
CR_API cr_status cr_data_check(const cr_model* model, const cr_data* data, cr_error* error);

/// Time in seconds.
CR_API cr_real cr_data_time(const cr_data* data);

/// The sentence of the last failure of a function that got this block; if it got several, the twin.
CR_API const char* cr_data_error(const cr_data* data);

#ifdef __cplusplus
}
#endif
#endif
