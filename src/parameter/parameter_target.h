// SPDX-License-Identifier: Apache-2.0
// Targets of parameters: several places of a model, also by patterns of names.
//   dof_damping[hip], dof_damping[knee]   places, separated by blanks or commas outside brackets
//   dof_damping[*]  geom_friction[*][0]   all rows, or one number of each
//   dof_damping[leg_*]                    the objects whose names fit; * stands for any characters
#ifndef CR_PARAMETER_PARAMETER_TARGET_H
#define CR_PARAMETER_PARAMETER_TARGET_H

#include "model/names.h"

/// The places of a target, in its order. The caller frees *places.
/// Errors   CR_ERR_NAME (none, an unknown one, a pattern that no name fits), CR_ERR_MEMORY
cr_status cri_target_find(const cr_model* m, const char* target, cr_place** places, int* n,
                          cr_error* error);

/// The shortest name of number i of a parameter field, as a target: by the object's name where it has one that
/// resolves to this number, else by its row.
void cri_target_name(const cr_model* m, cr_field_id field, int i, char* text, size_t size);

/// Id of the object that a text names, or of that number; -1 if there is none.
int cri_target_object(const cr_model* m, cri_object_kind kind, const char* text);

#endif
