// SPDX-License-Identifier: Apache-2.0
// The loss over windows, in chunks on the pool.
#include "learn/identify.h"

#include <stdlib.h>

enum { CHUNK = 32 };  // windows; fixed, since it decides the result's last digits

typedef struct {
  cr_rollout* rollout;
  cr_window window;
  cr_real *p_bar, *derived;  // of one window
  cr_error error;
  int failed_chunk;  // -1 none
} worker;

typedef struct {
  cr_real loss, more;
  int zero_windows, contact_free;
} chunk_sum;

struct cr_identify {
  cr_identify_def def;
  int nworker, nparameter, nderived;
  worker* workers;
  chunk_sum* sums;           // a row a chunk
  cr_real *p_bar, *derived;  // a row a chunk
  int32_t* order;            // windows of a batch
  int batch;
  uint64_t seed;

  // the current evaluation
  cr_model backward;
  const int32_t* windows;
  int n;
  bool gradient;
};

// ---- creation

static cr_status make_workers(cr_identify* id, cr_error* error) {
  const cr_identify_def* def = &id->def;
  const cr_model* m = cri_parameters_model(def->parameters);
  id->workers = calloc((size_t)id->nworker, sizeof *id->workers);
  if (id->workers == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identify: no memory");
  }
  for (int i = 0; i < id->nworker; i++) {
    worker* w = &id->workers[i];
    CR_TRY(cri_rollout_create(&w->rollout, m, def->nstep * def->every,
                              cri_parameters_wanted(def->parameters), error));
    CR_TRY(cr_rollout_set_adaptive(w->rollout, m, def->adaptive, error));
    if (def->memory > 0) {
      CR_TRY(cr_rollout_set_memory(w->rollout, m, def->memory, error));
    }
    CR_TRY(cr_rollout_set_adjoint(w->rollout, m, def->adjoint, error));
    w->p_bar = calloc((size_t)(id->nparameter + id->nderived), sizeof *w->p_bar);
    if (w->p_bar == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "identify: no memory");
    }
    w->derived = w->p_bar + id->nparameter;
  }
  return CR_OK;
}

static cr_status make_sums(cr_identify* id, cr_error* error) {
  size_t nchunk = (size_t)(id->def.nwindow / CHUNK + 1);
  id->sums = calloc(nchunk, sizeof *id->sums);
  id->p_bar = calloc(nchunk * (size_t)id->nparameter, sizeof *id->p_bar);
  id->derived = calloc(nchunk * (size_t)id->nderived, sizeof *id->derived);
  id->order = calloc((size_t)id->def.nwindow + 1, sizeof *id->order);
  bool ok = id->sums != NULL && id->p_bar != NULL && id->derived != NULL && id->order != NULL;
  return ok ? CR_OK
            : cri_fail(error, CR_ERR_MEMORY, "identify: no memory for %d windows", id->def.nwindow);
}

cr_status cr_identify_create(cr_identify** out, const cr_identify_def* def, cr_error* error) {
  if (cri_parameters_model(def->parameters)->nv == 0) {
    return cri_fail(error, CR_ERR_ARG, "the model has no joints: there is no motion to predict");
  }
  cr_identify* id = calloc(1, sizeof *id);
  if (id == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identify: no memory");
  }
  id->def = *def;
  id->def.every = def->every > 0 ? def->every : 1;
  id->nworker = cr_pool_size(def->pool);
  id->nparameter = cri_parameters_count(def->parameters);
  id->nderived = cri_parameters_nderived(def->parameters);
  cr_status status = make_workers(id, error);
  status = status == CR_OK ? make_sums(id, error) : status;
  if (status != CR_OK) {
    cr_identify_free(id);
    return status;
  }
  *out = id;
  return CR_OK;
}

