// SPDX-License-Identifier: Apache-2.0
// Factor, solve and update of sparse symmetric matrices, see cholesky.h.
#include "math/cholesky.h"

#include "math/eight.h"

enum { CHUNK = 6 };  // rows eliminated, or vectors added, in one pass over the target

// highest bit of a row below column j, -1 when there is none
static int highest_below(const uint64_t* row, int j) {
  for (int k = j / 64; k >= 0; k--) {
    uint64_t word = row[k];
    if (k == j / 64) {
      word &= ((uint64_t)1 << (j % 64)) - 1;
    }
    if (word != 0) {
      return 64 * k + 63 - __builtin_clzll(word);
    }
  }
  return -1;
}

// eliminating row i puts its other columns into the last of them: its parent
static void eliminate(int n, uint64_t* bits) {
  int words = cr_chol_words(n);
  for (int i = n - 1; i >= 0; i--) {
    uint64_t* row = bits + (size_t)i * (size_t)words;
    cr_chol_set(row, i);
    int parent = highest_below(row, i);
    if (parent >= 0) {
      uint64_t* into = bits + (size_t)parent * (size_t)words;
      for (int k = 0; k <= parent / 64; k++) {
        into[k] |= row[k];
      }
      // columns above the parent are i alone, which may share its word
      if (i / 64 == parent / 64) {
        into[i / 64] &= ~((uint64_t)1 << (i % 64));
      }
    }
  }
}

int cr_chol_pattern_part(int32_t* index, int all, int from, int n, const int32_t* name,
                         uint64_t* bits) {
  int words = cr_chol_words(n);
  int32_t *nnz = index, *adr = index + all, *col = index + 2 * all;
  eliminate(n, bits);
  for (int i = 0; i < n; i++) {
    const uint64_t* word = bits + (size_t)i * (size_t)words;
    int row = name == NULL ? i : name[i];
    adr[row] = from;
    for (int k = 0; k <= i / 64; k++) {
      for (uint64_t left = word[k]; left != 0; left &= left - 1) {
        int j = 64 * k + __builtin_ctzll(left);
        col[from++] = name == NULL ? j : name[j];
      }
    }
    nnz[row] = from - adr[row];
  }
  return from;
}

int cr_chol_pattern(int32_t* index, int n, uint64_t* bits) {
  return cr_chol_pattern_part(index, n, 0, n, NULL, bits);
}

// y += sum over k of c[k] x_k, n numbers each; called with nk a constant, so that it is unrolled
static inline void combine(cr_real* restrict y, int n, int nk, const cr_real* c,
                           const cr_real* const* x) {
  for (int q = 0; q < n; q++) {
    cr_real sum = y[q];
    for (int k = 0; k < nk; k++) {
      sum += c[k] * x[k][q];
    }
    y[q] = sum;
  }
}

// the same where y has more columns than x: `at` are those of y, `col` those of x, in runs that both have
static inline void combine_scattered(cr_real* restrict y, const int32_t* at, int n,
                                     const int32_t* col, int nk, const cr_real* c,
                                     const cr_real* const* x) {
  for (int q = 0, t = 0; q < n;) {
    while (at[t] != col[q]) {
      t++;
    }
    for (; q < n && at[t] == col[q]; q++, t++) {
      cr_real sum = y[t];
      for (int k = 0; k < nk; k++) {
        sum += c[k] * x[k][q];
      }
      y[t] = sum;
    }
  }
}

// a row of H: its first n entries where all its columns are those of x, else where they meet
static inline void update_row(cr_real* y, const int32_t* at, int nnz, int n, const int32_t* col,
                              int nk, const cr_real* c, const cr_real* const* x) {
  if (nnz == n) {
    combine(y, n, nk, c, x);
  } else {
    combine_scattered(y, at, n, col, nk, c, x);
  }
}

// H += sum of s_k w_k x_k' for nk vectors, a constant where it is called
static inline void update_by(cr_real* H, const cr_pattern* p, int ncol, const int32_t* col, int nk,
                             const cr_real* s, const cr_real* const* w, const cr_real* const* x) {
  for (int j = 0; j < ncol; j++) {
    int adr = p->adr[col[j]];
    cr_real c[CHUNK];
    for (int k = 0; k < nk; k++) {
      c[k] = s[k] * w[k][j];
    }
    update_row(H + adr, p->col + adr, p->nnz[col[j]], j + 1, col, nk, c, x);
  }
}

static void update_chunk(cr_real* H, const cr_pattern* p, int ncol, const int32_t* col, int nk,
                         const cr_real* s, const cr_real* const* w, const cr_real* const* x) {
  switch (nk) {
    case 1:
      update_by(H, p, ncol, col, 1, s, w, x);
      break;
    case 2:
      update_by(H, p, ncol, col, 2, s, w, x);
      break;
    case 3:
      update_by(H, p, ncol, col, 3, s, w, x);
      break;
    case 4:
      update_by(H, p, ncol, col, 4, s, w, x);
      break;
    case 5:
      update_by(H, p, ncol, col, 5, s, w, x);
      break;
    default:
      update_by(H, p, ncol, col, CHUNK, s, w, x);
  }
}

