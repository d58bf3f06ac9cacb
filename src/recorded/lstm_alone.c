// SPDX-License-Identifier: Apache-2.0
// An LSTM alone.
#include "recorded/lstm_alone.h"

#include <stdlib.h>

#include "base/random.h"
#include "base/real.h"
#include "base/status.h"

enum { NOISE_STREAM = 1 << 20 };

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "no memory for a network alone");
}

static void gain_of(const cr_lstm_view* v, const cr_real* state, const cr_real* next,
                    cr_real* gain) {
  if (v->gain != NULL) {
    v->gain(v->context, state, next, gain);
    return;
  }
  for (int i = 0; i < v->nstate; i++) {
    gain[i] = next[i] - state[i];
  }
}

static void add_gain(const cr_lstm_view* v, const cr_real* state, const cr_real* gain,
                     cr_real* next) {
  if (v->add != NULL) {
    v->add(v->context, state, gain, next);
    return;
  }
  for (int i = 0; i < v->nstate; i++) {
    next[i] = state[i] + gain[i];
  }
}

static const cr_real* given_at(const cr_lstm_view* v, const cr_real* given, ptrdiff_t row) {
  return given != NULL ? given + row * v->ngiven : NULL;
}

// ---- windows: sequences of pairs of rows

typedef struct {
  const cr_lstm_view* view;
  const cr_lstm_runs* runs;
  const cr_lstm_options* options;
  int nwindow, rows;  // rows of all windows
  int32_t* length;
  cr_real *input, *gain, *weight, *state;  // state: room for a row
} lessons;

static int least(int a, int b) { return a < b ? a : b; }

static int windows_of(const cr_lstm_options* o, int pairs) {
  int stride = o->stride > 0 ? o->stride : o->window;
  return pairs < 1 ? 0 : pairs <= o->window ? 1 : 1 + (pairs - o->window + stride - 1) / stride;
}

// the last window ends with the run
static int start_of(const cr_lstm_options* o, int pairs, int i) {
  int stride = o->stride > 0 ? o->stride : o->window;
  return pairs <= o->window ? 0 : least(i * stride, pairs - o->window);
}

static void count(lessons* l) {
  int copies = l->options->copies > 0 ? l->options->copies : 1;
  for (int r = 0; r < l->runs->nrun; r++) {
    int pairs = l->runs->length[r] - 1, n = copies * windows_of(l->options, pairs);
    l->nwindow += n;
    l->rows += n * least(pairs, l->options->window);
  }
}

static void add_row(const lessons* l, cr_random* random, ptrdiff_t row, ptrdiff_t to) {
  const cr_lstm_view* v = l->view;
  const cr_real *seen = l->runs->state + row * v->nstate, *noise = l->options->noise;
  for (int i = 0; i < v->nstate; i++) {
    l->state[i] = seen[i] + (noise != NULL ? noise[i] * cr_random_normal(random) : 0);
  }
  v->read(v->context, l->state, given_at(v, l->runs->given, row), l->input + to * v->ninput);
  gain_of(v, l->state, seen + v->nstate, l->gain + to * v->ngain);
}

static void fill(lessons* l) {
  const cr_lstm_options* o = l->options;
  cr_random random = cr_random_seed(o->seed, NOISE_STREAM);
  ptrdiff_t first = 0, to = 0;
  int window = 0;
  for (int r = 0; r < l->runs->nrun; first += l->runs->length[r++]) {
    int pairs = l->runs->length[r] - 1, n = windows_of(o, pairs), rows = least(pairs, o->window);
    for (int i = 0; i < n * (o->copies > 0 ? o->copies : 1); i++) {
      int start = start_of(o, pairs, i % n);
      l->length[window++] = rows;
      for (int k = 0; k < rows; k++, to++) {
        add_row(l, &random, first + start + k, to);
        l->weight[to] = k >= o->known;
      }
    }
  }
}

// ---- training

static cr_status create(cr_lstm* lstm, const cr_lstm_options* o, cr_error* error) {
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .kind = CR_LAYER_LSTM, .width = o->width},
      {.size = sizeof layers[0], .kind = CR_LAYER_DENSE, .width = lstm->view.ngain}};
  cr_network* network = NULL;
  CR_TRY(cr_network_create(&network, lstm->view.ninput, layers, 2, error));
  cr_status status = cr_learned_create(&lstm->learned, network, o->seed, error);
  cr_network_destroy(network);
  return status;
}

