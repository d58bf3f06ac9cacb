// SPDX-License-Identifier: Apache-2.0
// Householder's reflections, applied row by row: the matrices are tall and kept by rows.
#include "math/qr.h"

// the norm of column k from row k down, without overflow
static cr_real norm_of(const cr_real* a, int rows, int k, int width) {
  cr_real largest = 0, sum = 0;
  for (int i = k; i < rows; i++) {
    largest = cr_max(largest, cr_abs(a[i * width + k]));
  }
  for (int i = k; i < rows && largest > 0; i++) {
    cr_real part = a[i * width + k] / largest;
    sum += part * part;
  }
  return largest * cr_sqrt(sum);
}

// v = a_k - alpha e_k, H = 1 - v v' / (alpha (alpha - a_kk)): column k becomes alpha e_k
static void reflect(cr_real* a, int rows, int k, int width, cr_real* work) {
  cr_real norm = norm_of(a, rows, k, width);
  if (norm == 0) {
    return;
  }
  cr_real* top = a + k * width;
  cr_real alpha = top[k] > 0 ? -norm : norm;
  top[k] -= alpha;
  // v is scaled by 1 / v_k, so that its square does not overflow: H = 1 - beta v v'
  cr_real first = top[k], beta = -first / alpha;
  cr_zero(work, width);
  for (int i = k; i < rows; i++) {
    cr_real* row = a + i * width;
    row[k] /= first;
    for (int j = k + 1; j < width; j++) {
      work[j] += row[k] * row[j];
    }
  }
  for (int i = k; i < rows; i++) {
    cr_real* row = a + i * width;
    cr_real v = beta * row[k];
    row[k] = 0;
    for (int j = k + 1; j < width; j++) {
      row[j] -= v * work[j];
    }
  }
  top[k] = alpha;
}

void cr_qr(cr_real* a, int rows, int n, int width, cr_real* work) {
  for (int k = 0; k < n && k < rows; k++) {
    reflect(a, rows, k, width, work);
  }
}

int cr_qr_solve(const cr_real* a, int n, int width, int right, cr_real* x) {
  cr_real largest = 0;
  for (int k = 0; k < n; k++) {
    largest = cr_max(largest, cr_abs(a[k * width + k]));
  }
  for (int k = 0; k < n; k++) {
    if (cr_abs(a[k * width + k]) <= CR_EPS * (cr_real)n * largest) {
      return k;
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    const cr_real* row = a + k * width;
    x[k] = row[right];
    for (int j = k + 1; j < n; j++) {
      x[k] -= row[j] * x[j];
    }
    x[k] /= row[k];
  }
  return n;
}
