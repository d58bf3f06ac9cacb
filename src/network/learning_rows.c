// SPDX-License-Identifier: Apache-2.0
// Rows to learn from, and the loss of some of their sequences.
#include "network/learning_rows.h"

#include <limits.h>
#include <stdlib.h>

#include "model/misuse.h"
#include "network/losses.h"

// ---- rows

void cri_rows_free(cri_rows* r) {
  free(r->begin);
  free(r->input);
  free(r->target);
  free(r->weight);
  *r = (cri_rows){0};
}

static cr_status check_data(const cri_call* call, const cr_learning_data* d) {
  CR_TRY(cri_given(call, d, "the data"));
  CR_TRY(cri_check_size(call, d->size, sizeof *d, "cr_learning_data"));
  CR_TRY(cri_given(call, d->input, "input"));
  CR_TRY(cri_given(call, d->target, "target"));
  if (d->nsequence < 1) {
    return cri_fail(call->error, CR_ERR_ARG, "%s: %d sequences", call->name, d->nsequence);
  }
  return CR_OK;
}

static cr_status count_rows(const cri_call* call, cri_rows* r, const cr_learning_data* d) {
  r->nsequence = d->nsequence;
  r->begin = malloc(((size_t)d->nsequence + 1) * sizeof *r->begin);
  if (r->begin == NULL) {
    return cri_fail(call->error, CR_ERR_MEMORY, "%s: no memory", call->name);
  }
  for (int i = 0; i < d->nsequence; i++) {
    const int64_t n = d->length != NULL ? d->length[i] : 1;
    if (n < 1) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: sequence %d has %lld rows", call->name, i,
                      (long long)n);
    }
    r->begin[i] = r->nrow;
    r->nrow += n;
  }
  r->begin[d->nsequence] = r->nrow;
  return r->nrow < INT_MAX / 2 ? CR_OK
                               : cri_fail(call->error, CR_ERR_ARG, "%s: %lld rows are too many",
                                          call->name, (long long)r->nrow);
}

static cr_status copy_numbers(const cri_call* call, cr_real** to, const cr_real* from, int64_t rows,
                              int n, const char* what) {
  const size_t count = (size_t)rows * (size_t)n;
  *to = count < SIZE_MAX / sizeof(cr_real) ? malloc(count * sizeof(cr_real)) : NULL;
  if (*to == NULL) {
    return cri_fail(call->error, CR_ERR_MEMORY, "%s: no memory for %lld rows", call->name,
                    (long long)rows);
  }
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(from[i])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: %s of row %zu is not finite", call->name, what,
                      i / (size_t)n);
    }
    (*to)[i] = from[i];
  }
  return CR_OK;
}

static cr_status fill_rows(const cri_call* call, cri_rows* r, const cr_learning_data* d) {
  CR_TRY(count_rows(call, r, d));
  CR_TRY(copy_numbers(call, &r->input, d->input, r->nrow, r->ninput, "an input"));
  CR_TRY(copy_numbers(call, &r->target, d->target, r->nrow, r->noutput, "a target"));
  if (d->weight == NULL) {
    return CR_OK;
  }
  CR_TRY(copy_numbers(call, &r->weight, d->weight, r->nrow, 1, "the weight"));
  for (int64_t i = 0; i < r->nrow; i++) {
    if (r->weight[i] < 0) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: the weight of row %lld is negative", call->name,
                      (long long)i);
    }
  }
  return CR_OK;
}

cr_status cri_rows_create(cri_rows* r, const cr_network* network, const cr_learning_data* data,
                          const char* caller, cr_error* error) {
  const cri_call call = {caller, error};
  *r = (cri_rows){.ninput = network->ninput, .noutput = network->noutput};
  CR_TRY(check_data(&call, data));
  cr_status status = fill_rows(&call, r, data);
  if (status != CR_OK) {
    cri_rows_free(r);
  }
  return status;
}

void cri_rows_scale(cri_rows* r, const cr_learned* l) {
  cri_learned_scale_inputs(l, r->nrow, r->input, r->input);
  cri_learned_scale_targets(l, r->nrow, r->target, r->target);
}

// of numbers x[row][k] of the sequences
static void moments(const cri_rows* r, const int32_t* which, int n, const cr_real* x, int width,
                    cr_real* mean, cr_real* scale) {
  for (int k = 0; k < width; k++) {
    cr_real sum = 0, squares = 0, count = 0;
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < n; i++) {
        for (int64_t row = r->begin[which[i]]; row < r->begin[which[i] + 1]; row++) {
          const cr_real value = x[row * width + k];
          sum += pass == 0 ? value : 0;
          squares += pass == 1 ? (value - mean[k]) * (value - mean[k]) : 0;
          count += pass == 0 ? 1 : 0;
        }
      }
      mean[k] = sum / count;
    }
    const cr_real deviation = cr_sqrt(squares / count);
    const bool moves = deviation > 64 * CR_EPS * cr_abs(mean[k]) && deviation > 0;
    scale[k] = moves ? deviation : 1;
  }
}

