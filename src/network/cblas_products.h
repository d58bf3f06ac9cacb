// SPDX-License-Identifier: Apache-2.0
// Products of matrices by CBLAS, in a library with OpenBLAS.
#ifndef CR_NETWORK_CBLAS_PRODUCTS_H
#define CR_NETWORK_CBLAS_PRODUCTS_H

#include "network/learned_function.h"

cri_product cri_product_cblas;

#endif
