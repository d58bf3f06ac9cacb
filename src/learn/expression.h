// SPDX-License-Identifier: Apache-2.0
// Expressions of named places as losses: "site_xpos[tip].z", "norm(qpos) + 0.1*sum(ctrl^2)".
// Made of names, numbers, + - * / ^, parentheses, sum(), norm(), abs(). A name of several numbers
// is a vector; a single number combines with every element; the whole must be one number.
#ifndef CR_LEARN_EXPRESSION_H
#define CR_LEARN_EXPRESSION_H

#include "model/names.h"
#include "rollout/trajectory.h"

typedef struct cr_expression cr_expression;

/// Parses and resolves; the names refer to m, which must outlive the expression.
/// Errors: CR_ERR_NAME with the text and the place in it.
cr_status cr_expression_create(cr_expression** expression, const cr_model* m, const char* text,
                               cr_error* error);

void cr_expression_free(cr_expression* expression);

/// Adds the value at d to *value. CR_ERR_NAME where a contact named does not exist now.
cr_status cr_expression_value(cr_expression* e, const cr_model* m, const cr_data* d,
                              cr_real* value);

/// Adds the cotangents of the value, at d, to bar. Values are computed afresh first.
cr_status cr_expression_bar(cr_expression* e, const cr_model* m, const cr_data* d, cr_data* bar);

/// True if the expression names anything but qpos, qvel, act, ctrl and parameters.
bool cr_expression_needs_fields(const cr_expression* e);

/// The expression as a loss of a rollout: at the end, or summed over the ends of all steps.
cr_loss cr_expression_loss(cr_expression* e, bool every);

#endif
