// SPDX-License-Identifier: Apache-2.0
// Names of constraint rows for error messages.
#ifndef CR_CONSTRAINT_ROW_NAME_H
#define CR_CONSTRAINT_ROW_NAME_H

#include "model/data.h"

/// "the contact of geom 'floor' and geom 3", "the limit of joint 'elbow'", ...
typedef struct {
  char text[240];
} cr_row_name;
cr_row_name cri_row_name(const cr_model* m, const cr_data* d, int row);

#endif
