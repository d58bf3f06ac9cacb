// SPDX-License-Identifier: Apache-2.0
// In a tree the columns of row j are a prefix of those of every row that has j among its columns:
// ancestor number q of a row has q ancestors, the first q of the row's own.
#include "math/lu.h"

int cr_lu_factor(cr_real* lower, cr_real* upper, const cr_pattern* p) {
  for (int i = p->n - 1; i >= 0; i--) {
    int n = p->nnz[i] - 1;
    cr_real *l = lower + p->adr[i], *u = upper + p->adr[i];
    const int32_t* col = p->col + p->adr[i];
    if (!(cr_abs(l[n]) >= CR_MINVAL)) {
      return i;
    }
    // row j -= A_ji / A_ii row i, for all ancestors j
    for (int q = 0; q < n; q++) {
      u[q] /= l[n];
      cr_real* below = lower + p->adr[col[q]];
      for (int k = 0; k <= q; k++) {
        below[k] -= u[q] * l[k];
      }
      for (int k = q + 1; k < n; k++) {
        upper[p->adr[col[k]] + q] -= u[q] * l[k];
      }
    }
  }
  return -1;
}

void cr_lu_solve(const cr_real* lower, const cr_real* upper, const cr_pattern* p, cr_real* x) {
  // U y = x
  for (int i = p->n - 1; i >= 0; i--) {
    for (int q = 0; q < p->nnz[i] - 1; q++) {
      x[p->col[p->adr[i] + q]] -= upper[p->adr[i] + q] * x[i];
    }
  }
  // L x = y
  for (int i = 0; i < p->n; i++) {
    const cr_real* l = lower + p->adr[i];
    int n = p->nnz[i] - 1;
    for (int q = 0; q < n; q++) {
      x[i] -= l[q] * x[p->col[p->adr[i] + q]];
    }
    x[i] /= l[n];
  }
}

// x -= c y
static void subtract(cr_real* x, const cr_real* y, cr_real c, int n) {
  for (int k = 0; k < n; k++) {
    x[k] -= c * y[k];
  }
}

void cr_lu_mul_many_part(const cr_real* lower, const cr_real* upper, const cr_pattern* p,
                         cr_runs rows, bool transposed, cr_real s, int n, int ld, const cr_real* X,
                         cr_real* Y) {
  CR_EACH(i, rows) {
    ptrdiff_t row = (ptrdiff_t)i * ld;
    for (int k = p->adr[i], diagonal = k + p->nnz[i] - 1; k <= diagonal; k++) {
      ptrdiff_t column = (ptrdiff_t)p->col[k] * ld;
      bool below = k < diagonal && transposed;
      subtract(Y + row, X + column, -s * (below ? upper[k] : lower[k]), n);
      if (k < diagonal) {
        subtract(Y + column, X + row, -s * (transposed ? lower[k] : upper[k]), n);
      }
    }
  }
}

// Y of U Y = X
static void many_up(const cr_real* upper, const cr_pattern* p, cr_run rows, int n, int ld,
                    cr_real* X) {
  for (int i = rows.end - 1; i >= rows.begin; i--) {
    for (int q = 0; q < p->nnz[i] - 1; q++) {
      ptrdiff_t j = p->col[p->adr[i] + q];
      subtract(X + j * ld, X + (ptrdiff_t)i * ld, upper[p->adr[i] + q], n);
    }
  }
}

void cr_lu_solve_many_part(const cr_real* lower, const cr_real* upper, const cr_pattern* p,
                           cr_runs rows, int n, int ld, cr_real* X) {
  for (int r = rows.n - 1; r >= 0; r--) {
    many_up(upper, p, rows.run[r], n, ld, X);
  }
  // L X = Y
  CR_EACH(i, rows) {
    const cr_real* l = lower + p->adr[i];
    cr_real* x = X + (ptrdiff_t)i * ld;
    for (int q = 0; q < p->nnz[i] - 1; q++) {
      subtract(x, X + (ptrdiff_t)p->col[p->adr[i] + q] * ld, l[q], n);
    }
    for (int k = 0; k < n; k++) {
      x[k] /= l[p->nnz[i] - 1];
    }
  }
}

void cr_lu_solve_many(const cr_real* lower, const cr_real* upper, const cr_pattern* p, int n,
                      int ld, cr_real* X) {
  cr_run all = {0, p->n};
  cr_lu_solve_many_part(lower, upper, p, (cr_runs){1, &all}, n, ld, X);
}

void cr_lu_solve_transposed(const cr_real* lower, const cr_real* upper, const cr_pattern* p,
                            cr_real* x) {
  // L' y = x
  for (int i = p->n - 1; i >= 0; i--) {
    const cr_real* l = lower + p->adr[i];
    int n = p->nnz[i] - 1;
    x[i] /= l[n];
    for (int q = 0; q < n; q++) {
      x[p->col[p->adr[i] + q]] -= l[q] * x[i];
    }
  }
  // U' x = y
  for (int i = 0; i < p->n; i++) {
    for (int q = 0; q < p->nnz[i] - 1; q++) {
      x[i] -= upper[p->adr[i] + q] * x[p->col[p->adr[i] + q]];
    }
  }
}
