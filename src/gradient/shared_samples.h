// SPDX-License-Identifier: Apache-2.0
// Samples shared by several processes: which one runs which, and how all come by all results.
#ifndef CR_GRADIENT_SHARED_SAMPLES_H
#define CR_GRADIENT_SHARED_SAMPLES_H

#include "carom/estimator.h"
#include "model/misuse.h"

/// Errors   CR_ERR_ARG; NULL is one process
cr_status cri_processes_check(const cri_call* call, const cr_processes* p);

/// Samples between two exchanges: at least 64, several for each process.
int cri_processes_chunk(const cr_processes* p);

/// The rows of n that this process makes: from *first, before *end.
void cri_processes_part(const cr_processes* p, int n, int* first, int* end);

/// Collective: all processes have all n rows of `size` bytes, or the failure of the lowest one that has one.
cr_status cri_processes_share(const cr_processes* p, cr_status status, void* rows, int n,
                              size_t size, cr_error* error);

#endif
