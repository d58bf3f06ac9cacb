// SPDX-License-Identifier: Apache-2.0
// Windows on a pool, each with sums of its own; these are added in their order.
#include "identify/batch_gradient.h"

#include <stdlib.h>

#include "predict/window_adjoint.h"

typedef struct {
  cri_search* search;
  const int* window;
  cr_real *x_bar, *derived;  // of every window; NULL: the cost alone
  cr_real* cost;
  int64_t* numbers;
  int nderived;
} batch;

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
}

// made when it is first needed: a search by sensitivities has no use for it
static cr_status prepare(cri_search* s, cr_error* error) {
  int n = cr_pool_size(s->pool);
  if (s->adjoint == NULL) {
    s->adjoint = calloc((size_t)n, sizeof(cri_window_adjoint*));
  }
  cr_status status = s->adjoint != NULL ? CR_OK : no_memory(error);
  for (int i = 0; i < n && status == CR_OK; i++) {
    status =
        s->adjoint[i] != NULL ? CR_OK : cri_window_adjoint_create(&s->adjoint[i], &s->p, error);
  }
  return status;
}

static cr_status work(void* context, int item, int worker) {
  const batch* b = context;
  cri_search* s = b->search;
  const cri_problem* p = &s->p;
  cr_error* error = &s->errors[worker];
  cr_status status = CR_OK;
  if (s->stop != NULL && s->stop(s->context)) {
    status = cri_fail(error, CR_ERR_INTERRUPTED, "interrupted");
  } else {
    const cri_window_gradient to = {b->x_bar + (ptrdiff_t)item * p->n,
                                    b->derived + (ptrdiff_t)item * b->nderived};
    status = cri_window_adjoint_run(s->adjoint[worker], s->predictor[worker], p, b->window[item],
                                    &b->cost[item], &b->numbers[item],
                                    b->x_bar != NULL ? &to : NULL, error);
  }
  if (status != CR_OK && (s->failed[worker] < 0 || item < s->failed[worker])) {
    s->failed[worker] = item;
  }
  return status;
}

static bool all_zero(const cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) {
      return false;
    }
  }
  return true;
}

// the sum over windows, and from cotangents of parameters to those of x
static cr_status gather(const batch* b, int n, cr_real* x_bar, cr_error* error) {
  const cri_problem* p = &b->search->p;
  cr_real *sum = b->x_bar, *derived = b->derived;
  for (int k = 1; k < n; k++) {
    for (int i = 0; i < p->n; i++) {
      sum[i] += b->x_bar[(ptrdiff_t)k * p->n + i];
    }
    for (int i = 0; i < b->nderived; i++) {
      derived[i] += b->derived[(ptrdiff_t)k * b->nderived + i];
    }
  }
  if (!all_zero(derived, b->nderived)) {
    CR_TRY(cri_parameters_derived(p->parameters, derived, sum, error));
  }
  cr_copy(x_bar, sum, p->n);
  cri_parameters_chain(p->parameters, p->x, sum, x_bar);
  return CR_OK;
}

cr_status cri_gradient_of(cri_search* s, const int* window, int n, cr_real* cost, int64_t* numbers,
                          cr_real* x_bar, cr_error* error) {
  const cri_problem* p = &s->p;
  CR_TRY(prepare(s, error));
  batch b = {.search = s, .window = window, .nderived = cri_parameters_nderived(p->parameters)};
  size_t rows = x_bar != NULL ? (size_t)n : 0, each = (size_t)p->n + (size_t)b.nderived;
  cr_real* room = calloc(rows * each + (size_t)n + 1, sizeof *room);
  b.numbers = calloc((size_t)n + 1, sizeof *b.numbers);
  if (room == NULL || b.numbers == NULL) {
    free(room);
    free(b.numbers);
    return no_memory(error);
  }
  b.cost = room;
  b.x_bar = x_bar != NULL ? room + n : NULL;
  b.derived = room + n + rows * (size_t)p->n;
  cr_status status = cri_search_run(s, n, work, &b, error);
  if (status == CR_OK && x_bar != NULL) {
    status = n > 0 ? gather(&b, n, x_bar, error) : CR_OK;
  }
  *cost = 0;
  *numbers = 0;
  for (int k = 0; k < n; k++) {
    *cost += b.cost[k];
    *numbers += b.numbers[k];
  }
  free(room);
  free(b.numbers);
  return status;
}
