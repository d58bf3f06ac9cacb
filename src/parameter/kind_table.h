// SPDX-License-Identifier: Apache-2.0
// The kinds of parameters by their number.
#ifndef CR_PARAMETER_KIND_TABLE_H
#define CR_PARAMETER_KIND_TABLE_H

#include "parameter/parameter_kind.h"

/// The row of a kind, NULL if there is none.
const cri_parameter_kind* cri_parameter_kind_of(cr_fit_kind kind);

extern const cri_parameter_kind cri_kind_numbers;  // field, tied, scale, offset
extern const cri_parameter_kind cri_kind_direction;
extern const cri_parameter_kind cri_kind_box_side, cri_kind_shape, cri_kind_density;
extern const cri_parameter_kind cri_kind_inertia;

#endif
