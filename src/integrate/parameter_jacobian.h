// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a step by parameters, whose contract is in carom/step_jacobian.h.
#ifndef CR_INTEGRATE_PARAMETER_JACOBIAN_H
#define CR_INTEGRATE_PARAMETER_JACOBIAN_H

#include "carom/step_jacobian.h"
#include "model/data.h"

/// Makes it go by tangents (columns) or by cotangents (rows), whichever would be less.
void cri_parameter_jacobian_by_rows(cr_parameter_jacobian* work, bool by_rows);

#endif