static cr_status learn(cr_lstm* lstm, const lessons* l, cr_error* error) {
  const cr_lstm_options* o = l->options;
  const cr_learning_data data = {.size = sizeof data,
                                 .length = l->length,
                                 .nsequence = l->nwindow,
                                 .input = l->input,
                                 .target = l->gain,
                                 .weight = l->weight};
  const cr_learning_options how = {.size = sizeof how,
                                   .loss = CR_LEARNING_SQUARES,
                                   .normalise = true,
                                   .epochs = o->epochs,
                                   .batch = o->batch,
                                   .rate = o->rate,
                                   .final_rate = o->final_rate,
                                   .clip = 1,
                                   .seed = o->seed,
                                   .threads = 1,
                                   .stop = o->stop,
                                   .context = o->context};
  cr_learning_end end = {.size = sizeof end};
  return cr_learned_train(lstm->learned, &data, &how, &end, error);
}

static cr_status study(cr_lstm* lstm, lessons* l, cr_error* error) {
  const cr_lstm_view* v = l->view;
  size_t rows = (size_t)l->rows;
  l->length = calloc((size_t)l->nwindow, sizeof *l->length);
  l->input = calloc(rows * (size_t)v->ninput, sizeof *l->input);
  l->gain = calloc(rows * (size_t)v->ngain, sizeof *l->gain);
  l->weight = calloc(rows, sizeof *l->weight);
  l->state = calloc((size_t)v->nstate, sizeof *l->state);
  bool room = l->length != NULL && l->input != NULL && l->gain != NULL && l->weight != NULL &&
              l->state != NULL;
  cr_status status = room ? CR_OK : no_memory(error);
  if (status == CR_OK) {
    fill(l);
    status = learn(lstm, l, error);
  }
  free(l->state);
  free(l->weight);
  free(l->gain);
  free(l->input);
  free(l->length);
  return status;
}

cr_status cri_lstm_train(cr_lstm* lstm, const cr_lstm_view* view, const cr_lstm_runs* runs,
                         const cr_lstm_options* options, cr_error* error) {
  lessons l = {.view = view, .runs = runs, .options = options};
  *lstm = (cr_lstm){.view = *view};
  if (options->window < 1 || options->known < 0 || options->known >= options->window) {
    return cri_fail(error, CR_ERR_ARG, "a window of %d rows, of which %d are known",
                    options->window, options->known);
  }
  count(&l);
  CR_TRY(l.rows > 0 ? CR_OK : cri_fail(error, CR_ERR_ARG, "no rows to learn from"));
  CR_TRY(create(lstm, options, error));
  return study(lstm, &l, error);
}

void cri_lstm_free(cr_lstm* lstm) {
  cr_learned_destroy(lstm->learned);
  *lstm = (cr_lstm){.learned = NULL};
}

// ---- predictions

cr_status cri_lstm_predict(const cr_lstm* lstm, cr_real* state, const cr_real* given, int known,
                           int rows, cr_error* error) {
  const cr_lstm_view* v = &lstm->view;
  CR_TRY(known > 0 ? CR_OK : cri_fail(error, CR_ERR_ARG, "no known row to go on from"));
  int nmemory = cr_network_nmemory(cr_learned_network(lstm->learned));
  int size = v->ninput + v->ngain + nmemory + cr_learned_nroom(lstm->learned);
  cr_real* input = calloc((size_t)size, sizeof *input);
  CR_TRY(input != NULL ? CR_OK : no_memory(error));
  cr_real *gain = input + v->ninput, *memory = gain + v->ngain, *room = memory + nmemory;
  for (int k = 0; k + 1 < rows; k++) {
    cr_real* row = state + (ptrdiff_t)k * v->nstate;
    v->read(v->context, row, given_at(v, given, k), input);
    cr_learned_step(lstm->learned, input, memory, gain, room);
    if (k + 1 >= known) {
      add_gain(v, row, gain, row + v->nstate);
    }
  }
  free(input);
  return CR_OK;
}
