// SPDX-License-Identifier: Apache-2.0
// A network that remembers, alone, for a tossed body: beside the one of cube_mlp.h, from the same rows.
#ifndef CR_RECORDED_CUBE_LSTM_H
#define CR_RECORDED_CUBE_LSTM_H

#include "recorded/cube_frame.h"
#include "recorded/lstm_alone.h"

/// It stays where it was trained: the network has its address.
typedef struct {
  cr_cube_flight flight;
  cr_lstm lstm;
} cr_cube_lstm;

/// Trains on windows of the tosses. Free with cri_cube_lstm_free, also after an error.
/// Errors   those of cri_lstm_train
cr_status cri_cube_lstm_train(cr_cube_lstm* cube, const cr_recordings* tosses, int epochs,
                              uint64_t seed, bool (*stop)(void* context), void* context,
                              cr_error* error);
void cri_cube_lstm_free(cr_cube_lstm* cube);

/// Rows behind the first one. Shapes rows[n CR_CUBE_ROW]: row 0 is given, the others are set
/// Errors   CR_ERR_MEMORY
cr_status cri_cube_lstm_predict(const cr_cube_lstm* cube, cr_real* rows, int n, cr_error* error);

#endif