void cri_rows_normalise(const cri_rows* r, const int32_t* which, int n, cr_learned* l) {
  moments(r, which, n, r->input, r->ninput, l->input_mean, l->input_scale);
  moments(r, which, n, r->target, r->noutput, l->output_mean, l->output_scale);
}

// ---- the evaluator

// numbers of a thread; room for `rows` rows of `sequences` sequences
typedef struct {
  cr_sequences* s;
  int32_t* length;
  cr_real *x, *y, *y_bar;
  int64_t rows;
  int sequences;
} worker;

enum { MOST_PIECES = 16, PIECE_ROWS = 64, PIECE_SEQUENCES = 4 };

struct cri_evaluator {
  const cr_network* network;
  cr_learning_loss loss;
  cr_real delta;
  cr_pool* pool;
  worker* workers;
  int nworker;
  cr_real* gradients;  // of the pieces
  // the present call
  const cri_rows* rows;
  const int32_t* which;
  const cr_real* weight;
  int n, size;
  bool wants_gradient;
  cr_real loss_sum[MOST_PIECES], weight_sum[MOST_PIECES];
};

static void free_numbers(worker* w) {
  free(w->length);
  free(w->x);
  free(w->y);
  free(w->y_bar);
}

void cri_evaluator_free(cri_evaluator* e) {
  if (e == NULL) {
    return;
  }
  for (int i = 0; i < e->nworker; i++) {
    cr_sequences_destroy(e->workers[i].s);
    free_numbers(&e->workers[i]);
  }
  cr_pool_free(e->pool);
  free(e->workers);
  free(e->gradients);
  free(e);
}

static cr_status fill_evaluator(cri_evaluator* e, cri_product* product, int threads,
                                cr_error* error) {
  CR_TRY(cr_pool_create(&e->pool, threads > 0 ? threads : 1, error));
  const int n = cr_pool_size(e->pool);
  e->workers = calloc((size_t)n, sizeof *e->workers);
  e->gradients = calloc((size_t)e->network->nweight * MOST_PIECES, sizeof *e->gradients);
  if (e->workers == NULL || e->gradients == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a training");
  }
  for (e->nworker = 0; e->nworker < n; e->nworker++) {
    CR_TRY(cri_sequences_create(&e->workers[e->nworker].s, e->network, product, error));
  }
  return CR_OK;
}

cr_status cri_evaluator_create(cri_evaluator** out, const cr_network* network, cri_product* product,
                               int threads, cr_learning_loss loss, cr_real delta, cr_error* error) {
  cri_evaluator* e = calloc(1, sizeof *e);
  *out = NULL;
  if (e == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a training");
  }
  e->network = network;
  e->loss = loss;
  e->delta = delta > 0 ? delta : 1;
  cr_status status = fill_evaluator(e, product, threads, error);
  if (status != CR_OK) {
    cri_evaluator_free(e);
    return status;
  }
  *out = e;
  return CR_OK;
}

static bool make_room(worker* w, const cr_network* n, int64_t rows, int sequences) {
  if (rows <= w->rows && sequences <= w->sequences) {
    return true;
  }
  free_numbers(w);
  w->length = malloc((size_t)sequences * sizeof *w->length);
  w->x = malloc((size_t)rows * (size_t)n->ninput * sizeof *w->x);
  w->y = malloc((size_t)rows * (size_t)n->noutput * sizeof *w->y);
  w->y_bar = malloc((size_t)rows * (size_t)n->noutput * sizeof *w->y_bar);
  const bool made = w->length != NULL && w->x != NULL && w->y != NULL && w->y_bar != NULL;
  w->rows = made ? rows : 0;
  w->sequences = made ? sequences : 0;
  return made;
}

// sums of losses and weights, and the cotangents of the outputs
static void take_losses(const cri_evaluator* e, const worker* w, int first, int n, cr_real* losses,
                        cr_real* weights) {
  const cri_rows* r = e->rows;
  const int width = r->noutput;
  cr_real* y = w->y;
  cr_real* bar = w->y_bar;
  for (int i = 0; i < n; i++) {
    const int s = (int)e->which[first + i];
    for (int64_t row = r->begin[s]; row < r->begin[s + 1]; row++, y += width, bar += width) {
      const cr_real weight = r->weight != NULL ? r->weight[row] : 1;
      for (int k = 0; k < width; k++) {
        cr_real slope;
        const cr_real loss = cri_loss(e->loss, e->delta, y[k] - r->target[row * width + k], &slope);
        *losses += weight > 0 ? weight * loss : 0;
        bar[k] = weight > 0 ? weight * slope : 0;
      }
      *weights += weight;
    }
  }
}

