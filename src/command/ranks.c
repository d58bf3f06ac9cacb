// SPDX-License-Identifier: Apache-2.0
// Functions of ranks without communication: which rank has which rows, how many were started.
#include "command/ranks.h"

#include <stdlib.h>

void cr_ranks_share(const cr_ranks* ranks, int rank, int n, int* first, int* count) {
  int64_t begin = (int64_t)n * rank / ranks->size, end = (int64_t)n * (rank + 1) / ranks->size;
  *first = (int)begin;
  *count = (int)(end - begin);
}

int cr_ranks_launched(void) {
  // Open MPI; MPICH, Intel MPI and their kin; a step of Slurm
  static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS",
                                      "SLURM_STEP_NUM_TASKS"};
  int most = 1;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char* text = getenv(names[i]);
    int n = text == NULL ? 1 : (int)strtol(text, NULL, 10);
    most = n > most ? n : most;
  }
  return most;
}
