// SPDX-License-Identifier: Apache-2.0
// Ranks by MPI. Only the main thread of a process calls MPI.
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "command/ranks.h"

const bool cr_ranks_have_mpi = true;

static cr_status failed(const char* what, int code, cr_error* error) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  (void)MPI_Error_string(code, text, &length);
  return cri_fail(error, CR_ERR_ARG, "MPI: %s: %s", what, text);
}

cr_status cr_ranks_open(cr_ranks* ranks, cr_error* error) {
  int provided = 0;
  *ranks = (cr_ranks){.rank = 0, .size = 1};
  if (cr_ranks_launched() == 1) {
    return CR_OK;
  }
  int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (code != MPI_SUCCESS) {
    return failed("cannot start", code, error);
  }
  ranks->open = true;
  (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks->size);
  if (ranks->size == 1) {  // several, and each is alone: another MPI than the launcher's
    return cri_fail(error, CR_ERR_ARG,
                    "started as one of %d processes, by another MPI than the one with which this "
                    "carom was built",
                    cr_ranks_launched());
  }
  return CR_OK;
}

void cr_ranks_close(cr_ranks* ranks) {
  if (ranks->open) {
    (void)MPI_Finalize();
    ranks->open = false;
  }
}

cr_status cr_ranks_agree(const cr_ranks* ranks, cr_status status, cr_error* error) {
  if (!ranks->open) {
    return status;
  }
  int mine = status == CR_OK ? ranks->size : ranks->rank, lowest = mine;
  int code = MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (code != MPI_SUCCESS) {
    return failed("cannot agree", code, error);
  }
  if (lowest == ranks->size) {
    return CR_OK;
  }
  cr_error told = *error;
  told.status = status;
  code = MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, lowest, MPI_COMM_WORLD);
  return code == MPI_SUCCESS
             ? cri_fail(error, told.status, "rank %d of %d: %s", lowest, ranks->size, told.text)
             : failed("cannot agree", code, error);
}

// `mine` NULL: the rows of this rank are in their places in `all`, and go to every rank; otherwise to rank 0
static cr_status gather_rows(const cr_ranks* ranks, const void* mine, int n, MPI_Datatype row,
                             void* all, int* counts, int* firsts, cr_error* error) {
  for (int i = 0; i < ranks->size; i++) {
    cr_ranks_share(ranks, i, n, &firsts[i], &counts[i]);
  }
  int code = mine == NULL
                 ? MPI_Allgatherv(MPI_IN_PLACE, 0, row, all, counts, firsts, row, MPI_COMM_WORLD)
                 : MPI_Gatherv(mine, counts[ranks->rank], row, all, counts, firsts, row, 0,
                               MPI_COMM_WORLD);
  return code == MPI_SUCCESS ? CR_OK : failed("cannot gather results", code, error);
}

static cr_status gather(const cr_ranks* ranks, const void* mine, int n, size_t size, void* all,
                        cr_error* error) {
  if (size > INT_MAX) {
    return cri_fail(error, CR_ERR_ARG, "MPI: a row of %zu bytes is too large", size);
  }
  int* counts = calloc(2 * (size_t)ranks->size, sizeof *counts);
  cr_status status =
      counts != NULL ? CR_OK
                     : cri_fail(error, CR_ERR_MEMORY, "MPI: no memory for %d ranks", ranks->size);
  // if one rank has no memory the others must not wait for its rows
  status = cr_ranks_agree(ranks, status, error);
  if (status != CR_OK) {
    free(counts);
    return status;
  }
  MPI_Datatype row;
  (void)MPI_Type_contiguous((int)size, MPI_BYTE, &row);
  (void)MPI_Type_commit(&row);
  status = gather_rows(ranks, mine, n, row, all, counts, counts + ranks->size, error);
  (void)MPI_Type_free(&row);
  free(counts);
  return status;
}

cr_status cr_ranks_gather(const cr_ranks* ranks, const void* mine, int n, size_t size, void* all,
                          cr_error* error) {
  if (n == 0 || size == 0) {
    return CR_OK;
  }
  if (!ranks->open) {
    memcpy(all, mine, (size_t)n * size);
    return CR_OK;
  }
  return gather(ranks, mine, n, size, all, error);
}

cr_status cr_ranks_gather_all(const cr_ranks* ranks, int n, size_t size, void* all,
                              cr_error* error) {
  return n == 0 || size == 0 || !ranks->open ? CR_OK : gather(ranks, NULL, n, size, all, error);
}

cr_status cr_ranks_tell(const cr_ranks* ranks, int* number, cr_error* error) {
  int code = ranks->open ? MPI_Bcast(number, 1, MPI_INT, 0, MPI_COMM_WORLD) : MPI_SUCCESS;
  return code == MPI_SUCCESS ? CR_OK : failed("cannot tell", code, error);
}

cr_status cr_ranks_pass(const cr_ranks* ranks, const void* sent, void* received, size_t size,
                        cr_error* error) {
  if (!ranks->open) {
    memcpy(received, sent, size);
    return CR_OK;
  }
  if (size > INT_MAX) {
    return cri_fail(error, CR_ERR_ARG, "MPI: a message of %zu bytes is too large", size);
  }
  int next = (ranks->rank + 1) % ranks->size;
  int before = (ranks->rank + ranks->size - 1) % ranks->size;
  int code = MPI_Sendrecv(sent, (int)size, MPI_BYTE, next, 0, received, (int)size, MPI_BYTE, before,
                          0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? CR_OK : failed("cannot pass on", code, error);
}

cr_status cr_ranks_lowest(const cr_ranks* ranks, int* number, cr_error* error) {
  int lowest = *number;
  int code = ranks->open ? MPI_Allreduce(number, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD)
                         : MPI_SUCCESS;
  *number = lowest;
  return code == MPI_SUCCESS ? CR_OK : failed("cannot compare", code, error);
}