static cr_status do_piece(void* context, int piece, int index) {
  cri_evaluator* e = context;
  worker* w = &e->workers[index];
  const cri_rows* r = e->rows;
  const int first = piece * e->size, n = e->n - first < e->size ? e->n - first : e->size;
  int64_t rows = 0;
  for (int i = 0; i < n; i++) {
    const int32_t s = e->which[first + i];
    rows += r->begin[s + 1] - r->begin[s];
  }
  if (!make_room(w, e->network, rows, n)) {
    return CR_ERR_MEMORY;
  }
  cr_real* x = w->x;
  for (int i = 0; i < n; i++) {
    const int32_t s = e->which[first + i];
    const int length = (int)(r->begin[s + 1] - r->begin[s]);
    w->length[i] = length;
    cr_copy(x, r->input + r->begin[s] * r->ninput, length * r->ninput);
    x += (size_t)length * (size_t)r->ninput;
  }
  CR_TRY(cr_sequences_set_lengths(w->s, w->length, n, NULL));
  CR_TRY(cr_sequences_forward(w->s, e->weight, w->x, NULL, w->y, NULL, NULL));
  e->loss_sum[piece] = e->weight_sum[piece] = 0;
  take_losses(e, w, first, n, &e->loss_sum[piece], &e->weight_sum[piece]);
  if (!e->wants_gradient) {
    return CR_OK;
  }
  cr_real* gradient = e->gradients + (size_t)piece * (size_t)e->network->nweight;
  cr_zero(gradient, e->network->nweight);
  return cr_sequences_vjp(w->s, e->weight, w->y_bar, NULL, gradient, NULL, NULL, NULL);
}

static int piece_size(const cri_rows* r, int n) {
  const int least = r->nrow == r->nsequence ? PIECE_ROWS : PIECE_SEQUENCES;
  const int size = (n + MOST_PIECES - 1) / MOST_PIECES;
  return size > least ? size : least;
}

cr_status cri_evaluate(cri_evaluator* e, const cri_rows* rows, const int32_t* which, int n,
                       const cr_real* weight, cr_real* loss, cr_real* gradient, cr_error* error) {
  const int nweight = e->network->nweight;
  e->rows = rows;
  e->which = which;
  e->weight = weight;
  e->n = n;
  e->size = piece_size(rows, n);
  e->wants_gradient = gradient != NULL;
  const int pieces = (n + e->size - 1) / e->size;
  cr_status status = cr_pool_run(e->pool, pieces, do_piece, e);
  if (status != CR_OK) {
    return cri_fail(error, status, "no memory for %d sequences", n);
  }
  cr_real losses = 0, weights = 0;
  if (gradient != NULL) {
    cr_zero(gradient, nweight);
  }
  for (int p = 0; p < pieces; p++) {
    losses += e->loss_sum[p];
    weights += e->weight_sum[p];
    for (int i = 0; i < nweight && gradient != NULL; i++) {
      gradient[i] += e->gradients[(size_t)p * (size_t)nweight + (size_t)i];
    }
  }
  const cr_real each = weights > 0 ? 1 / (weights * (cr_real)rows->noutput) : 0;
  *loss = losses * each;
  for (int i = 0; i < nweight && gradient != NULL; i++) {
    gradient[i] *= each;
  }
  return CR_OK;
}

cr_status cri_learned_evaluate(const cr_learned* l, const cr_learning_data* data,
                               cr_learning_loss loss, cr_real delta, cr_real* mean,
                               cri_product* product, cr_error* error) {
  const cri_call call = {"cr_learned_evaluate", error};
  cri_rows rows;
  cri_evaluator* e = NULL;
  CR_TRY(cri_given(&call, l, "the learned function"));
  CR_TRY(cri_given(&call, mean, "where the loss goes"));
  if (loss < CR_LEARNING_SQUARES || loss > CR_LEARNING_HUBER || !(delta >= 0)) {
    return cri_fail(error, CR_ERR_ARG, "%s: there is no loss %d with delta %g", call.name,
                    (int)loss, (double)delta);
  }
  CR_TRY(cri_rows_create(&rows, &l->network, data, call.name, error));
  int32_t* which = malloc((size_t)rows.nsequence * sizeof *which);
  for (int i = 0; i < rows.nsequence && which != NULL; i++) {
    which[i] = i;
  }
  cri_rows_scale(&rows, l);
  cr_status status = which == NULL
                         ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name)
                         : cri_evaluator_create(&e, &l->network, product, 1, loss, delta, error);
  status = status == CR_OK
               ? cri_evaluate(e, &rows, which, rows.nsequence, l->weight, mean, NULL, error)
               : status;
  if (status == CR_OK && !isfinite(*mean)) {
    status = cri_fail(error, CR_ERR_NONFINITE, "%s: the loss is not finite", call.name);
  }
  cri_evaluator_free(e);
  cri_rows_free(&rows);
  free(which);
  return status;
}
