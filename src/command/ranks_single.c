// SPDX-License-Identifier: Apache-2.0
// Ranks without MPI: one.
#include <string.h>

#include "command/ranks.h"

const bool cr_ranks_have_mpi = false;

cr_status cr_ranks_open(cr_ranks* ranks, cr_error* error) {
  *ranks = (cr_ranks){.rank = 0, .size = 1};
  int launched = cr_ranks_launched();
  if (launched > 1) {
    return cri_fail(error, CR_ERR_ARG,
                    "started as one of %d processes, but this carom was built without MPI: install "
                    "it (libopenmpi-dev, openmpi-bin) and build again, or run one process",
                    launched);
  }
  return CR_OK;
}

void cr_ranks_close(cr_ranks* ranks) { ranks->open = false; }

cr_status cr_ranks_agree(const cr_ranks* ranks, cr_status status, cr_error* error) {
  (void)ranks, (void)error;
  return status;
}

cr_status cr_ranks_gather(const cr_ranks* ranks, const void* mine, int n, size_t size, void* all,
                          cr_error* error) {
  (void)ranks, (void)error;
  if (n > 0 && size > 0) {
    memcpy(all, mine, (size_t)n * size);
  }
  return CR_OK;
}

cr_status cr_ranks_gather_all(const cr_ranks* ranks, int n, size_t size, void* all,
                              cr_error* error) {
  (void)ranks, (void)n, (void)size, (void)all, (void)error;
  return CR_OK;
}

cr_status cr_ranks_tell(const cr_ranks* ranks, int* number, cr_error* error) {
  (void)ranks, (void)number, (void)error;
  return CR_OK;
}

cr_status cr_ranks_pass(const cr_ranks* ranks, const void* sent, void* received, size_t size,
                        cr_error* error) {
  (void)ranks, (void)error;
  memcpy(received, sent, size);
  return CR_OK;
}

cr_status cr_ranks_lowest(const cr_ranks* ranks, int* number, cr_error* error) {
  (void)ranks, (void)number, (void)error;
  return CR_OK;
}
