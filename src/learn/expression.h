// SPDX-License-Identifier: Apache-2.0
// Expressions of named places as losses. carom/rollout.h documents creation and use as a loss.
#ifndef CR_LEARN_EXPRESSION_H
#define CR_LEARN_EXPRESSION_H

#include "model/names.h"
#include "rollout/trajectory.h"

/// Adds the value at d to *value. CR_ERR_NAME if a named contact does not exist now,
/// CR_ERR_NONFINITE if the value, or a part of it, is not finite.
cr_status cr_expression_value(cr_expression* e, const cr_model* m, const cr_data* d,
                              cr_real* value);

/// Adds the cotangents of the value, at d, to bar. Values are computed again first.
/// CR_ERR_NONFINITE, with a sentence in d->error, if a part that moves has no derivative.
cr_status cr_expression_bar(cr_expression* e, const cr_model* m, const cr_data* d, cr_data* bar);

/// An expression that may have several numbers; cr_expression_create demands one. Its values; and their cotangents,
/// at d of the last cri_expression_values, added to bar.
/// Shapes   values[cri_expression_size], values_bar the same
/// Errors   as above
cr_status cri_expression_create(cr_expression** expression, const cr_model* m, const char* text,
                                bool vector, cr_error* error);
int cri_expression_size(const cr_expression* e);
cr_status cri_expression_values(cr_expression* e, const cr_model* m, const cr_data* d,
                                cr_real* values);
cr_status cri_expression_pull(cr_expression* e, const cr_model* m, const cr_data* d,
                              const cr_real* values_bar, cr_data* bar);

/// Adds the stages of m behind the fields that it names to stages[CR_MAX_STAGES].
void cri_expression_reach(const cr_expression* e, const cr_model* m, bool* stages);

/// True if the expression names anything but inputs of the step and fields of the model.
bool cr_expression_needs_fields(const cr_expression* e);

#endif
