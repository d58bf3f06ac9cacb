// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a step, whose contract is in carom/step_jacobian.h: the derivatives of all forces
// at a held acceleration as columns, one solve for all of them, the integrator's map.
#ifndef CR_INTEGRATE_STEP_JACOBIAN_H
#define CR_INTEGRATE_STEP_JACOBIAN_H

#include "carom/step_jacobian.h"
#include "model/data.h"

/// What of this step has no columns of its own, so that cr_step_jacobian takes the tangents of the
/// step one by one; NULL where all has.
const char* cri_step_jacobian_why(const cr_model* m, const cr_data* d);

/// The same Jacobian, column by column whatever the model.
cr_status cri_step_jacobian_columns(const cr_model* m, const cr_data* d, cr_jacobian* work,
                                    cr_real* by_x, cr_real* by_ctrl, cr_real* by_force);

#endif
