// SPDX-License-Identifier: Apache-2.0
// Data: a state and all that is computed from it; its twins, tangents and cotangents.
#ifndef CAROM_DATA_H
#define CAROM_DATA_H

#include "carom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A state and all that is computed from it, in one block of memory. Belongs to one thread.
typedef struct cr_data cr_data;

/// A data block at the model's reference pose. Owner: the caller, cr_data_destroy.
CR_API cr_status cr_data_create(cr_data** data, const cr_model* model, cr_error* error);
CR_API void cr_data_destroy(cr_data* data);

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
/// Errors   NULL, and a sentence in cr_data_error(data), for a name that is no field, or one that has no
///          numbers here; *rows and *width are then 0
CR_API cr_real* cr_data_view(const cr_model* model, cr_data* data, const char* name, int* rows,
                             int* width);

/// Time in seconds.
CR_API cr_real cr_data_time(const cr_data* data);

/// The sentence behind the last failure of a function that was given this block; of several, the twin.
CR_API const char* cr_data_error(const cr_data* data);

#ifdef __cplusplus
}
#endif
#endif
