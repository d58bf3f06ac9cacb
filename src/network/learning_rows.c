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

static cr_status count_rows(const cri_call* call, cri_rows* r, const int32_t* first) {
  int64_t end = 0;
  r->begin = calloc((size_t)r->nsequence + 1, sizeof *r->begin);
  if (r->begin == NULL) {
    return cri_fail(call->error, CR_ERR_MEMORY, "%s: no memory", call->name);
  }
  for (int i = 0; i < r->nsequence; i++) {
    const int n = cri_rows_length(r, i);
    r->begin[i] = first != NULL ? first[i] : r->nrow;
    if (n < 1 || r->begin[i] < 0) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: sequence %d has %d rows from row %lld on",
                      call->name, i, n, (long long)r->begin[i]);
    }
    r->nrow += n;
    end = r->begin[i] + n > end ? r->begin[i] + n : end;
  }
  r->begin[r->nsequence] = end;
  // overlapping sequences are never all in memory at once
  const int64_t rows = first != NULL ? end : r->nrow;
  return rows < INT_MAX / 2 ? CR_OK
                            : cri_fail(call->error, CR_ERR_ARG, "%s: %lld rows are too many",
                                       call->name, (long long)rows);
}

// numbers x[row][n], whose rows are those of `unit`
static cr_status check_row(const cri_call* call, const cr_real* x, int64_t row, int n,
                           const char* what, const char* unit) {
  for (int k = 0; k < n; k++) {
    if (!isfinite(x[row * n + k])) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: %s of %s %lld is not finite", call->name, what,
                      unit, (long long)row);
    }
  }
  return CR_OK;
}

// targets of a sequence: the first one, and how many
static int targets_of(const cri_rows* r, int sequence, int64_t* first) {
  *first = r->ends ? sequence : r->begin[sequence];
  return r->ends ? 1 : cri_rows_length(r, sequence);
}

static cr_status check_sequence(const cri_call* call, const cri_rows* r, int sequence) {
  const char* unit = r->ends ? "sequence" : "row";
  for (int i = 0; i < cri_rows_length(r, sequence); i++) {
    CR_TRY(check_row(call, r->input, r->begin[sequence] + i, r->ninput, "an input", "row"));
  }
  int64_t first;
  const int n = targets_of(r, sequence, &first);
  for (int64_t row = first; row < first + n; row++) {
    CR_TRY(check_row(call, r->target, row, r->noutput, "a target", unit));
    if (r->weight == NULL) {
      continue;
    }
    CR_TRY(check_row(call, r->weight, row, 1, "the weight", unit));
    if (r->weight[row] < 0) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: the weight of %s %lld is negative", call->name,
                      unit, (long long)row);
    }
  }
  return CR_OK;
}

cr_status cri_rows_create(cri_rows* r, const cr_network* network, const cr_learning_data* data,
                          const char* caller, cr_error* error) {
  const cri_call call = {caller, error};
  *r = (cri_rows){.ninput = network->ninput, .noutput = network->noutput};
  CR_TRY(check_data(&call, data));
  r->nsequence = data->nsequence;
  r->length = data->length;
  r->ends = data->ends;
  r->input = data->input;
  r->target = data->target;
  r->weight = data->weight;
  cr_status status = count_rows(&call, r, data->first);
  for (int i = 0; i < r->nsequence && status == CR_OK; i++) {
    status = check_sequence(&call, r, i);
  }
  if (status != CR_OK) {
    cri_rows_free(r);
  }
  return status;
}

// rows of a sequence in its inputs or in its targets
static int part_of(const cri_rows* r, int sequence, bool targets, int64_t* first) {
  *first = r->begin[sequence];
  return targets ? targets_of(r, sequence, first) : cri_rows_length(r, sequence);
}

