// SPDX-License-Identifier: Apache-2.0
// Estimators of the gradient of a smoothed loss. carom/estimator.h documents the public function.
#include "carom/estimator.h"

#include <stdlib.h>

#include "base/pool.h"
#include "gradient/draws.h"
#include "gradient/gradient.h"
#include "gradient/moments.h"
#include "gradient/shared_samples.h"
#include "model/misuse.h"
#include "model/model_check.h"

typedef struct {
  cr_gradient* const* workers;
  const cr_loss* losses;
  const cr_estimator_options* o;
  int n, chunk;
  int first, part;  // first sample of the chunk; first one in it of this process
  cri_draws draws;
  cri_start start;
  cr_real *loss, *rows, *w;  // chunk; chunk x n, of gradients; a row for each worker
  cr_real* score;
  cr_error* errors;  // one a worker
  cr_real* memory;
  cri_moments s;
} estimator;

// ---- memory

static cr_real* take(cr_real** at, size_t n) {
  cr_real* x = *at;
  *at += n;
  return x;
}

static cr_status make(estimator* e, int nworker, cr_error* error) {
  size_t n = (size_t)e->n, chunk = (size_t)e->chunk, rows = chunk * n;
  cr_real* at = e->memory = calloc(chunk + rows + (size_t)nworker * n + n + 1, sizeof *at);
  e->errors = calloc((size_t)nworker, sizeof *e->errors);
  if (at == NULL || e->errors == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "estimator: no memory for %d numbers", e->n);
  }
  e->loss = take(&at, chunk);
  e->rows = take(&at, rows);
  e->w = take(&at, (size_t)nworker * n);
  e->score = take(&at, n);
  CR_TRY(cri_draws_make(&e->draws, e->o, e->n, error));
  return cri_moments_make(&e->s, e->n, cri_draws_group(&e->draws), e->o->kind, error);
}

static void let_go(estimator* e) {
  cri_draws_free(&e->draws);
  cri_moments_free(&e->s);
  cri_start_free(&e->start);
  free(e->errors);
  free(e->memory);
}

// ---- one sample, on one worker

// item: of the chunk
static cr_status run_sample(estimator* e, int item, int worker, cr_error* error) {
  cr_gradient* g = e->workers[worker];
  const cr_loss* loss = &e->losses[worker];
  cr_real* w = e->w + (ptrdiff_t)worker * e->n;
  cri_draws_get(&e->draws, e->first + item, w, NULL);
  CR_TRY(cri_gradient_put(g, &e->start, w, error));
  CR_TRY(cri_gradient_moves_model(g) ? cri_model_check(g->m, error) : CR_OK);
  CR_TRY(cr_rollout_run(g->rollout, g->m, g->nstep, loss, error));
  e->loss[item] = g->rollout->loss;
  if (!isfinite(e->loss[item])) {
    return cri_fail(error, CR_ERR_NONFINITE, "the loss is %g", (double)e->loss[item]);
  }
  if (!e->s.by_gradient) {
    return CR_OK;
  }
  CR_TRY(cr_rollout_gradient(g->rollout, g->m, g->backward, loss, error));
  return cri_gradient_read_moved(g, w, e->rows + (ptrdiff_t)item * e->n, error);
}

static cr_status sample(void* context, int index, int worker) {
  estimator* e = context;
  int item = e->part + index;
  const cr_estimator_options* o = e->o;
  cr_error* error = &e->errors[worker];
  if (o->stop != NULL && o->stop(o->context)) {
    return cri_fail(error, CR_ERR_INTERRUPTED, "estimator: interrupted at sample %d",
                    e->first + item);
  }
  cr_error inner = {0};
  cr_status status = run_sample(e, item, worker, &inner);
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "sample %d: %s", e->first + item, inner.text);
}

// ---- sums

static void add_sample(estimator* e, int item) {
  if (e->s.by_loss) {
    cri_draws_get(&e->draws, e->first + item, e->w, e->score);
  }
  cri_moments_add(&e->s, e->loss[item], e->rows + (ptrdiff_t)item * e->n, e->score);
}

// of the workers that failed, the one with the lowest sample is that of the pool's status
static cr_status run_part(estimator* e, cr_pool* pool, int n, cr_error* error) {
  cr_status status = cr_pool_run(pool, n, sample, e);
  for (int i = 0; i < cr_pool_size(pool) && status != CR_OK; i++) {
    if (e->errors[i].status == status) {
      return cri_fail(error, status, "%s", e->errors[i].text);
    }
  }
  return status;
}

