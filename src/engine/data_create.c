// SPDX-License-Identifier: Apache-2.0
#include "engine/data_create.h"

#include "carom/data.h"
#include "engine/pipeline.h"
#include "model/misuse.h"

cr_status cri_data_create(cr_data** d, const cr_model* m, const cr_capacity* capacity,
                          cr_error* error) {
  return cri_data_make(d, m, cri_needs_of, capacity, error);
}

cr_status cr_data_create(cr_data** d, const cr_model* m, cr_error* error) {
  const cri_call call = {"cr_data_create", error};
  CR_TRY(cri_given(&call, d, "where the data goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  return cri_data_create(d, m, NULL, error);
}
