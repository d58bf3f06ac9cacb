// SPDX-License-Identifier: Apache-2.0
// Checks that a model is fit to compute with: indices in range, trees ordered, numbers finite and physical.
#ifndef CR_MODEL_MODEL_CHECK_H
#define CR_MODEL_MODEL_CHECK_H

#include "model/model.h"

/// CR_ERR_MODEL with a sentence naming element and field for the first fault. Faults of structure: an index out of
/// range, a parent that does not come first, counts and addresses that disagree, an unknown type. Faults of
/// numbers: NaN, a negative mass or inertia, a size below zero, a quaternion or joint axis that is not of unit
/// length, a time step that is not positive.
/// Every loader and every change of parameters calls it.
cr_status cri_model_check(const cr_model* m, cr_error* error);

/// CR_ERR_NONFINITE or CR_ERR_ARG, naming joint and field, unless n = nq numbers are finite with
/// quaternions of unit length to 1e-6.
cr_status cri_qpos_check(const cr_model* m, const cr_real* qpos, cr_error* error);

#endif