static void moments(const cri_rows* r, const int32_t* which, int n, bool targets, cr_real* mean,
                    cr_real* scale) {
  const cr_real* x = targets ? r->target : r->input;
  const int width = targets ? r->noutput : r->ninput;
  for (int k = 0; k < width; k++) {
    cr_real sum = 0, squares = 0, count = 0;
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < n; i++) {
        int64_t first;
        const int rows = part_of(r, (int)which[i], targets, &first);
        for (int64_t row = first; row < first + rows; row++) {
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
  moments(r, which, n, false, l->input_mean, l->input_scale);
  moments(r, which, n, true, l->output_mean, l->output_scale);
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

// Pieces of a batch: at least so many rows that stand alone, or sequences. Products of short sequences are fast when many have the same
// time, so that a piece has about SLICE_ROWS rows of them.
enum { MOST_PIECES = 16, PIECE_ROWS = 64, PIECE_SEQUENCES = 4, SLICE_ROWS = 256 };

// rows of a piece that are in memory at once, if a sequence is no longer
enum { BLOCK_ROWS = 1024 };

struct cri_evaluator {
  const cr_learned* learned;
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

static cr_status fill_evaluator(cri_evaluator* e, bool ends, cri_product* product, int threads,
                                cr_error* error) {
  CR_TRY(cr_pool_create(&e->pool, threads > 0 ? threads : 1, error));
  const int n = cr_pool_size(e->pool);
  e->workers = calloc((size_t)n, sizeof *e->workers);
  e->gradients = calloc((size_t)e->network->nweight * MOST_PIECES, sizeof *e->gradients);
  if (e->workers == NULL || e->gradients == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a training");
  }
  for (e->nworker = 0; e->nworker < n; e->nworker++) {
    worker* w = &e->workers[e->nworker];
    CR_TRY(cri_sequences_create(&w->s, e->network, product, error));
    if (ends) {
      cri_sequences_end(w->s);
    }
  }
  return CR_OK;
}

cr_status cri_evaluator_create(cri_evaluator** out, const cr_learned* l, bool ends,
                               cri_product* product, int threads, cr_learning_loss loss,
                               cr_real delta, cr_error* error) {
  cri_evaluator* e = calloc(1, sizeof *e);
  *out = NULL;
  if (e == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a training");
  }
  e->learned = l;
  e->network = &l->network;
  e->loss = loss;
  e->delta = delta > 0 ? delta : 1;
  cr_status status = fill_evaluator(e, ends, product, threads, error);
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

// sums of losses and weights, and the cotangents of the outputs [network.n1]
static void take_losses(const cri_evaluator* e, const worker* w, int first, int n, cr_real* losses,
                        cr_real* weights) {
  const cri_rows* r = e->rows;
  const cr_real *mean = e->learned->output_mean, *scale = e->learned->output_scale;
  const int width = r->noutput;
  cr_real* y = w->y;
  cr_real* bar = w->y_bar;
  for (int i = 0; i < n; i++) {
    int64_t from;
    const int rows = targets_of(r, (int)e->which[first + i], &from);
    for (int64_t row = from; row < from + rows; row++, y += width, bar += width) {
      const cr_real weight = r->weight != NULL ? r->weight[row] : 1;
      for (int k = 0; k < width; k++) {
        const cr_real target = (r->target[row * width + k] - mean[k]) / scale[k];
        cr_real slope;
        const cr_real loss = cri_loss(e->loss, e->delta, y[k] - target, &slope);
        *losses += weight > 0 ? weight * loss : 0;
        bar[k] = weight > 0 ? weight * slope : 0;
      }
      *weights += weight;
    }
  }
}

// sequences from number `first` on that fit into a block, at least one; and their rows
static int block_of(const cri_evaluator* e, int first, int end, int64_t* rows) {
  *rows = 0;
  for (int i = first; i < end; i++) {
    const int more = cri_rows_length(e->rows, (int)e->which[i]);
    if (i > first && *rows + more > BLOCK_ROWS) {
      return i - first;
    }
    *rows += more;
  }
  return end - first;
}

// adds to gradient, NULL: not wanted
static cr_status do_block(cri_evaluator* e, worker* w, int piece, int first, int n,
                          cr_real* gradient) {
  const cri_rows* r = e->rows;
  cr_real* x = w->x;
  for (int i = 0; i < n; i++) {
    const int s = (int)e->which[first + i], length = cri_rows_length(r, s);
    w->length[i] = length;
    cri_learned_scale_inputs(e->learned, length, r->input + r->begin[s] * r->ninput, x);
    x += (size_t)length * (size_t)r->ninput;
  }
  CR_TRY(cr_sequences_set_lengths(w->s, w->length, n, NULL));
  CR_TRY(cr_sequences_forward(w->s, e->weight, w->x, NULL, w->y, NULL, NULL));
  take_losses(e, w, first, n, &e->loss_sum[piece], &e->weight_sum[piece]);
  return gradient == NULL
             ? CR_OK
             : cr_sequences_vjp(w->s, e->weight, w->y_bar, NULL, gradient, NULL, NULL, NULL);
}

static cr_status do_piece(void* context, int piece, int index) {
  cri_evaluator* e = context;
  worker* w = &e->workers[index];
  const int begin = piece * e->size, end = begin + e->size < e->n ? begin + e->size : e->n;
  cr_real* gradient =
      e->wants_gradient ? e->gradients + (size_t)piece * (size_t)e->network->nweight : NULL;
  if (gradient != NULL) {
    cr_zero(gradient, e->network->nweight);
  }
  e->loss_sum[piece] = e->weight_sum[piece] = 0;
  for (int first = begin, n; first < end; first += n) {
    int64_t rows;
    n = block_of(e, first, end, &rows);
    if (!make_room(w, e->network, rows, n)) {
      return CR_ERR_MEMORY;
    }
    CR_TRY(do_block(e, w, piece, first, n, gradient));
  }
  return CR_OK;
}

static int piece_size(const cri_rows* r, int n) {
  const int64_t rows = r->nrow > 0 ? r->nrow : 1;
  const int slices = (int)(SLICE_ROWS * (int64_t)r->nsequence / rows);
  const int sequences = slices > PIECE_SEQUENCES ? slices : PIECE_SEQUENCES;
  const int least = r->nrow == r->nsequence ? PIECE_ROWS : sequences;
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
  cr_status status = which == NULL
                         ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name)
                         : cri_evaluator_create(&e, l, rows.ends, product, 1, loss, delta, error);
  if (e != NULL) {
    status = cri_evaluate(e, &rows, which, rows.nsequence, l->weight, mean, NULL, error);
  }
  if (status == CR_OK && !isfinite(*mean)) {
    status = cri_fail(error, CR_ERR_NONFINITE, "%s: the loss is not finite", call.name);
  }
  cri_evaluator_free(e);
  cri_rows_free(&rows);
  free(which);
  return status;
}
