// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a step by parameters; its contract is in carom/step_jacobian.h.
#ifndef CR_INTEGRATE_PARAMETER_JACOBIAN_H
#define CR_INTEGRATE_PARAMETER_JACOBIAN_H

#include "carom/step_jacobian.h"
#include "model/data.h"

/// Sets whether it goes by tangents (columns) or by cotangents (rows), which otherwise the smaller number decides.
void cri_parameter_jacobian_by_rows(cr_parameter_jacobian* work, bool by_rows);

#endif
