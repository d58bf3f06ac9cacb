// SPDX-License-Identifier: Apache-2.0
// The loops of math/eight.h, included once by the file of each instruction set.
#ifndef CR_MATH_EIGHT_SWEEPS_H
#define CR_MATH_EIGHT_SWEEPS_H

#include "math/eight.h"

// A register of CRI_WIDTH numbers; the including file defines the width. It need not be aligned in memory.
// With width 1 it is a number.
#if defined(__GNUC__) && !defined(CR_LONG_DOUBLE) && CRI_WIDTH > 1
typedef cr_real part __attribute__((vector_size(CRI_WIDTH * sizeof(cr_real))));
typedef cr_real packed
    __attribute__((vector_size(CRI_WIDTH * sizeof(cr_real)), aligned(sizeof(cr_real)), may_alias));
enum { WIDTH = CRI_WIDTH };
#else
typedef cr_real part, packed;
enum { WIDTH = 1 };
#endif

// eight numbers, in registers
enum { N_PART = CR_EIGHT / WIDTH };
typedef struct {
  part v[N_PART];
} eight;

static inline eight load(const cr_real* at) {
  eight x;
  for (int k = 0; k < N_PART; k++) {
    x.v[k] = *(const packed*)(at + WIDTH * k);
  }
  return x;
}

static inline void store(cr_real* at, const eight* x) {
  for (int k = 0; k < N_PART; k++) {
    *(packed*)(at + WIDTH * k) = x->v[k];
  }
}

// y -= c x
static inline void subtract(eight* y, cr_real c, const eight* x) {
  for (int k = 0; k < N_PART; k++) {
    y->v[k] -= c * x->v[k];
  }
}

// x *= c
static inline void scale(eight* x, cr_real c) {
  for (int k = 0; k < N_PART; k++) {
    x->v[k] *= c;
  }
}

static void up(const cr_real* L, const cr_pattern* p, cr_run rows, int ld, cr_real* X) {
  for (int i = rows.end - 1; i >= rows.begin; i--) {
    const cr_real* l = L + p->adr[i];
    const int32_t* col = p->col + p->adr[i];
    int n = p->nnz[i] - 1;
    cr_real* at = X + (ptrdiff_t)i * ld;
    if (cr_is_zero(at, CR_EIGHT)) {
      continue;  // as on most branches, where the right sides are those of neighbours on one
    }
    eight x = load(at);
    scale(&x, l[n]);
    store(at, &x);
    for (int q = 0; q < n; q++) {
      cr_real* to = X + (ptrdiff_t)col[q] * ld;
      eight y = load(to);
      subtract(&y, l[q], &x);
      store(to, &y);
    }
  }
}

// two sums that do not wait for each other, as in a solve of one right side
static void down(const cr_real* L, const cr_pattern* p, cr_run rows, int ld, cr_real* X) {
  for (int i = rows.begin; i < rows.end; i++) {
    const cr_real* l = L + p->adr[i];
    const int32_t* col = p->col + p->adr[i];
    int n = p->nnz[i] - 1, q = 0;
    cr_real* at = X + (ptrdiff_t)i * ld;
    eight even = load(at), odd = {0};
    for (; q + 1 < n; q += 2) {
      eight x = load(X + (ptrdiff_t)col[q] * ld), y = load(X + (ptrdiff_t)col[q + 1] * ld);
      subtract(&even, l[q], &x);
      subtract(&odd, l[q + 1], &y);
    }
    if (q < n) {
      eight x = load(X + (ptrdiff_t)col[q] * ld);
      subtract(&even, l[q], &x);
    }
    subtract(&even, -1, &odd);
    scale(&even, l[n]);
    store(at, &even);
  }
}

