// SPDX-License-Identifier: Apache-2.0
// Rows to learn from, in the units of a network, and the loss of some of their sequences with its gradient, over threads.
#ifndef CR_NETWORK_LEARNING_ROWS_H
#define CR_NETWORK_LEARNING_ROWS_H

#include "base/pool.h"
#include "network/learned_function.h"

/// Sequence i has rows begin[i] ... begin[i + 1] - 1.
typedef struct {
  int nsequence, ninput, noutput;
  int64_t nrow;
  int64_t* begin;
  cr_real *input, *target, *weight;
} cri_rows;

/// Copies and checks data; scales them.
/// Errors   CR_ERR_ARG naming the row; CR_ERR_MEMORY
cr_status cri_rows_create(cri_rows* rows, const cr_network* network, const cr_learning_data* data,
                          const char* caller, cr_error* error);
void cri_rows_scale(cri_rows* rows, const cr_learned* l);
void cri_rows_free(cri_rows* rows);

/// Mean and standard deviation of inputs and targets of some sequences become the scales of l.
void cri_rows_normalise(const cri_rows* rows, const int32_t* which, int n, cr_learned* l);

/// Who computes losses: one set of sequences a thread.
typedef struct cri_evaluator cri_evaluator;

/// threads 0: one
cr_status cri_evaluator_create(cri_evaluator** evaluator, const cr_network* network,
                               cri_product* product, int threads, cr_learning_loss loss,
                               cr_real delta, cr_error* error);
void cri_evaluator_free(cri_evaluator* evaluator);

/// Mean loss of n sequences, and its gradient by the weights (NULL: not wanted). Work is divided into pieces that depend on n
/// alone, and their sums are added in order: the same bits for any number of threads. 0 where all rows have weight 0.
/// Errors   CR_ERR_MEMORY
cr_status cri_evaluate(cri_evaluator* evaluator, const cri_rows* rows, const int32_t* which, int n,
                       const cr_real* weight, cr_real* loss, cr_real* gradient, cr_error* error);

#endif
