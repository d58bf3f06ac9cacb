// SPDX-License-Identifier: Apache-2.0
// Learned functions: memory, scales, evaluation, weights with scales folded in.
#include "network/learned_function.h"

#include <stdlib.h>

#include "model/misuse.h"

// ---- memory

cr_status cr_learned_create(cr_learned** out, const cr_network* network, uint64_t seed,
                            cr_error* error) {
  const cri_call call = {"cr_learned_create", error};
  CR_TRY(cri_given(&call, out, "where the learned function goes"));
  *out = NULL;
  CR_TRY(cri_given(&call, network, "the network"));
  const size_t in = (size_t)network->ninput, y = (size_t)network->noutput;
  const size_t nweight = (size_t)network->nweight;
  cr_learned* l = calloc(1, sizeof *l);
  cr_real* room = calloc(nweight + 2 * in + 2 * y, sizeof *room);
  if (l == NULL || room == NULL) {
    free(l);
    free(room);
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name);
  }
  l->network = *network;
  l->weight = room;
  l->input_mean = room + nweight;
  l->input_scale = l->input_mean + in;
  l->output_mean = l->input_scale + in;
  l->output_scale = l->output_mean + y;
  for (size_t i = 0; i < in; i++) {
    l->input_scale[i] = 1;
  }
  for (size_t i = 0; i < y; i++) {
    l->output_scale[i] = 1;
  }
  cr_status status = cr_network_init(network, seed, false, l->weight, error);
  *out = l;
  return status;
}

void cr_learned_destroy(cr_learned* l) {
  if (l != NULL) {
    free(l->weight);
    free(l->state.last);
    free(l);
  }
}

cr_status cri_learning_state_create(cr_learned* l, cr_error* error) {
  const size_t n = (size_t)l->network.nweight;
  free(l->state.last);
  l->state = (cri_learning_state){.last = calloc(4 * n, sizeof(cr_real))};
  if (l->state.last == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a training");
  }
  l->state.mean = l->state.last + n;
  l->state.square = l->state.last + 2 * n;
  l->state.best = l->state.last + 3 * n;
  return CR_OK;
}

const cr_network* cr_learned_network(const cr_learned* l) { return l != NULL ? &l->network : NULL; }

cr_real* cr_learned_weights(cr_learned* l) { return l != NULL ? l->weight : NULL; }

// ---- scales

static cr_status check_all(const cri_call* call, const cr_real* x, int n, bool positive,
                           const char* what) {
  for (int i = 0; i < n && x != NULL; i++) {
    if (!isfinite(x[i]) || (positive && !(x[i] > 0))) {
      return cri_fail(call->error, CR_ERR_ARG, "%s: %s[%d] is %g", call->name, what, i,
                      (double)x[i]);
    }
  }
  return CR_OK;
}

static void copy_given(cr_real* to, const cr_real* from, int n) {
  if (to != NULL && from != NULL) {
    cr_copy(to, from, n);
  }
}

