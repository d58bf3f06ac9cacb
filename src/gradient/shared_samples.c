// SPDX-License-Identifier: Apache-2.0
// carom/estimator.h documents cr_processes.
#include "gradient/shared_samples.h"

enum { CHUNK = 64, OF_A_PROCESS = 8 };  // samples of a chunk: at least, and of each process

cr_status cri_processes_check(const cri_call* call, const cr_processes* p) {
  cr_error* error = call->error;
  if (p == NULL) {
    return CR_OK;
  }
  CR_TRY(cri_check_size(call, p->size, sizeof *p, "cr_processes"));
  if (p->count < 1 || p->rank < 0 || p->rank >= p->count) {
    return cri_fail(error, CR_ERR_ARG, "processes: number %d of %d", p->rank, p->count);
  }
  return p->count == 1 || p->share != NULL
             ? CR_OK
             : cri_fail(error, CR_ERR_ARG, "processes: %d, and nothing that shares rows", p->count);
}

int cri_processes_chunk(const cr_processes* p) {
  return p != NULL && p->count > CHUNK / OF_A_PROCESS ? OF_A_PROCESS * p->count : CHUNK;
}

void cri_processes_part(const cr_processes* p, int n, int* first, int* end) {
  *first = p != NULL ? (int)((int64_t)n * p->rank / p->count) : 0;
  *end = p != NULL ? (int)((int64_t)n * (p->rank + 1) / p->count) : n;
}

cr_status cri_processes_share(const cr_processes* p, cr_status status, void* rows, int n,
                              size_t size, cr_error* error) {
  return p != NULL && p->count > 1 ? p->share(p->context, status, rows, n, size, error) : status;
}
