// SPDX-License-Identifier: Apache-2.0
// Rows to learn from, and the loss of some of their sequences with its gradient, over threads.
#ifndef CR_NETWORK_LEARNING_ROWS_H
#define CR_NETWORK_LEARNING_ROWS_H

#include "base/pool.h"
#include "network/learned_function.h"

/// Data as they were given, which are borrowed. Sequence i has the rows begin[i], begin[i] + 1, ... of input, as many as
/// cri_rows_length says. begin[nsequence] is the end of all rows.
typedef struct {
  int nsequence, ninput, noutput;
  int64_t nrow;  // of all sequences together: rows in two sequences count twice
  int64_t* begin;
  const int32_t* length;  // NULL: 1 each
  bool ends;              // a target and a weight for each sequence, not for each row
  const cr_real *input, *target, *weight;
} cri_rows;

static inline int cri_rows_length(const cri_rows* rows, int sequence) {
  return rows->length != NULL ? (int)rows->length[sequence] : 1;
}

/// Checks data.
/// Errors   CR_ERR_ARG naming the row; CR_ERR_MEMORY
cr_status cri_rows_create(cri_rows* rows, const cr_network* network, const cr_learning_data* data,
                          const char* caller, cr_error* error);
void cri_rows_free(cri_rows* rows);

/// Mean and standard deviation of inputs and targets of some sequences become the scales of l.
void cri_rows_normalise(const cri_rows* rows, const int32_t* which, int n, cr_learned* l);

/// Who computes losses: one set of sequences a thread.
typedef struct cri_evaluator cri_evaluator;

/// Of the network of l, in the scales that l has at each evaluation. l is borrowed.
/// threads 0: one. ends: losses of rows with ends alone
cr_status cri_evaluator_create(cri_evaluator** evaluator, const cr_learned* l, bool ends,
                               cri_product* product, int threads, cr_learning_loss loss,
                               cr_real delta, cr_error* error);
void cri_evaluator_free(cri_evaluator* evaluator);

/// Mean loss of n sequences, and its gradient by the weights (NULL: not wanted). Work is divided into pieces that depend on n
/// alone, and their sums are added in order: the same bits for any number of threads. 0 where all rows have weight 0.
/// Errors   CR_ERR_MEMORY
cr_status cri_evaluate(cri_evaluator* evaluator, const cri_rows* rows, const int32_t* which, int n,
                       const cr_real* weight, cr_real* loss, cr_real* gradient, cr_error* error);

#endif