void cr_identify_free(cr_identify* id) {
  if (id == NULL) {
    return;
  }
  for (int i = 0; i < id->nworker && id->workers != NULL; i++) {
    cr_rollout_destroy(id->workers[i].rollout);
    free(id->workers[i].p_bar);
  }
  free(id->workers);
  free(id->sums);
  free(id->p_bar);
  free(id->derived);
  free(id->order);
  free(id);
}

// ---- one window

static int steps_of(const cr_identify* id, const cr_window_place* place) {
  return place->steps > 0 ? place->steps : id->def.nstep;
}

// seconds between the states that a loss looks at
static cr_real interval_of(const cr_identify* id, const cr_model* m) {
  const cr_adaptive* adaptive = id->def.adaptive;
  return adaptive != NULL && adaptive->grid > 0 ? adaptive->grid : m->timestep;
}

static cr_status run_window(cr_identify* id, worker* w, const cr_window_place* place,
                            chunk_sum* sum) {
  const cr_model* m = cri_parameters_model(id->def.parameters);
  const cri_run* run = &id->def.tosses[place->toss];
  w->window = (cr_window){.state = run->state + (size_t)place->row * (size_t)cri_state_width(m),
                          .nstep = steps_of(id, place),
                          .every = id->def.every,
                          .weights = id->def.weights,
                          .norm = id->def.norm};
  const cr_more_loss* more = &id->def.more;
  int nstep = w->window.nstep * id->def.every;
  if (more->loss != NULL) {
    w->window.more = more->loss(more->context, (int)(w - id->workers), nstep, interval_of(id, m));
  }
  cr_loss loss = cr_window_loss(&w->window);
  cr_window_start(&w->window, m, w->rollout->d);
  cr_window_controls(&w->window, m, w->rollout->ctrl);
  CR_TRY(cr_rollout_run(w->rollout, m, nstep, &loss, &w->error));
  sum->loss += w->rollout->loss;
  sum->more += w->window.by_more;
  sum->contact_free += w->rollout->rows == 0;
  if (!id->gradient) {
    return CR_OK;
  }
  CR_TRY(cr_rollout_gradient(w->rollout, m, &id->backward, &loss, &w->error));
  cr_zero(w->p_bar, id->nparameter);
  cr_zero(w->derived, id->nderived);
  cri_parameters_pullback(id->def.parameters, &w->rollout->bar->par, w->p_bar, w->derived);
  return CR_OK;
}

// adds a window's cotangents to its chunk's; returns true if all of them are zero
static bool add_window(cr_real* to, const cr_real* from, int n) {
  bool zero = true;
  for (int i = 0; i < n; i++) {
    to[i] += from[i];
    zero = zero && from[i] == 0;
  }
  return zero;
}

// ---- a chunk, on one worker

static cr_status work(void* context, int chunk, int index) {
  cr_identify* id = context;
  worker* w = &id->workers[index];
  chunk_sum* sum = &id->sums[chunk];
  cr_real* p_bar = id->p_bar + (size_t)chunk * (size_t)id->nparameter;
  cr_real* derived = id->derived + (size_t)chunk * (size_t)id->nderived;
  *sum = (chunk_sum){0};
  cr_zero(p_bar, id->nparameter);
  cr_zero(derived, id->nderived);
  if (id->def.stop != NULL && id->def.stop(id->def.stop_context)) {
    w->failed_chunk = chunk;
    return cri_fail(&w->error, CR_ERR_INTERRUPTED, "interrupted");
  }
  int end = chunk * CHUNK + CHUNK < id->n ? chunk * CHUNK + CHUNK : id->n;
  for (int k = chunk * CHUNK; k < end; k++) {
    const cr_window_place* place = &id->def.windows[id->windows != NULL ? id->windows[k] : k];
    cr_status status = run_window(id, w, place, sum);
    if (status != CR_OK) {
      cr_error inner = w->error;
      w->failed_chunk = chunk;
      return cri_fail(&w->error, status, "recording %s, rows %d to %d: %s",
                      id->def.tosses[place->toss].name, place->row,
                      place->row + steps_of(id, place), inner.text);
    }
    if (id->gradient) {
      bool zero = add_window(p_bar, w->p_bar, id->nparameter);
      sum->zero_windows += add_window(derived, w->derived, id->nderived) && zero;
    }
  }
  return CR_OK;
}

