// SPDX-License-Identifier: Apache-2.0
// Sequences and learned functions with products of CBLAS (OpenBLAS). OpenBLAS gets one thread, for the whole process: each product runs in the thread that
// calls it, and digits do not depend on the number of threads. Training divides its work among threads by sequences.
#include "network/cblas_products.h"

#include <cblas.h>

void cri_product_cblas(cri_product_kind kind, int m, int n, int k, const cr_real* A, int lda,
                       const cr_real* B, int ldb, bool add, cr_real* C, int ldc) {
  const enum CBLAS_TRANSPOSE a = kind == CRI_TRANSPOSED_TIMES ? CblasTrans : CblasNoTrans;
  const enum CBLAS_TRANSPOSE b = kind == CRI_TIMES_TRANSPOSED ? CblasTrans : CblasNoTrans;
  cblas_dgemm(CblasRowMajor, a, b, m, n, k, 1, A, lda, B, ldb, add ? 1 : 0, C, ldc);
}

cr_status cr_sequences_create(cr_sequences** sequences, const cr_network* network,
                              cr_error* error) {
  openblas_set_num_threads(1);
  return cri_sequences_create(sequences, network, cri_product_cblas, error);
}

cr_status cr_learned_predict(const cr_learned* learned, const int32_t* length, int nsequence,
                             const cr_real* input, cr_real* output, cr_error* error) {
  openblas_set_num_threads(1);
  return cri_learned_predict(learned, length, nsequence, input, output, cri_product_cblas, error);
}

cr_status cr_learned_predict_ends(const cr_learned* learned, const int32_t* first,
                                  const int32_t* length, int nsequence, const cr_real* input,
                                  cr_real* output, cr_error* error) {
  openblas_set_num_threads(1);
  return cri_learned_predict_ends(learned, first, length, nsequence, input, output,
                                  cri_product_cblas, error);
}

cr_status cr_learned_evaluate(const cr_learned* learned, const cr_learning_data* data,
                              cr_learning_loss loss, cr_real delta, cr_real* mean,
                              cr_error* error) {
  openblas_set_num_threads(1);
  return cri_learned_evaluate(learned, data, loss, delta, mean, cri_product_cblas, error);
}

cr_status cr_learned_train(cr_learned* learned, const cr_learning_data* data,
                           const cr_learning_options* options, cr_learning_end* end,
                           cr_error* error) {
  openblas_set_num_threads(1);
  return cri_learned_train(learned, data, options, end, cri_product_cblas, error);
}
