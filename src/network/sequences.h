// SPDX-License-Identifier: Apache-2.0
// Whole sequences, many at once. carom/network.h documents the public functions.
#ifndef CR_NETWORK_SEQUENCES_H
#define CR_NETWORK_SEQUENCES_H

#include "network/layers.h"
#include "network/product.h"

/// cr_sequences_create with the products to use.
cr_status cri_sequences_create(cr_sequences** sequences, const cr_network* network,
                               cri_product* product, cr_error* error);

/// From now on outputs are those of the ends of sequences: a row each. The end of a recurrent layer is its output of the last row, and
/// of a direction backward that of the first row. Dense layers behind the last recurrent layer see ends alone; without recurrent
/// layers the end is the last row. In the calls of carom/network.h output, output_tan and output_bar are then
/// [nsequence][noutput].                                                                    [network.s2]
void cri_sequences_end(cr_sequences* sequences);

#endif