// ---- all chunks

// of the workers that failed, the one with the lowest chunk
static cr_status report_failure(const cr_identify* id, cr_status status, cr_error* error) {
  const worker* first = NULL;
  for (int i = 0; i < id->nworker; i++) {
    const worker* w = &id->workers[i];
    if (w->failed_chunk >= 0 && (first == NULL || w->failed_chunk < first->failed_chunk)) {
      first = w;
    }
  }
  return cri_fail(error, status, "%s", first != NULL ? first->error.text : "no worker failed");
}

// chunk 0 gathers the others, in their order
static void sum_chunks(cr_identify* id, int nchunk) {
  for (int c = 1; c < nchunk; c++) {
    id->sums[0].loss += id->sums[c].loss;
    id->sums[0].more += id->sums[c].more;
    id->sums[0].zero_windows += id->sums[c].zero_windows;
    id->sums[0].contact_free += id->sums[c].contact_free;
    (void)add_window(id->p_bar, id->p_bar + (size_t)c * (size_t)id->nparameter, id->nparameter);
    (void)add_window(id->derived, id->derived + (size_t)c * (size_t)id->nderived, id->nderived);
  }
}

cr_status cr_identify_evaluate(cr_identify* id, const cr_real* x, const int32_t* windows, int n,
                               cr_evaluation* result, cr_error* error) {
  cr_parameters* ps = id->def.parameters;
  cr_real p[CR_MAX_PARAMETERS];
  cri_parameters_values(ps, x, p);
  CR_TRY(cri_parameters_apply(ps, p, error));
  id->backward = *cri_parameters_model(ps);
  id->backward.memory = NULL;
  id->backward.cfd = id->def.cfd;
  id->windows = windows;
  id->n = windows != NULL ? n : id->def.nwindow;
  id->gradient = result->gradient != NULL;
  for (int i = 0; i < id->nworker; i++) {
    id->workers[i].failed_chunk = -1;
  }

  int nchunk = (id->n + CHUNK - 1) / CHUNK;
  cr_status status = cr_pool_run(id->def.pool, nchunk, work, id);
  if (status != CR_OK) {
    return report_failure(id, status, error);
  }
  sum_chunks(id, nchunk);
  cr_real share = id->n > 0 ? 1 / (cr_real)id->n : 0;
  result->value = id->n > 0 ? id->sums[0].loss * share : 0;
  result->more = id->n > 0 ? id->sums[0].more * share : 0;
  result->windows = id->n;
  result->zero_windows = id->n > 0 ? id->sums[0].zero_windows : 0;
  result->contact_free = id->n > 0 ? id->sums[0].contact_free : 0;
  if (id->gradient) {
    CR_TRY(cri_parameters_derived(ps, id->derived, id->p_bar, error));
    for (int i = 0; i < id->nparameter; i++) {
      id->p_bar[i] *= share;
    }
    cri_parameters_chain(ps, x, id->p_bar, result->gradient);
  }
  return CR_OK;
}

// ---- as an objective

static cr_status evaluate_objective(void* context, int batch, const cr_real* x,
                                    cr_evaluation* result, cr_error* error) {
  cr_identify* id = context;
  if (batch == CR_ALL_DATA || id->batch <= 0 || id->batch >= id->def.nwindow) {
    return cr_identify_evaluate(id, x, NULL, 0, result, error);
  }
  cr_windows_batch(id->order, id->def.nwindow, id->batch, id->seed, batch);
  return cr_identify_evaluate(id, x, id->order, id->batch, result, error);
}

cr_objective cr_identify_objective(cr_identify* id, int batch, uint64_t seed) {
  id->batch = batch;
  id->seed = seed;
  return (cr_objective){.context = id, .n = id->nparameter, .evaluate = evaluate_objective};
}
