// SPDX-License-Identifier: Apache-2.0
// Rows of the constraints' Jacobian and products with it, see rows.h.
#include "constraint/rows.h"

int cri_rows_add(cr_data* d, cri_rows_needed* need, int nrow, int type, int id, int n,
                 const int32_t* col) {
  int first = need->nefc, adr = need->nJ;
  need->nefc += nrow;
  need->nJ += nrow * n;
  if (need->nefc > d->nefc_max || need->nJ > d->nJ_max) {
    return -1;
  }
  for (int i = 0; i < nrow; i++, adr += n) {
    d->efc_J_rownnz[first + i] = n;
    d->efc_J_rowadr[first + i] = adr;
    memcpy(d->efc_J_colind + adr, col, (size_t)n * sizeof *col);
    d->efc_type[first + i] = type;
    d->efc_id[first + i] = id;
    d->efc_pos[first + i] = d->efc_margin[first + i] = d->efc_frictionloss[first + i] = 0;
  }
  return first;
}

enum { CHUNK = 4 };  // rows of a block taken at once

// y = B x for nr rows of n numbers, one behind the other, and x at the columns col; nr is a constant
// where it is called, so that the sums run side by side
static inline void block_mul(cr_real* y, int nr, int n, const cr_real* B, const int32_t* col,
                             const cr_real* x) {
  cr_real sum[CHUNK] = {0};
  for (int k = 0; k < n; k++) {
    cr_real xk = x[col[k]];
    for (int r = 0; r < nr; r++) {
      sum[r] += B[r * n + k] * xk;
    }
  }
  for (int r = 0; r < nr; r++) {
    y[r] = sum[r];
  }
}

// x += B' y
static inline void block_mul_transposed(cr_real* x, int nr, int n, const cr_real* B,
                                        const int32_t* col, const cr_real* y) {
  for (int k = 0; k < n; k++) {
    cr_real sum = B[k] * y[0];
    for (int r = 1; r < nr; r++) {
      sum += B[r * n + k] * y[r];
    }
    x[col[k]] += sum;
  }
}

// one chunk of at most CHUNK rows of a block
static void mul_chunk(cr_real* y, int nr, int n, const cr_real* B, const int32_t* col,
                      const cr_real* x) {
  if (nr == CHUNK) {
    block_mul(y, CHUNK, n, B, col, x);
  } else if (nr == 1) {
    block_mul(y, 1, n, B, col, x);
  } else if (nr == 2) {
    block_mul(y, 2, n, B, col, x);
  } else {
    block_mul(y, 3, n, B, col, x);
  }
}

static void mul_transposed_chunk(cr_real* x, int nr, int n, const cr_real* B, const int32_t* col,
                                 const cr_real* y) {
  if (nr == CHUNK) {
    block_mul_transposed(x, CHUNK, n, B, col, y);
  } else if (nr == 1) {
    block_mul_transposed(x, 1, n, B, col, y);
  } else if (nr == 2) {
    block_mul_transposed(x, 2, n, B, col, y);
  } else {
    block_mul_transposed(x, 3, n, B, col, y);
  }
}

void cri_rows_mul_run(const cr_model* m, const cr_data* d, const cr_real* J, cr_run rows,
                      cr_real* y, const cr_real* x) {
  for (int i = rows.begin; i < rows.end;) {
    int block = cri_rows_block(m, d, i), n = d->efc_J_rownnz[i], adr = d->efc_J_rowadr[i];
    for (int r = 0; r < block; r += CHUNK) {
      int nr = block - r < CHUNK ? block - r : CHUNK;
      mul_chunk(y + i + r, nr, n, J + adr + r * n, d->efc_J_colind + adr, x);
    }
    i += block;
  }
}

void cri_rows_mul_transposed_run(const cr_model* m, const cr_data* d, const cr_real* J, cr_run rows,
                                 cr_real* x, const cr_real* y) {
  for (int i = rows.begin; i < rows.end;) {
    int block = cri_rows_block(m, d, i), n = d->efc_J_rownnz[i], adr = d->efc_J_rowadr[i];
    for (int r = 0; r < block; r += CHUNK) {
      int nr = block - r < CHUNK ? block - r : CHUNK;
      mul_transposed_chunk(x, nr, n, J + adr + r * n, d->efc_J_colind + adr, y + i + r);
    }
    i += block;
  }
}

void cri_rows_mul(const cr_model* m, const cr_data* d, const cr_real* J, cr_real* y,
                  const cr_real* x) {
  cri_rows_mul_run(m, d, J, (cr_run){0, d->nefc}, y, x);
}

void cri_rows_mul_transposed(const cr_model* m, const cr_data* d, const cr_real* J, cr_real* x,
                             const cr_real* y) {
  cri_rows_mul_transposed_run(m, d, J, (cr_run){0, d->nefc}, x, y);
}
