// SPDX-License-Identifier: Apache-2.0
// Normal equations: the columns that do not count have a 1 on the diagonal and zeros beside it.
#include "gradient/linear_fit.h"

#include "math/dense_cholesky.h"

// share of a pivot below which columns depend on each other
static const cr_real DEPENDENT = CR_R(1e-12);

size_t cri_linear_fit_room(int n, int m) {
  size_t k = (size_t)n + 1;
  return k * k + k * (size_t)m + (size_t)m + k;
}

void cri_linear_fit_begin(cri_linear_fit* f, int n, int m, const bool* use, cr_real* memory) {
  const ptrdiff_t k = n + 1;
  *f = (cri_linear_fit){.n = n, .m = m, .use = use, .G = memory};
  f->R = f->G + k * k;
  f->square = f->R + k * m;
  f->row = f->square + m;
  for (size_t i = 0; i < cri_linear_fit_room(n, m); i++) {
    memory[i] = 0;
  }
}

void cri_linear_fit_add(cri_linear_fit* f, const cr_real* w, const cr_real* y) {
  const ptrdiff_t k = f->n + 1, m = f->m;
  f->row[0] = 1;
  for (int i = 0; i < f->n; i++) {
    f->row[i + 1] = f->use == NULL || f->use[i] ? w[i] : 0;
  }
  for (ptrdiff_t i = 0; i < k; i++) {
    for (ptrdiff_t j = 0; j <= i; j++) {
      f->G[i * k + j] += f->row[i] * f->row[j];
    }
    for (ptrdiff_t j = 0; j < m; j++) {
      f->R[i * m + j] += f->row[i] * y[j];
    }
  }
  for (ptrdiff_t j = 0; j < m; j++) {
    f->square[j] += y[j] * y[j];
  }
  f->count++;
}

static bool counts(const cri_linear_fit* f, int i) {
  return i == 0 || f->use == NULL || f->use[i - 1];
}

bool cri_linear_fit_solve(cri_linear_fit* f, cr_real* X, cr_real* c) {
  const int k = f->n + 1;
  for (int i = 0; i < k; i++) {
    f->G[(ptrdiff_t)i * k + i] += counts(f, i) ? 0 : 1;
  }
  if (cr_dense_chol_factor(f->G, k, DEPENDENT) >= 0) {
    return false;
  }
  for (ptrdiff_t j = 0; j < f->m; j++) {
    for (ptrdiff_t i = 0; i < k; i++) {
      f->row[i] = f->R[i * f->m + j];
    }
    cr_dense_chol_forward(f->G, k, f->row);
    for (int i = 0; i < k; i++) {  // r'r = y'y - |L^-1 W'y|^2
      f->square[j] -= f->row[i] * f->row[i];
    }
    cr_dense_chol_backward(f->G, k, f->row);
    for (int i = 0; i < f->n; i++) {
      if (counts(f, i + 1)) {
        X[j * f->n + i] = f->row[i + 1];
      }
    }
    if (c != NULL) {
      c[j] = f->row[0];
    }
  }
  return true;
}

cr_real cri_linear_fit_error(cri_linear_fit* f, int i, int j) {
  const int k = f->n + 1;
  int free = f->count;
  cr_real sum = 0;
  for (int a = 0; a < k; a++) {
    free -= counts(f, a);
    f->row[a] = a == j + 1 ? 1 : 0;
  }
  cr_dense_chol_forward(f->G, k, f->row);
  for (int a = 0; a < k; a++) {
    sum += f->row[a] * f->row[a];
  }
  return free > 0 ? cr_sqrt(cr_max(f->square[i], 0) / (cr_real)free * sum) : (cr_real)INFINITY;
}
