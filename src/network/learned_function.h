// SPDX-License-Identifier: Apache-2.0
// A learned function, and the training that it keeps. carom/learned.h documents the public functions.
#ifndef CR_NETWORK_LEARNED_FUNCTION_H
#define CR_NETWORK_LEARNED_FUNCTION_H

#include "carom/learned.h"
#include "network/sequences.h"

/// What a training has counted, and the numbers beside its weights.
enum { CRI_EPOCH, CRI_STEPS, CRI_BEST_EPOCH, CRI_N_COUNT };
enum { CRI_START_LOSS, CRI_BEST_LOSS, CRI_N_FRONT };

/// A training: at its last weights, with the means of gradients and of their squares, and the weights of its best epoch.
typedef struct {
  uint64_t fingerprint;  // of data and options
  int64_t count[CRI_N_COUNT];
  cr_real front[CRI_N_FRONT];
  cr_real *last, *mean, *square,
      *best;  // of one block that begins with last; NULL: there was no training
} cri_learning_state;

struct cr_learned {
  cr_network network;
  cr_real* weight;  // of one block with the next four
  cr_real *input_mean, *input_scale, *output_mean, *output_scale;
  cri_learning_state state;
};

/// Memory for a state, all 0; an earlier one is freed.
cr_status cri_learning_state_create(cr_learned* l, cr_error* error);

/// Rows in the network's units. [network.n1]
void cri_learned_scale_inputs(const cr_learned* l, int64_t rows, const cr_real* input, cr_real* x);

/// The public calls with the products to use.
cr_status cri_learned_predict(const cr_learned* l, const int32_t* length, int nsequence,
                              const cr_real* input, cr_real* output, cri_product* product,
                              cr_error* error);
cr_status cri_learned_predict_ends(const cr_learned* l, const int32_t* first, const int32_t* length,
                                   int nsequence, const cr_real* input, cr_real* output,
                                   cri_product* product, cr_error* error);
cr_status cri_learned_evaluate(const cr_learned* l, const cr_learning_data* data,
                               cr_learning_loss loss, cr_real delta, cr_real* mean,
                               cri_product* product, cr_error* error);
cr_status cri_learned_train(cr_learned* l, const cr_learning_data* data,
                            const cr_learning_options* options, cr_learning_end* end,
                            cri_product* product, cr_error* error);

#endif
