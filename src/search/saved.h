// SPDX-License-Identifier: Apache-2.0
// The state of a global search as bytes: what search it is of, and the random numbers and the piece of every island. Bytes are
// those of the machine; a state is read where it was written.
#ifndef CR_SEARCH_SAVED_H
#define CR_SEARCH_SAVED_H

#include "search/island.h"

/// Bytes of a state of so many islands, all alike.
size_t cri_state_size(const cr_island* islands, int count);

/// Writes the state of the islands after `generation` generations and `evaluations` evaluations.
void cri_state_write(void* state, const cr_island* islands, int count, int generation,
                     int64_t evaluations);

/// Reads it back into islands that are bound.
/// Errors   CR_ERR_FORMAT, with what does not fit: the size, the method, a count, the seed, bounds
cr_status cri_state_read(const void* state, size_t size, cr_island* islands, int count,
                         int* generation, int64_t* evaluations, cr_error* error);

#endif
