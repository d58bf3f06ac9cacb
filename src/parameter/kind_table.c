// SPDX-License-Identifier: Apache-2.0
#include "parameter/kind_table.h"

static const cri_parameter_kind* const kinds[] = {
    [CR_FIT_FIELD] = &cri_kind_numbers,       [CR_FIT_BOX_SIDE] = &cri_kind_box_side,
    [CR_FIT_DIRECTION] = &cri_kind_direction, [CR_FIT_TIED] = &cri_kind_numbers,
    [CR_FIT_SCALE] = &cri_kind_numbers,       [CR_FIT_OFFSET] = &cri_kind_numbers,
    [CR_FIT_INERTIA] = &cri_kind_inertia,     [CR_FIT_SHAPE] = &cri_kind_shape,
    [CR_FIT_DENSITY] = &cri_kind_density};
enum { N_KIND = (int)(sizeof kinds / sizeof kinds[0]) };

const cri_parameter_kind* cri_parameter_kind_of(cr_fit_kind kind) {
  return (int)kind >= 0 && (int)kind < N_KIND ? kinds[kind] : NULL;
}
