// SPDX-License-Identifier: Apache-2.0
// A network that remembers, alone, without mechanics: it reads a row of a state and says what the state gains until the next row. What
// studies put beside models and their corrections.
#ifndef CR_RECORDED_LSTM_ALONE_H
#define CR_RECORDED_LSTM_ALONE_H

#include "carom/learned.h"

/// How a state becomes inputs, and how it goes on.
typedef struct {
  int nstate, ngiven, ninput, ngain;  // numbers of a row
  /// given: numbers of the row that are known beforehand, as controls; NULL where there are none
  void (*read)(void* context, const cr_real* state, const cr_real* given, cr_real* input);
  /// What leads from a state to the next one, and the next one by it. Both NULL: their difference, ngain = nstate.
  void (*gain)(void* context, const cr_real* state, const cr_real* next, cr_real* gain);
  void (*add)(void* context, const cr_real* state, const cr_real* gain, cr_real* next);
  void* context;
} cr_lstm_view;

/// Runs to learn from, one after the other.
typedef struct {
  const int32_t* length;  // [nrun], rows
  int nrun;
  const cr_real* state;  // [rows][nstate]
  const cr_real* given;  // [rows][ngiven]; NULL without
} cr_lstm_runs;

/// How it is trained. What a zero stands for is in brackets.
typedef struct {
  int width;   // of the layer that remembers
  int window;  // rows that are learned from in one go, from a memory of 0
  int stride;  // rows from the start of a window to that of the next [window]
  int known;   // rows at the start of a window that are read, but whose gains do not count
  int copies;  // of every window, each with a noise of its own [1]
  const cr_real*
      noise;  // [nstate]: standard deviations of what is added to each state that is read. The state that its gain leads
              // to stays as it is, so that errors of a prediction shrink. NULL: [none]
  int epochs, batch;            // passes over all windows; windows a step [all]
  cr_real rate, final_rate;     // of AdamW [of final_rate: rate]
  uint64_t seed;                // of first weights, order and noise
  bool (*stop)(void* context);  // asked between steps
  void* context;                // of stop
} cr_lstm_options;

/// One LSTM layer and a dense one.
typedef struct {
  cr_lstm_view view;
  cr_learned* learned;
} cr_lstm;

/// Trains by the mean squared error of gains over their standard deviations. Free with cri_lstm_free, also after an error.
/// Errors   CR_ERR_ARG: options that are not sane, runs without two rows; CR_ERR_INTERRUPTED, CR_ERR_MEMORY, those of
///          cr_learned_train
cr_status cri_lstm_train(cr_lstm* lstm, const cr_lstm_view* view, const cr_lstm_runs* runs,
                         const cr_lstm_options* options, cr_error* error);
void cri_lstm_free(cr_lstm* lstm);

/// Goes through the first `known` rows of a run; from then on its own rows are read.
/// Shapes   state[rows nstate]: the known rows are given, the others are set; given[rows ngiven], NULL without
/// Errors   CR_ERR_ARG for known < 1, CR_ERR_MEMORY
cr_status cri_lstm_predict(const cr_lstm* lstm, cr_real* state, const cr_real* given, int known,
                           int rows, cr_error* error);

#endif
