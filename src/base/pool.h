// SPDX-License-Identifier: Apache-2.0
// A small pool of POSIX threads for independent items of work. Item i always goes to worker
// i mod nworker, and every item writes only its own results: so the numbers do not depend on the
// number of workers.
#ifndef CR_BASE_POOL_H
#define CR_BASE_POOL_H

#include "base/status.h"

typedef struct cr_pool cr_pool;

/// Work on one item; `worker` (0 <= worker < nworker) is the number of the scratch data to use.
typedef cr_status cr_pool_work(void* context, int item, int worker);

/// Starts nworker - 1 threads; the calling thread is worker 0. nworker 0 means one a processor.
cr_status cr_pool_create(cr_pool** pool, int nworker, cr_error* error);

/// Runs work on items 0 ... nitem - 1 and waits. Returns the status of the lowest item that failed.
cr_status cr_pool_run(cr_pool* pool, int nitem, cr_pool_work* work, void* context);

int cr_pool_size(const cr_pool* pool);

void cr_pool_free(cr_pool* pool);

#endif
