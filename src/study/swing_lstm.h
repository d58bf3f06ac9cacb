// SPDX-License-Identifier: Apache-2.0
// An LSTM alone for a double pendulum of which only angles are seen: it goes through a short start of a run, then reads its own angles.
#ifndef CR_STUDY_SWING_LSTM_H
#define CR_STUDY_SWING_LSTM_H

#include "recorded/lstm_alone.h"
#include "study/swing_data.h"

/// Trains on all rows of runs, every `thin`-th of them; `known` rows of the data are what a prediction begins with. Free with cri_lstm_free,
/// also after an error.
typedef struct {
  int first, runs;  // so many runs from the first one on
  int thin, known;
  int epochs;
  uint64_t seed;
  bool (*stop)(void* context);
  void* context;
} cr_swing_lstm;

cr_status cri_swing_lstm_train(cr_lstm* lstm, const cr_swing_data* data, const cr_swing_lstm* how,
                               cr_error* error);

/// Goes through rows first ... first + start - 1 of a run and predicts `rows` rows from the first on; between its own rows angles go evenly.
/// Shapes   angle[rows 2]
/// Errors   CR_ERR_MEMORY
cr_status cri_swing_lstm_predict(const cr_lstm* lstm, const cr_swing_data* data,
                                 const cr_swing_lstm* how, int run, int first, int rows,
                                 cr_real* angle, cr_error* error);

#endif
