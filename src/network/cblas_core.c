// SPDX-License-Identifier: Apache-2.0
// Sequences in a library without OpenBLAS (CAROM_IO=OFF): products are plain. Otherwise cblas_products.c has the call, and this
// file is not compiled.
#include "network/sequences.h"

cr_status cr_sequences_create(cr_sequences** sequences, const cr_network* network,
                              cr_error* error) {
  return cri_sequences_create(sequences, network, cri_product_plain, error);
}