// two sums that do not wait for each other; what is left over one by one, in the same order
static void add(cr_real* y, const cr_real* x, const cr_real* const* row, int n) {
  int j = 0;
  for (; j + WIDTH <= n; j += WIDTH) {
    part low = x[0] * *(const packed*)(row[0] + j) + x[1] * *(const packed*)(row[1] + j) +
               x[2] * *(const packed*)(row[2] + j) + x[3] * *(const packed*)(row[3] + j);
    part high = x[4] * *(const packed*)(row[4] + j) + x[5] * *(const packed*)(row[5] + j) +
                x[6] * *(const packed*)(row[6] + j) + x[7] * *(const packed*)(row[7] + j);
    *(packed*)(y + j) += low + high;
  }
  for (; j < n; j++) {
    cr_real low = x[0] * row[0][j] + x[1] * row[1][j] + x[2] * row[2][j] + x[3] * row[3][j];
    cr_real high = x[4] * row[4][j] + x[5] * row[5][j] + x[6] * row[6][j] + x[7] * row[7][j];
    y[j] += low + high;
  }
}

// the sums of up to two registers of four rows of C; each is made from k = 0 to the last
static inline void four_rows(int depth, const cr_factor_rows* A, const cr_real* B, int ldb,
                             cr_real* C, int ldc, bool two) {
  const int other = two ? WIDTH : 0;  // with one register the second is made twice, and not kept
  const cr_real *a0 = A->x, *a1 = a0 + A->by_row, *a2 = a1 + A->by_row, *a3 = a2 + A->by_row;
  cr_real *c0 = C, *c1 = c0 + ldc, *c2 = c1 + ldc, *c3 = c2 + ldc;
  part r00 = *(const packed*)c0, r01 = *(const packed*)(c0 + other);
  part r10 = *(const packed*)c1, r11 = *(const packed*)(c1 + other);
  part r20 = *(const packed*)c2, r21 = *(const packed*)(c2 + other);
  part r30 = *(const packed*)c3, r31 = *(const packed*)(c3 + other);
  for (int k = 0; k < depth; k++) {
    const part b0 = *(const packed*)B, b1 = *(const packed*)(B + other);
    const ptrdiff_t at = k * A->by_column;
    r00 += a0[at] * b0;
    r01 += a0[at] * b1;
    r10 += a1[at] * b0;
    r11 += a1[at] * b1;
    r20 += a2[at] * b0;
    r21 += a2[at] * b1;
    r30 += a3[at] * b0;
    r31 += a3[at] * b1;
    B += ldb;
  }
  *(packed*)c0 = r00;
  *(packed*)c1 = r10;
  *(packed*)c2 = r20;
  *(packed*)c3 = r30;
  if (two) {
    *(packed*)(c0 + WIDTH) = r01;
    *(packed*)(c1 + WIDTH) = r11;
    *(packed*)(c2 + WIDTH) = r21;
    *(packed*)(c3 + WIDTH) = r31;
  }
}

static inline void one_row(int depth, const cr_factor_rows* A, const cr_real* B, int ldb,
                           cr_real* C) {
  part sum = *(const packed*)C;
  for (int k = 0; k < depth; k++) {
    sum += A->x[k * A->by_column] * *(const packed*)(B + (ptrdiff_t)k * ldb);
  }
  *(packed*)C = sum;
}

static void multiply(int m, int n, int depth, const cr_factor_rows* A, const cr_real* B, int ldb,
                     cr_real* C, int ldc) {
  for (int i = 0; i < m;) {
    const cr_factor_rows a = {A->x + i * A->by_row, A->by_row, A->by_column};
    cr_real* c = C + (ptrdiff_t)i * ldc;
    int rows = m - i < 4 ? 1 : 4;
    for (int j = 0; j < n;) {
      bool two = n - j >= 2 * WIDTH;
      if (rows == 1) {
        one_row(depth, &a, B + j, ldb, c + j);
        j += WIDTH;
      } else {
        four_rows(depth, &a, B + j, ldb, c + j, ldc, two);
        j += two ? 2 * WIDTH : WIDTH;
      }
    }
    i += rows;
  }
}

#endif
