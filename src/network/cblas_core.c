// SPDX-License-Identifier: Apache-2.0
// Sequences and learned functions in a library without OpenBLAS (CAROM_IO=OFF): products are plain. Otherwise cblas_products.c
// has the calls, and this file is not compiled.
#include "network/learned_function.h"

cr_status cr_sequences_create(cr_sequences** sequences, const cr_network* network,
                              cr_error* error) {
  return cri_sequences_create(sequences, network, cri_product_plain, error);
}

cr_status cr_learned_predict(const cr_learned* learned, const int32_t* length, int nsequence,
                             const cr_real* input, cr_real* output, cr_error* error) {
  return cri_learned_predict(learned, length, nsequence, input, output, cri_product_plain, error);
}

cr_status cr_learned_predict_ends(const cr_learned* learned, const int32_t* first,
                                  const int32_t* length, int nsequence, const cr_real* input,
                                  cr_real* output, cr_error* error) {
  return cri_learned_predict_ends(learned, first, length, nsequence, input, output,
                                  cri_product_plain, error);
}

cr_status cr_learned_evaluate(const cr_learned* learned, const cr_learning_data* data,
                              cr_learning_loss loss, cr_real delta, cr_real* mean,
                              cr_error* error) {
  return cri_learned_evaluate(learned, data, loss, delta, mean, cri_product_plain, error);
}

cr_status cr_learned_train(cr_learned* learned, const cr_learning_data* data,
                           const cr_learning_options* options, cr_learning_end* end,
                           cr_error* error) {
  return cri_learned_train(learned, data, options, end, cri_product_plain, error);
}