cr_status cr_learned_set_normalisation(cr_learned* l, const cr_real* input_mean,
                                       const cr_real* input_scale, const cr_real* output_mean,
                                       const cr_real* output_scale, cr_error* error) {
  const cri_call call = {"cr_learned_set_normalisation", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  const int in = l->network.ninput, y = l->network.noutput;
  CR_TRY(check_all(&call, input_mean, in, false, "input_mean"));
  CR_TRY(check_all(&call, input_scale, in, true, "input_scale"));
  CR_TRY(check_all(&call, output_mean, y, false, "output_mean"));
  CR_TRY(check_all(&call, output_scale, y, true, "output_scale"));
  copy_given(l->input_mean, input_mean, in);
  copy_given(l->input_scale, input_scale, in);
  copy_given(l->output_mean, output_mean, y);
  copy_given(l->output_scale, output_scale, y);
  return CR_OK;
}

cr_status cr_learned_get_normalisation(const cr_learned* l, cr_real* input_mean,
                                       cr_real* input_scale, cr_real* output_mean,
                                       cr_real* output_scale, cr_error* error) {
  const cri_call call = {"cr_learned_get_normalisation", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  copy_given(input_mean, l->input_mean, l->network.ninput);
  copy_given(input_scale, l->input_scale, l->network.ninput);
  copy_given(output_mean, l->output_mean, l->network.noutput);
  copy_given(output_scale, l->output_scale, l->network.noutput);
  return CR_OK;
}

void cri_learned_scale_inputs(const cr_learned* l, int64_t rows, const cr_real* input, cr_real* x) {
  const int n = l->network.ninput;
  for (int64_t i = 0; i < rows; i++, input += n, x += n) {
    for (int k = 0; k < n; k++) {
      x[k] = (input[k] - l->input_mean[k]) / l->input_scale[k];
    }
  }
}

// in place
static void unscale_rows(const cr_learned* l, int64_t rows, cr_real* y) {
  const int n = l->network.noutput;
  for (int64_t i = 0; i < rows; i++, y += n) {
    for (int k = 0; k < n; k++) {
      y[k] = y[k] * l->output_scale[k] + l->output_mean[k];
    }
  }
}

// ---- evaluation

static int32_t* ones(int n) {
  int32_t* x = malloc((size_t)n * sizeof *x);
  for (int i = 0; i < n && x != NULL; i++) {
    x[i] = 1;
  }
  return x;
}

static cr_status predict(const cr_learned* l, cr_sequences* s, const cr_real* input,
                         cr_real* output, cr_error* error) {
  const int rows = cr_sequences_nrow(s);
  cr_real* x = malloc((size_t)rows * (size_t)l->network.ninput * sizeof *x);
  if (x == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "cr_learned_predict: no memory for %d rows", rows);
  }
  cri_learned_scale_inputs(l, rows, input, x);
  cr_status status = cr_sequences_forward(s, l->weight, x, NULL, output, NULL, error);
  unscale_rows(l, status == CR_OK ? rows : 0, output);
  free(x);
  return status;
}

cr_status cri_learned_predict(const cr_learned* l, const int32_t* length, int nsequence,
                              const cr_real* input, cr_real* output, cri_product* product,
                              cr_error* error) {
  const cri_call call = {"cr_learned_predict", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  CR_TRY(cri_given(&call, input, "input"));
  CR_TRY(cri_given(&call, output, "output"));
  if (nsequence < 1) {
    return cri_fail(error, CR_ERR_ARG, "%s: %d sequences", call.name, nsequence);
  }
  cr_sequences* s = NULL;
  int32_t* alone = length == NULL ? ones(nsequence) : NULL;
  cr_status status = length == NULL && alone == NULL
                         ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name)
                         : cri_sequences_create(&s, &l->network, product, error);
  status = status == CR_OK
               ? cr_sequences_set_lengths(s, length != NULL ? length : alone, nsequence, error)
               : status;
  status = status == CR_OK ? predict(l, s, input, output, error) : status;
  cr_sequences_destroy(s);
  free(alone);
  return status;
}

// sequences from number `from` on, as many as fit: their rows are in memory at once
enum { BLOCK_ROWS = 1024 };
static int block_of(const int32_t* length, int from, int nsequence, int64_t* rows) {
  *rows = 0;
  for (int i = from; i < nsequence; i++) {
    if (i > from && *rows + length[i] > BLOCK_ROWS) {
      return i - from;
    }
    *rows += length[i];
  }
  return nsequence - from;
}

typedef struct {
  cr_sequences* s;
  const int32_t *first, *length;
  int nsequence;
  const cr_real* input;
  cr_real* output;
} ends_call;

static cr_status predict_ends(const cr_learned* l, const ends_call* c, cr_error* error) {
  const int in = l->network.ninput, out = l->network.noutput;
  int64_t row = 0, rows;
  for (int from = 0, n; from < c->nsequence; from += n) {
    n = block_of(c->length, from, c->nsequence, &rows);
    CR_TRY(cr_sequences_set_lengths(c->s, c->length + from, n, error));
    cr_real* x = malloc((size_t)rows * (size_t)in * sizeof *x);
    if (x == NULL) {
      return cri_fail(error, CR_ERR_MEMORY, "cr_learned_predict_ends: no memory for %lld rows",
                      (long long)rows);
    }
    cr_real* to = x;
    for (int i = from; i < from + n; i++) {
      const int64_t begin = c->first != NULL ? c->first[i] : row;
      cri_learned_scale_inputs(l, c->length[i], c->input + begin * in, to);
      to += (ptrdiff_t)c->length[i] * in;
      row += c->length[i];
    }
    cr_real* y = c->output + (ptrdiff_t)from * out;
    cr_status status = cr_sequences_forward(c->s, l->weight, x, NULL, y, NULL, error);
    free(x);
    CR_TRY(status);
    unscale_rows(l, n, y);
  }
  return CR_OK;
}

cr_status cri_learned_predict_ends(const cr_learned* l, const int32_t* first, const int32_t* length,
                                   int nsequence, const cr_real* input, cr_real* output,
                                   cri_product* product, cr_error* error) {
  const cri_call call = {"cr_learned_predict_ends", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  CR_TRY(cri_given(&call, input, "input"));
  CR_TRY(cri_given(&call, output, "output"));
  if (nsequence < 1) {
    return cri_fail(error, CR_ERR_ARG, "%s: %d sequences", call.name, nsequence);
  }
  for (int i = 0; i < nsequence; i++) {
    const int n = length != NULL ? (int)length[i] : 1, row = first != NULL ? (int)first[i] : 0;
    if (n < 1 || row < 0) {
      return cri_fail(error, CR_ERR_ARG, "%s: sequence %d has %d rows from row %d on", call.name, i,
                      n, row);
    }
  }
  int32_t* alone = length == NULL ? ones(nsequence) : NULL;
  ends_call c = {.first = first,
                 .length = length != NULL ? length : alone,
                 .nsequence = nsequence,
                 .input = input,
                 .output = output};
  cr_status status = c.length == NULL ? cri_fail(error, CR_ERR_MEMORY, "%s: no memory", call.name)
                                      : cri_sequences_create(&c.s, &l->network, product, error);
  if (status == CR_OK) {
    cri_sequences_end(c.s);
    status = predict_ends(l, &c, error);
  }
  cr_sequences_destroy(c.s);
  free(alone);
  return status;
}

int cr_learned_nroom(const cr_learned* l) {
  return l != NULL ? l->network.nroom + l->network.ninput : 0;
}

void cr_learned_step(const cr_learned* l, const cr_real* input, cr_real* memory, cr_real* output,
                     cr_real* room) {
  if (l == NULL || input == NULL || output == NULL || room == NULL ||
      (l->network.nmemory > 0 && memory == NULL)) {
    return;
  }
  cr_real* x = room + l->network.nroom;
  cri_learned_scale_inputs(l, 1, input, x);
  cr_network_forward(&l->network, l->weight, x, memory, output, memory, room);
  unscale_rows(l, 1, output);
}

// ---- folding [network.n1]

// W (x - mean) / scale + b: columns over scale, b -= W mean / scale
static void fold_inputs(const cr_learned* l, cr_real* weight) {
  const cri_layer* first = &l->network.layer[0];
  for (int d = 0; d < first->directions; d++) {
    const cri_weights w = cri_weights_of(first, weight + d * cri_layer_direction(first));
    for (int i = 0; i < cri_layer_gates(first) * first->width; i++) {
      cr_real* row = w.Wi + (size_t)i * (size_t)first->in;
      for (int k = 0; k < first->in; k++) {
        row[k] /= l->input_scale[k];
        w.bi[i] -= row[k] * l->input_mean[k];
      }
    }
  }
}

static bool outputs_are_plain(const cr_learned* l) {
  for (int i = 0; i < l->network.noutput; i++) {
    if (l->output_mean[i] != 0 || l->output_scale[i] != 1) {
      return false;
    }
  }
  return true;
}

cr_status cr_learned_fold(const cr_learned* l, cr_real* weight, cr_error* error) {
  const cri_call call = {"cr_learned_fold", error};
  CR_TRY(cri_given(&call, l, "the learned function"));
  CR_TRY(cri_given(&call, weight, "weight"));
  const cri_layer* last = &l->network.layer[l->network.nlayer - 1];
  const bool plain = outputs_are_plain(l);
  if (!plain && (last->kind != CR_LAYER_DENSE || last->activation != CR_ACTIVATION_IDENTITY)) {
    return cri_fail(error, CR_ERR_UNSUPPORTED,
                    "%s: scales of outputs fold into a dense layer with identity alone, and the "
                    "last layer is another one",
                    call.name);
  }
  cr_copy(weight, l->weight, l->network.nweight);
  fold_inputs(l, weight);
  const cri_weights w = cri_weights_of(last, weight + last->weight);
  for (int i = 0; i < last->width && !plain; i++) {
    for (int k = 0; k < last->in; k++) {
      w.Wi[(size_t)i * (size_t)last->in + (size_t)k] *= l->output_scale[i];
    }
    w.bi[i] = w.bi[i] * l->output_scale[i] + l->output_mean[i];
  }
  return CR_OK;
}
