// SPDX-License-Identifier: Apache-2.0
// Ranks as processes that share samples of an estimate.
#include "command/ranks.h"

static cr_status share(void* context, cr_status status, void* rows, int n, size_t size,
                       cr_error* error) {
  const cr_ranks* ranks = context;
  CR_TRY(cr_ranks_agree(ranks, status, error));
  return cr_ranks_gather_all(ranks, n, size, rows, error);
}

cr_processes cr_ranks_processes(cr_ranks* ranks) {
  return (cr_processes){.size = sizeof(cr_processes),
                        .rank = ranks->rank,
                        .count = ranks->size,
                        .share = share,
                        .context = ranks};
}
