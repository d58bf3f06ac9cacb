// SPDX-License-Identifier: Apache-2.0
// A network alone that learns how a tossed body moves on from one row to the next, without any model of contact.
#ifndef CR_RECORDED_CUBE_MLP_H
#define CR_RECORDED_CUBE_MLP_H

#include "carom/network.h"
#include "recorded/cube_frame.h"

typedef struct {
  cr_network* network;
  cr_real* weight;
  cr_real mean[CR_CUBE_IN], scale[CR_CUBE_IN];  // of inputs: (x - mean) scale
  cr_real gain[CR_CUBE_OUT];                    // of outputs
  cr_cube_flight flight;
} cr_cube_mlp;

/// Trains on consecutive rows of recordings by the mean squared error. Free with cri_cube_mlp_free, also after an error.
/// Errors   CR_ERR_ARG without rows, CR_ERR_MEMORY, CR_ERR_INTERRUPTED, those of networks
cr_status cri_cube_mlp_train(cr_cube_mlp* mlp, const cr_recordings* tosses, int epochs,
                             uint64_t seed, bool (*stop)(void* context), void* context,
                             cr_error* error);
void cri_cube_mlp_free(cr_cube_mlp* mlp);

/// Rows behind the first one. Shapes rows[n CR_CUBE_ROW]: row 0 is given, the others are set; room[network's]
void cri_cube_mlp_predict(const cr_cube_mlp* mlp, cr_real* rows, int n, cr_real* room);

#endif
