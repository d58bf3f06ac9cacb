// SPDX-License-Identifier: Apache-2.0
// Quasi-dynamic steps side by side.
#include <stdlib.h>

#include "base/pool.h"
#include "carom/quasidynamic.h"
#include "model/misuse.h"

struct cr_quasidynamic_batch {
  cr_pool* pool;
  int nthread, nq, nv, nu;
  cr_quasidynamic** step;  // [nthread]
  // the run
  const cr_real *qpos, *u;
  cr_real *next, *A, *B;

  cr_status* status;  // [nthread] of the lowest row of each worker that failed
  int* row;
};

static cr_status make(cr_quasidynamic_batch* x, const cr_model* m,
                      const cr_quasidynamic_options* options, int nthread, cr_error* error) {
  CR_TRY(cr_pool_create(&x->pool, nthread, error));
  x->nthread = cr_pool_size(x->pool);
  x->step = calloc((size_t)x->nthread, sizeof *x->step);
  x->status = calloc((size_t)x->nthread, sizeof *x->status);
  x->row = calloc((size_t)x->nthread, sizeof *x->row);
  if (x->step == NULL || x->status == NULL || x->row == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasi-dynamic steps: no memory");
  }
  for (int i = 0; i < x->nthread; i++) {
    CR_TRY(cr_quasidynamic_create(&x->step[i], m, options, error));
  }
  x->nq = m->nq;
  x->nv = m->nv;
  x->nu = m->nu;
  return CR_OK;
}

cr_status cr_quasidynamic_batch_create(cr_quasidynamic_batch** batch, const cr_model* m,
                                       const cr_quasidynamic_options* options, int nthread,
                                       cr_error* error) {
  const cri_call call = {"cr_quasidynamic_batch_create", error};
  CR_TRY(cri_given(&call, batch, "where the batch goes"));
  CR_TRY(cri_given(&call, m, "the model"));
  *batch = NULL;
  if (nthread < 0) {
    return cri_fail(error, CR_ERR_ARG, "quasi-dynamic steps: %d threads", nthread);
  }
  cr_quasidynamic_batch* x = calloc(1, sizeof *x);
  if (x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasi-dynamic steps: no memory");
  }
  const cr_status status = make(x, m, options, nthread, error);
  if (status != CR_OK) {
    cr_quasidynamic_batch_destroy(x);
    return status;
  }
  *batch = x;
  return CR_OK;
}

void cr_quasidynamic_batch_destroy(cr_quasidynamic_batch* batch) {
  if (batch != NULL) {
    for (int i = 0; batch->step != NULL && i < batch->nthread; i++) {
      cr_quasidynamic_destroy(batch->step[i]);
    }
    cr_pool_free(batch->pool);
    free(batch->step);
    free(batch->status);
    free(batch->row);
    free(batch);
  }
}

// row `item`; a worker that has failed leaves its later rows
static cr_status work(void* context, int item, int worker) {
  cr_quasidynamic_batch* x = context;
  cr_quasidynamic* step = x->step[worker];
  const ptrdiff_t i = item, v = x->nv;
  if (x->status[worker] != CR_OK) {
    return x->status[worker];
  }
  cr_status status =
      cr_quasidynamic_step(step, x->qpos + i * x->nq, x->u + i * x->nu, x->next + i * x->nq);
  if (status == CR_OK && (x->A != NULL || x->B != NULL)) {
    status = cr_quasidynamic_jacobian(step, x->A != NULL ? x->A + i * v * v : NULL,
                                      x->B != NULL ? x->B + i * v * x->nu : NULL);
  }
  x->status[worker] = status;
  x->row[worker] = item;
  return status;
}

cr_status cr_quasidynamic_batch_run(cr_quasidynamic_batch* batch, int n, const cr_real* qpos,
                                    const cr_real* u, cr_real* next, cr_real* A, cr_real* B,
                                    cr_error* error) {
  const cri_call call = {"cr_quasidynamic_batch_run", error};
  CR_TRY(cri_given(&call, batch, "the batch"));
  CR_TRY(cri_given(&call, qpos, "qpos"));
  CR_TRY(cri_given(&call, u, "u"));
  CR_TRY(cri_given(&call, next, "next"));
  cr_quasidynamic_batch* x = batch;
  x->qpos = qpos;
  x->u = u;
  x->next = next;
  x->A = A;
  x->B = B;
  memset(x->status, 0, (size_t)x->nthread * sizeof *x->status);
  if (cr_pool_run(x->pool, n, work, x) == CR_OK) {
    return CR_OK;
  }
  int worst = -1;
  for (int i = 0; i < x->nthread; i++) {
    if (x->status[i] != CR_OK && (worst < 0 || x->row[i] < x->row[worst])) {
      worst = i;
    }
  }
  return cri_fail(error, x->status[worst], "row %d: %s", x->row[worst],
                  cr_quasidynamic_error(x->step[worst]));
}
