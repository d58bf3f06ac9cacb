// SPDX-License-Identifier: Apache-2.0
// A state is two angles and what they have gained since the row before; the network says what these gains gain.
#include "study/swing_lstm.h"

#include <stdlib.h>

enum { N = 2, N_STATE = 2 * N, N_INPUT = 3 * N, WIDTH = 64, WINDOW = 60, BATCH = 16 };

static void read_row(void* context, const cr_real* state, const cr_real* given, cr_real* input) {
  (void)context;
  (void)given;
  for (int j = 0; j < N; j++) {
    input[j] = cr_sin(state[j]);
    input[N + j] = cr_cos(state[j]);
    input[2 * N + j] = state[N + j];
  }
}

static void gain_of(void* context, const cr_real* state, const cr_real* next, cr_real* gain) {
  (void)context;
  for (int j = 0; j < N; j++) {
    gain[j] = next[j] - state[j] - state[N + j];
  }
}

static void advance(void* context, const cr_real* state, const cr_real* gain, cr_real* next) {
  (void)context;
  for (int j = 0; j < N; j++) {
    next[N + j] = state[N + j] + gain[j];
    next[j] = state[j] + next[N + j];
  }
}

static const cr_lstm_view view = {.nstate = N_STATE,
                                  .ninput = N_INPUT,
                                  .ngain = N,
                                  .read = read_row,
                                  .gain = gain_of,
                                  .add = advance};

// every `thin`-th row from `first` on; the first one has the gain of the second
static void states_of(const cr_swing_run* run, int first, int thin, int rows, cr_real* state) {
  for (int i = 0; i < rows; i++) {
    int to = i > 0 ? i : rows > 1;
    for (int j = 0; j < N; j++) {
      const double* angle = run->angle + (ptrdiff_t)N * first + j;
      state[N_STATE * i + j] = (cr_real)angle[(ptrdiff_t)N * thin * i];
      state[N_STATE * i + N + j] =
          to > 0
              ? (cr_real)(angle[(ptrdiff_t)N * thin * to] - angle[(ptrdiff_t)N * thin * (to - 1)])
              : 0;
    }
  }
}

static int thinned(int rows, int thin) { return (rows - 1) / thin + 1; }

static cr_status train(cr_lstm* lstm, const cr_swing_lstm* how, const cr_lstm_runs* runs,
                       cr_error* error) {
  // about what the film is off by; of a gain its errors of two rows
  static const cr_real noise[N_STATE] = {CR_R(0.001), CR_R(0.001), CR_R(0.002), CR_R(0.002)};
  const cr_lstm_options o = {.width = WIDTH,
                             .window = WINDOW,
                             .known = thinned(how->known, how->thin) / 2,
                             .noise = noise,
                             .epochs = how->epochs,
                             .batch = BATCH,
                             .rate = CR_R(0.005),
                             .final_rate = CR_R(1e-4),
                             .seed = how->seed,
                             .stop = how->stop,
                             .context = how->context};
  return cri_lstm_train(lstm, &view, runs, &o, error);
}

cr_status cri_swing_lstm_train(cr_lstm* lstm, const cr_swing_data* data, const cr_swing_lstm* how,
                               cr_error* error) {
  size_t rows = 0;
  for (int r = how->first; r < how->first + how->runs; r++) {
    rows += (size_t)thinned(data->run[r].rows, how->thin);
  }
  *lstm = (cr_lstm){.learned = NULL};
  cr_real* state = calloc(rows * N_STATE, sizeof *state);
  int32_t* length = calloc((size_t)how->runs, sizeof *length);
  cr_status status = CR_OK;
  if (state == NULL || length == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "no memory for %zu rows", rows);
  } else {
    cr_real* to = state;
    for (int k = 0; k < how->runs; to += (ptrdiff_t)N_STATE * length[k++]) {
      const cr_swing_run* run = &data->run[how->first + k];
      length[k] = thinned(run->rows, how->thin);
      states_of(run, 0, how->thin, length[k], to);
    }
    const cr_lstm_runs runs = {.length = length, .nrun = how->runs, .state = state};
    status = train(lstm, how, &runs, error);
  }
  free(length);
  free(state);
  return status;
}

cr_status cri_swing_lstm_predict(const cr_lstm* lstm, const cr_swing_data* data,
                                 const cr_swing_lstm* how, int run, int first, int rows,
                                 cr_real* angle, cr_error* error) {
  int known = thinned(how->known, how->thin), n = thinned(rows + how->thin - 1, how->thin);
  cr_real* state = calloc((size_t)n * N_STATE, sizeof *state);
  CR_TRY(state != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for %d rows", n));
  states_of(&data->run[run], first, how->thin, known, state);
  cr_status status = cri_lstm_predict(lstm, state, NULL, known, n, error);
  for (int i = 0; i < rows; i++) {
    int k = i / how->thin;
    cr_real part = (cr_real)(i % how->thin) / (cr_real)how->thin;
    for (int j = 0; j < N; j++) {
      const cr_real* at = state + (ptrdiff_t)N_STATE * k + j;
      cr_real next = k + 1 < n ? at[N_STATE] : at[0];
      angle[N * i + j] = at[0] + part * (next - at[0]);
    }
  }
  free(state);
  return status;
}