void cr_sparse_update(cr_real* H, const cr_pattern* p, int ncol, const int32_t* col, int nk,
                      const cr_real* s, const cr_real* const* w, const cr_real* const* x) {
  for (int k = 0; k < nk; k += CHUNK) {
    int chunk = nk - k < CHUNK ? nk - k : CHUNK;
    update_chunk(H, p, ncol, col, chunk, s + k, w + k, x + k);
  }
}

// how many rows i, i - 1, ... down to `begin` end in one another, so that they share all columns
// but their own
static int nested_rows(const cr_pattern* p, int begin, int i) {
  int n = 1;
  while (n < CHUNK && i - n >= begin && p->nnz[i - n + 1] == p->nnz[i - n] + 1 &&
         p->col[p->adr[i - n + 1] + p->nnz[i - n + 1] - 2] == i - n) {
    n++;
  }
  return n;
}

static const cr_real MINUS[CHUNK] = {-1, -1, -1, -1, -1, -1};

// Row h of n entries: less those above it that nest it, nk of them, a constant where it is called;
// then scaled. False where it is not positive.
static inline bool factor_row(cr_real* h, int n, int nk, const cr_real* const* above) {
  cr_real c[CHUNK];
  for (int k = 0; k < nk; k++) {
    c[k] = -above[k][n - 1];
  }
  combine(h, n, nk, c, above);
  if (!(h[n - 1] > 0)) {
    return false;
  }
  cr_real inverse = 1 / cr_sqrt(h[n - 1]);
  for (int q = 0; q < n - 1; q++) {
    h[q] *= inverse;
  }
  h[n - 1] = inverse;
  return true;
}

static bool factor_row_under(cr_real* h, int n, int nk, const cr_real* const* above) {
  switch (nk) {
    case 0:
      return factor_row(h, n, 0, above);
    case 1:
      return factor_row(h, n, 1, above);
    case 2:
      return factor_row(h, n, 2, above);
    case 3:
      return factor_row(h, n, 3, above);
    case 4:
      return factor_row(h, n, 4, above);
    default:
      return factor_row(h, n, CHUNK - 1, above);
  }
}

// rows begin .. end - 1, to be eliminated before all above them
static int factor_run(cr_real* H, const cr_pattern* p, int begin, int end) {
  for (int i = end - 1; i >= begin;) {
    // eliminate a chunk of nested rows among themselves
    int nk = nested_rows(p, begin, i);
    const cr_real* rows[CHUNK];
    for (int k = 0; k < nk; k++) {
      cr_real* h = H + p->adr[i - k];
      if (!factor_row_under(h, p->nnz[i - k], k, rows)) {
        return i - k;
      }
      rows[k] = h;
    }

    // then from the columns they share
    int last = i - nk + 1;
    cr_sparse_update(H, p, p->nnz[last] - 1, p->col + p->adr[last], nk, MINUS, rows, rows);
    i -= nk;
  }
  return -1;
}

int cr_chol_factor_part(cr_real* H, const cr_pattern* p, cr_runs rows) {
  for (int r = rows.n - 1; r >= 0; r--) {
    int bad = factor_run(H, p, rows.run[r].begin, rows.run[r].end);
    if (bad >= 0) {
      return bad;
    }
  }
  return -1;
}

int cr_chol_factor(cr_real* H, const cr_pattern* p) { return factor_run(H, p, 0, p->n); }

// y of L' y = x
static void solve_up(const cr_real* L, const cr_pattern* p, int begin, int end, cr_real* x) {
  for (int i = end - 1; i >= begin; i--) {
    const cr_real* l = L + p->adr[i];
    const int32_t* col = p->col + p->adr[i];
    int n = p->nnz[i] - 1;
    cr_real y = x[i] *= l[n];
    for (int q = 0; q < n; q++) {
      x[col[q]] -= l[q] * y;
    }
  }
}

// x of L x = y, with two sums that do not wait for each other
static void solve_down(const cr_real* L, const cr_pattern* p, int begin, int end, cr_real* x) {
  for (int i = begin; i < end; i++) {
    const cr_real* l = L + p->adr[i];
    const int32_t* col = p->col + p->adr[i];
    int n = p->nnz[i] - 1;
    cr_real even = 0, odd = 0;
    for (int q = 0; q + 1 < n; q += 2) {
      even += l[q] * x[col[q]];
      odd += l[q + 1] * x[col[q + 1]];
    }
    if (n % 2 == 1) {
      even += l[n - 1] * x[col[n - 1]];
    }
    x[i] = (x[i] - (even + odd)) * l[n];
  }
}

void cr_chol_solve_part(const cr_real* L, const cr_pattern* p, cr_runs rows, cr_real* x) {
  for (int r = rows.n - 1; r >= 0; r--) {
    solve_up(L, p, rows.run[r].begin, rows.run[r].end, x);
  }
  for (int r = 0; r < rows.n; r++) {
    solve_down(L, p, rows.run[r].begin, rows.run[r].end, x);
  }
}

