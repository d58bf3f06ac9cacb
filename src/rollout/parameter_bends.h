// SPDX-License-Identifier: Apache-2.0
// Where the step has no derivative over an entry of a parameter: column `bends` of model/model_fields.h.
#ifndef CR_ROLLOUT_PARAMETER_BENDS_H
#define CR_ROLLOUT_PARAMETER_BENDS_H

#include "model/fields.h"

typedef enum {
  CRI_BEND_NONE,
  CRI_BEND_SIDES,  // a slope on each side
  CRI_BEND_FLOOR,  // the same, and it moves up only
  CRI_BEND_SWITCH  // a little beside it stands another model
} cri_bend;

/// Of entry k of the tangent of field id, at its value in m. CRI_BEND_NONE where the field is no parameter.
cri_bend cri_bend_at(const cr_model* m, cr_field_id id, int k);

#endif
