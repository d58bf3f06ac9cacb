// SPDX-License-Identifier: Apache-2.0
#include "engine/data_create.h"

#include <limits.h>

#include "base/status.h"
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

// the rule's room, with rows and non-zeros as many times as contacts
static cr_status larger(cr_capacity* room, int contacts, cr_error* error) {
  int64_t times = contacts / (room->ncon > 0 ? room->ncon : 1) + 1;
  int64_t nefc = room->nefc * times, nJ = room->nJ * times;
  if (nefc > INT_MAX || nJ > INT_MAX) {
    return cri_fail(error, CR_ERR_MEMORY, "room for %d contacts: too much memory", contacts);
  }
  *room = (cr_capacity){.ncon = contacts, .nefc = (int)nefc, .nJ = (int)nJ};
  return CR_OK;
}

cr_status cr_data_create_room(cr_data** d, const cr_model* m, int contacts, cr_error* error) {
  const cri_call call = {"cr_data_create_room", error};
  CR_TRY(cri_given(&call, d, "where the data goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  *d = NULL;
  if (contacts < 0) {
    return cri_fail(error, CR_ERR_ARG, "cr_data_create_room: room for %d contacts", contacts);
  }
  cr_capacity room = cri_capacity_default(m);
  if (contacts > room.ncon) {
    CR_TRY(larger(&room, contacts, error));
  }
  return cri_data_create(d, m, &room, error);
}
