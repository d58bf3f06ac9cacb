// SPDX-License-Identifier: Apache-2.0
// Products of matrices of many rows: plain, or those of a library (cblas_products.h). Who needs one gets it as an argument.
#ifndef CR_NETWORK_PRODUCT_H
#define CR_NETWORK_PRODUCT_H

#include "base/real.h"

typedef enum {
  CRI_TIMES_TRANSPOSED,  // A[m][k] B[n][k]'
  CRI_TIMES,             // A[m][k] B[k][n]
  CRI_TRANSPOSED_TIMES   // A[k][m]' B[k][n]
} cri_product_kind;

/// C[m][n] = that product, or with add C += it. lda, ldb and ldc are the numbers from one row to the next.
typedef void cri_product(cri_product_kind kind, int m, int n, int k, const cr_real* A, int lda,
                         const cr_real* B, int ldb, bool add, cr_real* C, int ldc);

/// Sums of TIMES_TRANSPOSED have the order of those within a step, so that a row gives the same bits here and there.
cri_product cri_product_plain;

#endif
