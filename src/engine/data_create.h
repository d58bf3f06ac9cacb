// SPDX-License-Identifier: Apache-2.0
// Data blocks with the scratch and the pairs that the stages of a model need.
#ifndef CR_ENGINE_DATA_CREATE_H
#define CR_ENGINE_DATA_CREATE_H

#include "model/data.h"

/// Allocates a data block, all zero, state reset to qpos0. NULL capacity: cri_capacity_default.
cr_status cri_data_create(cr_data** d, const cr_model* m, const cr_capacity* capacity,
                          cr_error* error);

#endif
