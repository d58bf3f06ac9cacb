// SPDX-License-Identifier: Apache-2.0
// An LSTM alone for a tossed body.
#include "recorded/cube_lstm.h"

#include <stdlib.h>

#include "base/status.h"

// about as many weights as cube_mlp.c
enum { WIDTH = 30, WINDOW = 60, STRIDE = 30, BATCH = 16 };

static void read_row(void* context, const cr_real* state, const cr_real* given, cr_real* input) {
  (void)context;
  (void)given;
  cri_cube_read(state, input);
}

static void gain_of(void* context, const cr_real* state, const cr_real* next, cr_real* gain) {
  cri_cube_gain(context, state, next, gain);
}

static void advance(void* context, const cr_real* state, const cr_real* gain, cr_real* next) {
  cri_cube_advance(context, state, gain, next);
}

static cr_status train(cr_cube_lstm* cube, const cr_lstm_runs* runs, int epochs, uint64_t seed,
                       bool (*stop)(void* context), void* context, cr_error* error) {
  // of height, velocity and angular velocity: about what a recording is off by
  static const cr_real noise[CR_CUBE_ROW] = {
      [2] = CR_R(1e-3), [7] = CR_R(0.02), [8] = CR_R(0.02), [9] = CR_R(0.02),
      [10] = CR_R(0.1), [11] = CR_R(0.1), [12] = CR_R(0.1)};
  const cr_lstm_view view = {.nstate = CR_CUBE_ROW,
                             .ninput = CR_CUBE_IN,
                             .ngain = CR_CUBE_OUT,
                             .read = read_row,
                             .gain = gain_of,
                             .add = advance,
                             .context = &cube->flight};
  const cr_lstm_options o = {.width = WIDTH,
                             .window = WINDOW,
                             .stride = STRIDE,
                             .noise = noise,
                             .epochs = epochs,
                             .batch = BATCH,
                             .rate = CR_R(5e-3),
                             .final_rate = CR_R(1e-4),
                             .seed = seed,
                             .stop = stop,
                             .context = context};
  return cri_lstm_train(&cube->lstm, &view, runs, &o, error);
}

static void gather(const cr_recordings* tosses, cr_real* state, int32_t* length) {
  for (int i = 0; i < cr_recordings_count(tosses); i++) {
    cr_recording_info toss = {.size = sizeof toss};
    (void)cr_recordings_get(tosses, i, &toss, NULL);
    cr_copy(state, toss.values, CR_CUBE_ROW * toss.rows);
    state += (ptrdiff_t)CR_CUBE_ROW * toss.rows;
    length[i] = toss.rows;
  }
}

cr_status cri_cube_lstm_train(cr_cube_lstm* cube, const cr_recordings* tosses, int epochs,
                              uint64_t seed, bool (*stop)(void* context), void* context,
                              cr_error* error) {
  int n = cr_recordings_count(tosses);
  *cube = (cr_cube_lstm){.flight = {cr_recordings_interval(tosses), CR_R(9.81)}};
  cr_real* state = calloc((size_t)cri_cube_rows(tosses) * CR_CUBE_ROW + 1, sizeof *state);
  int32_t* length = calloc((size_t)n + 1, sizeof *length);
  cr_status status = CR_OK;
  if (state == NULL || length == NULL) {
    status = cri_fail(error, CR_ERR_MEMORY, "no memory for %d tosses", n);
  } else {
    gather(tosses, state, length);
    const cr_lstm_runs runs = {.length = length, .nrun = n, .state = state};
    status = train(cube, &runs, epochs, seed, stop, context, error);
  }
  free(length);
  free(state);
  return status;
}

void cri_cube_lstm_free(cr_cube_lstm* cube) { cri_lstm_free(&cube->lstm); }

cr_status cri_cube_lstm_predict(const cr_cube_lstm* cube, cr_real* rows, int n, cr_error* error) {
  return cri_lstm_predict(&cube->lstm, rows, NULL, 1, n, error);
}
