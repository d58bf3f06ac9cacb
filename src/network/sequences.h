// SPDX-License-Identifier: Apache-2.0
// Whole sequences, many at once. carom/network.h documents the public functions.
#ifndef CR_NETWORK_SEQUENCES_H
#define CR_NETWORK_SEQUENCES_H

#include "network/layers.h"
#include "network/product.h"

/// cr_sequences_create with the products to use.
cr_status cri_sequences_create(cr_sequences** sequences, const cr_network* network,
                               cri_product* product, cr_error* error);

#endif
