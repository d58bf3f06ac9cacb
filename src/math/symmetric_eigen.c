// SPDX-License-Identifier: Apache-2.0
// Jacobi's method: rotations take away one pair of numbers beside the diagonal after the other, until none is left.
#include "math/symmetric_eigen.h"

// tangent of the smaller angle that makes a_pq zero
static cr_real tangent(cr_real app, cr_real aqq, cr_real apq) {
  cr_real t = (aqq - app) / (2 * apq);
  return (t >= 0 ? 1 : -1) / (cr_abs(t) + cr_sqrt(1 + t * t));
}

static void rotate(cr_real* p, cr_real* q, cr_real c, cr_real s) {
  cr_real first = *p, second = *q;
  *p = c * first - s * second;
  *q = s * first + c * second;
}

static void take_away(cr_real* a, int n, int p, int q, cr_real* v) {
  cr_real apq = a[p * n + q];
  cr_real t = tangent(a[p * n + p], a[q * n + q], apq);
  cr_real c = 1 / cr_sqrt(1 + t * t), s = t * c;
  for (int k = 0; k < n; k++) {
    rotate(&a[k * n + p], &a[k * n + q], c, s);
  }
  for (int k = 0; k < n; k++) {
    rotate(&a[p * n + k], &a[q * n + k], c, s);
    rotate(&v[k * n + p], &v[k * n + q], c, s);
  }
  a[p * n + q] = a[q * n + p] = 0;
}

void cr_symmetric_eigen(cr_real* a, int n, cr_real* values, cr_real* vectors) {
  enum { MOST_SWEEPS = 60 };  // ten are usual
  cr_zero(vectors, n * n);
  for (int i = 0; i < n; i++) {
    vectors[i * n + i] = 1;
  }
  bool any = true;
  for (int sweep = 0; any && sweep < MOST_SWEEPS; sweep++) {
    any = false;
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        cr_real small = CR_EPS * cr_sqrt(cr_abs(a[p * n + p]) * cr_abs(a[q * n + q]));
        if (a[p * n + q] != 0 && cr_abs(a[p * n + q]) > small) {
          take_away(a, n, p, q, vectors);
          any = true;
        }
      }
    }
  }
  for (int i = 0; i < n; i++) {
    values[i] = a[i * n + i];
  }
}