static cr_status find_samples(estimator* e, cr_pool* pool, cr_error* error) {
  const cr_processes* p = e->o->processes;
  for (e->first = 0; e->first < e->o->samples; e->first += e->chunk) {
    int n = e->o->samples - e->first < e->chunk ? e->o->samples - e->first : e->chunk, end;
    cri_processes_part(p, n, &e->part, &end);
    cr_status status = run_part(e, pool, end - e->part, error);
    CR_TRY(cri_processes_share(p, status, e->loss, n, sizeof *e->loss, error));
    if (e->s.by_gradient) {
      size_t size = (size_t)e->n * sizeof *e->rows;
      CR_TRY(cri_processes_share(p, CR_OK, e->rows, n, size, error));
    }
    for (int i = 0; i < n; i++) {
      add_sample(e, i);
    }
  }
  return CR_OK;
}

// ---- the call

static cr_status check_workers(const cri_call* call, cr_gradient* const* workers,
                               const cr_loss* losses, int nworker) {
  CR_TRY(cri_given(call, workers, "the workers"));
  CR_TRY(cri_given(call, losses, "the losses"));
  if (nworker < 1) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %d workers", call->name, nworker);
  }
  for (int i = 0; i < nworker; i++) {
    CR_TRY(cri_given(call, workers[i], "a worker"));
    const cri_shape shape = cri_shape_of(workers[0]->m);
    if (!cri_has_shape(workers[i]->m, &shape) || workers[i]->nstep != workers[0]->nstep ||
        cri_gradient_size(workers[i]) != cri_gradient_size(workers[0]) ||
        (i > 0 && workers[i]->m == workers[0]->m)) {
      return cri_fail(call->error, CR_ERR_ARG,
                      "%s: worker %d is not like worker 0, with a model of its own", call->name, i);
    }
    if (workers[i]->backward != workers[i]->m && cri_gradient_moves_model(workers[i])) {
      return cri_fail(call->error, CR_ERR_ARG,
                      "%s: samples move parameters, and the backward pass has a model of its own",
                      call->name);
    }
    if (losses[i].value == NULL) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: loss %d has no value", call->name, i);
    }
  }
  return CR_OK;
}

static cr_status prepare(estimator* e, int nworker, cr_pool** pool, cr_error* error) {
  cr_gradient* g = e->workers[0];
  CR_TRY(make(e, nworker, error));
  CR_TRY(cr_rollout_run(g->rollout, g->m, g->nstep, &e->losses[0], error));
  cri_moments_begin(&e->s, g->rollout->loss);
  CR_TRY(cri_start_keep(&e->start, g->m, g->rollout, error));
  for (int i = 1; i < nworker; i++) {
    cri_start_put(&e->start, e->workers[i]->m, e->workers[i]->rollout);
  }
  return cr_pool_create(pool, nworker, error);
}

static cr_status run(estimator* e, int nworker, cr_smoothed_gradient* to, cr_error* error) {
  cr_pool* pool = NULL;
  cr_status status = prepare(e, nworker, &pool, error);
  status = cri_processes_share(e->o->processes, status, NULL, 0, 0, error);
  status = status == CR_OK ? find_samples(e, pool, error) : status;
  cr_pool_free(pool);
  if (status == CR_OK) {
    cri_moments_estimate(&e->s, e->o, to);
  }
  return status;
}

cr_status cr_gradient_estimate(cr_gradient* const* workers, const cr_loss* losses, int nworker,
                               const cr_estimator_options* options, cr_smoothed_gradient* estimate,
                               cr_error* error) {
  const cri_call call = {"cr_gradient_estimate", error};
  CR_TRY(check_workers(&call, workers, losses, nworker));
  CR_TRY(cri_given(&call, options, "the options"));
  CR_TRY(cri_check_size(&call, options->size, sizeof *options, "cr_estimator_options"));
  CR_TRY(cri_given(&call, estimate, "where the estimate goes"));
  CR_TRY(cri_check_size(&call, estimate->size, sizeof *estimate, "cr_smoothed_gradient"));
  CR_TRY(cri_estimator_check(options, error));
  CR_TRY(cri_processes_check(&call, options->processes));
  estimator e = {.workers = workers,
                 .losses = losses,
                 .o = options,
                 .n = cri_gradient_size(workers[0]),
                 .chunk = cri_processes_chunk(options->processes)};
  cr_status status = run(&e, nworker, estimate, error);
  if (e.start.d != NULL) {
    cri_start_put(&e.start, workers[0]->m, workers[0]->rollout);
  }
  let_go(&e);
  return status;
}

cr_estimator_kind cr_estimator_for(const cr_trust* trust) {
  switch (trust != NULL ? trust->verdict : CR_TRUST_YES) {
    case CR_TRUST_EVENTS:
    case CR_TRUST_KINK:
      return CR_ESTIMATOR_ALPHA;
    case CR_TRUST_CHAOTIC:
    case CR_TRUST_UNSETTLED:
      return CR_ESTIMATOR_ZEROTH;
    default:
      return CR_ESTIMATOR_FIRST;
  }
}