void cr_chol_solve(const cr_real* L, const cr_pattern* p, cr_real* x) {
  solve_up(L, p, 0, p->n, x);
  solve_down(L, p, 0, p->n, x);
}

// ---- many right sides, CR_EIGHT at a time (math/eight.h)

// one of the last, fewer than eight
static void strided_up(const cr_real* L, const cr_pattern* p, cr_run rows, int ld, cr_real* x) {
  for (int i = rows.end - 1; i >= rows.begin; i--) {
    const cr_real* l = L + p->adr[i];
    cr_real y = x[(ptrdiff_t)i * ld] *= l[p->nnz[i] - 1];
    for (int q = 0; q < p->nnz[i] - 1; q++) {
      x[(ptrdiff_t)p->col[p->adr[i] + q] * ld] -= l[q] * y;
    }
  }
}

static void strided_down(const cr_real* L, const cr_pattern* p, cr_run rows, int ld, cr_real* x) {
  for (int i = rows.begin; i < rows.end; i++) {
    const cr_real* l = L + p->adr[i];
    cr_real sum = x[(ptrdiff_t)i * ld];
    for (int q = 0; q < p->nnz[i] - 1; q++) {
      sum -= l[q] * x[(ptrdiff_t)p->col[p->adr[i] + q] * ld];
    }
    x[(ptrdiff_t)i * ld] = sum * l[p->nnz[i] - 1];
  }
}

// both sweeps over all runs for the right sides at X, eight or one
static void solve_runs(const cr_real* L, const cr_pattern* p, cr_runs rows, int ld, cr_real* X,
                       cr_sweep* up, cr_sweep* down) {
  for (int r = rows.n - 1; r >= 0; r--) {
    up(L, p, rows.run[r], ld, X);
  }
  for (int r = 0; r < rows.n; r++) {
    down(L, p, rows.run[r], ld, X);
  }
}

void cr_chol_solve_many_part(const cr_real* L, const cr_pattern* p, cr_runs rows, int n, int ld,
                             cr_real* X) {
  const cr_eight* eight = cri_eight();
  int k = 0;
  for (; k + CR_EIGHT <= n; k += CR_EIGHT) {
    solve_runs(L, p, rows, ld, X + k, eight->up, eight->down);
  }
  for (; k < n; k++) {
    solve_runs(L, p, rows, ld, X + k, strided_up, strided_down);
  }
}

void cr_chol_solve_many(const cr_real* L, const cr_pattern* p, int n, int ld, cr_real* X) {
  cr_run all = {0, p->n};
  cr_chol_solve_many_part(L, p, (cr_runs){1, &all}, n, ld, X);
}

void cr_sparse_mul_part(cr_real* y, const cr_real* H, const cr_pattern* p, cr_runs rows,
                        const cr_real* x) {
  CR_EACH(i, rows) {
    const cr_real* h = H + p->adr[i];
    const int32_t* col = p->col + p->adr[i];
    int n = p->nnz[i] - 1;
    cr_real sum = h[n] * x[i], xi = x[i];
    for (int q = 0; q < n; q++) {
      sum += h[q] * x[col[q]];
      y[col[q]] += h[q] * xi;
    }
    y[i] = sum;
  }
}

void cr_sparse_mul(cr_real* y, const cr_real* H, const cr_pattern* p, const cr_real* x) {
  cr_run all = {0, p->n};
  cr_sparse_mul_part(y, H, p, (cr_runs){1, &all}, x);
}

// y += c x
static void accumulate(cr_real* y, const cr_real* x, cr_real c, int n) {
  for (int k = 0; k < n; k++) {
    y[k] += c * x[k];
  }
}

void cr_sparse_mul_many_part(cr_real* Y, const cr_real* H, const cr_pattern* p, cr_runs rows, int n,
                             int ld, const cr_real* X) {
  CR_EACH(i, rows) { cr_zero(Y + (ptrdiff_t)i * ld, n); }
  CR_EACH(i, rows) {
    const cr_real* x = X + (ptrdiff_t)i * ld;
    cr_real* y = Y + (ptrdiff_t)i * ld;
    for (int q = 0; q < p->nnz[i] - 1; q++) {
      cr_real h = H[p->adr[i] + q];
      ptrdiff_t j = (ptrdiff_t)p->col[p->adr[i] + q] * ld;
      accumulate(y, X + j, h, n);
      accumulate(Y + j, x, h, n);
    }
    accumulate(y, x, H[p->adr[i] + p->nnz[i] - 1], n);
  }
}

void cr_sparse_mul_many(cr_real* Y, const cr_real* H, const cr_pattern* p, int n, int ld,
                        const cr_real* X) {
  cr_run all = {0, p->n};
  cr_sparse_mul_many_part(Y, H, p, (cr_runs){1, &all}, n, ld, X);
}
