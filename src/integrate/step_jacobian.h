// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a step; its contract is in carom/step_jacobian.h.
#ifndef CR_INTEGRATE_STEP_JACOBIAN_H
#define CR_INTEGRATE_STEP_JACOBIAN_H

#include "carom/step_jacobian.h"
#include "model/data.h"

/// The same Jacobian from cr_step_jvp, column by column, whatever the model.
cr_status cri_step_jacobian_columns(const cr_model* m, const cr_data* d, cr_jacobian* work,
                                    cr_real* by_x, cr_real* by_ctrl, cr_real* by_force);

/// Puts the tangents of the next state into a column that begins at `to`, of a matrix with rows of
/// this width.
void cri_jacobian_put_column(const cr_model* m, const cr_data* tan, cr_real* to, int width);

#endif
