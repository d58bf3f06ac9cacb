// SPDX-License-Identifier: Apache-2.0
// The processes started by mpirun, behind few functions. With MPI (ranks_mpi.c) there may be
// many; without (ranks_single.c) there is one, and being one of many is an error.
//
// Every function but cr_ranks_open, cr_ranks_share and cr_ranks_processes is collective: all ranks call it, in the same
// order.
#ifndef CR_COMMAND_RANKS_H
#define CR_COMMAND_RANKS_H

#include "base/status.h"
#include "carom/estimator.h"

typedef struct {
  int rank, size;
  bool open;  // MPI is up
} cr_ranks;

/// Joins the others. A process that was not started by mpirun is alone, and MPI is not started.
/// Errors   CR_ERR_ARG if mpirun started several and this is built without MPI
cr_status cr_ranks_open(cr_ranks* ranks, cr_error* error);
void cr_ranks_close(cr_ranks* ranks);

/// True if cr_ranks_open can join several.
extern const bool cr_ranks_have_mpi;

/// Rows of n that belong to one rank: as equal as can be, in the order of the ranks.
void cr_ranks_share(const cr_ranks* ranks, int rank, int n, int* first, int* count);

/// All ranks leave with the failure of the lowest rank that has one, its number in the sentence; CR_OK
/// if none has.
cr_status cr_ranks_agree(const cr_ranks* ranks, cr_status status, cr_error* error);

/// Brings n rows of `size` bytes, shared as cr_ranks_share says, to rank 0: `all` there, in order.
/// Elsewhere `all` is not used.
/// Errors   CR_ERR_ARG if MPI fails, or a row is larger than it can send
cr_status cr_ranks_gather(const cr_ranks* ranks, const void* mine, int n, size_t size, void* all,
                          cr_error* error);

/// Brings n rows to all: `all` has those of this rank, shared as cr_ranks_share says, and afterwards those of the others.
/// Errors   CR_ERR_ARG if MPI fails, or a row is larger than it can send
cr_status cr_ranks_gather_all(const cr_ranks* ranks, int n, size_t size, void* all,
                              cr_error* error);

/// The ranks as processes that share samples. Borrows `ranks`.
cr_processes cr_ranks_processes(cr_ranks* ranks);

/// Passes `size` bytes on to the next rank, and takes those of the rank before; the ring closes.
/// Errors   CR_ERR_ARG if MPI fails
cr_status cr_ranks_pass(const cr_ranks* ranks, const void* sent, void* received, size_t size,
                        cr_error* error);

/// The lowest of all ranks' numbers.
cr_status cr_ranks_lowest(const cr_ranks* ranks, int* number, cr_error* error);

/// Sends a number of rank 0 to all.
cr_status cr_ranks_tell(const cr_ranks* ranks, int* number, cr_error* error);

/// How many processes were started together, by the variables that launchers leave in the environment; 1 if
/// there are none.
int cr_ranks_launched(void);

#endif
