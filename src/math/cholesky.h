// SPDX-License-Identifier: Apache-2.0
// Sparse symmetric matrices of a mechanism: lower triangles in rows, and their factor H = L' L.
//
// Eliminating from the last row to the first makes no fill where the non-zeros of row i are the
// ancestors of dof i: a joint-space inertia factors in place (Featherstone 2005, "Efficient
// factorization of the joint-space inertia matrix for branched kinematic trees"). Contacts between
// two branches add entries; cr_chol_pattern closes the pattern under elimination.
//
// In a tree the columns of row j are a prefix of those of every row i that has j among its columns.
// So if row j has as many entries as row i up to column j, the two line up and an update is one
// contiguous loop. Only where contacts made extra entries does it search for columns.
#ifndef CR_MATH_CHOLESKY_H
#define CR_MATH_CHOLESKY_H

#include "base/real.h"
#include "math/runs.h"

/// Non-zeros of a lower triangle: row i has nnz[i] columns col[adr[i]...], ascending, i last.
typedef struct {
  int n;
  const int32_t* nnz;
  const int32_t* adr;
  const int32_t* col;
} cr_pattern;

/// Most integers cr_chol_pattern writes for n rows.
static inline int cr_chol_index_size(int n) { return 2 * n + n * (n + 1) / 2; }

/// The pattern held in `index`: nnz, adr, col behind one another.
static inline cr_pattern cr_chol_pattern_view(int n, const int32_t* index) {
  return (cr_pattern){.n = n, .nnz = index, .adr = index + n, .col = index + 2 * n};
}

/// Words of 64 bits a row of n columns takes.
static inline int cr_chol_words(int n) { return (n + 63) / 64; }

/// Sets bit j of a row.
static inline void cr_chol_set(uint64_t* row, int j) { row[j / 64] |= (uint64_t)1 << (j % 64); }

/// Closes the pattern in `bits` (n rows of cr_chol_words(n), bit j of row i set for entry (i, j),
/// j <= i) under elimination from the last row to the first, and writes it to `index`. Returns the
/// number of non-zeros.
int cr_chol_pattern(int32_t* index, int n, uint64_t* bits);

/// The same for the rows name[n], ascending, of a pattern of `all` rows. Bits are numbered
/// among these rows; their non-zeros are in `index` from `from` on. Returns their end.
int cr_chol_pattern_part(int32_t* index, int all, int from, int n, const int32_t* name,
                         uint64_t* bits);

/// H += sum over k of s_k w_k x_k', lower triangle, for vectors with entries at the ascending columns
/// col[ncol], all of which the pattern has; the sum is symmetric, though its terms need not be.
void cr_sparse_update(cr_real* H, const cr_pattern* p, int ncol, const int32_t* col, int nk,
                      const cr_real* s, const cr_real* const* w, const cr_real* const* x);

/// Replaces H by its factor L, H = L' L, with 1 / L_ii on the diagonal. Returns -1, or the row at
/// which H is not positive definite. `rows`: only these, a part that no entry couples to others.
int cr_chol_factor_part(cr_real* H, const cr_pattern* p, cr_runs rows);
int cr_chol_factor(cr_real* H, const cr_pattern* p);

/// x = H^-1 x, given the factor.
void cr_chol_solve_part(const cr_real* L, const cr_pattern* p, cr_runs rows, cr_real* x);
void cr_chol_solve(const cr_real* L, const cr_pattern* p, cr_real* x);

/// The same for n right sides at once: X has p->n rows of n numbers, ld apart.
void cr_chol_solve_many_part(const cr_real* L, const cr_pattern* p, cr_runs rows, int n, int ld,
                             cr_real* X);
void cr_chol_solve_many(const cr_real* L, const cr_pattern* p, int n, int ld, cr_real* X);

/// y = H x, given the lower triangle.
void cr_sparse_mul_part(cr_real* y, const cr_real* H, const cr_pattern* p, cr_runs rows,
                        const cr_real* x);
void cr_sparse_mul(cr_real* y, const cr_real* H, const cr_pattern* p, const cr_real* x);

/// The same for n vectors at once, as rows of n numbers, ld apart.
void cr_sparse_mul_many_part(cr_real* Y, const cr_real* H, const cr_pattern* p, cr_runs rows, int n,
                             int ld, const cr_real* X);
void cr_sparse_mul_many(cr_real* Y, const cr_real* H, const cr_pattern* p, int n, int ld,
                        const cr_real* X);

#endif
