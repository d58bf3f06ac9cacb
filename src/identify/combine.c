// SPDX-License-Identifier: Apache-2.0
// Eight rows a pass: y is read and written once for all of them.
#include "identify/combine.h"

enum { PASS = 8 };

static void add_pass(cr_real* restrict y, const cr_real* x, const cr_real* const* row, int n) {
  const cr_real *a = row[0], *b = row[1], *c = row[2], *d = row[3];
  const cr_real *e = row[4], *f = row[5], *g = row[6], *h = row[7];
  for (int j = 0; j < n; j++) {
    cr_real low = x[0] * a[j] + x[1] * b[j] + x[2] * c[j] + x[3] * d[j];
    cr_real high = x[4] * e[j] + x[5] * f[j] + x[6] * g[j] + x[7] * h[j];
    y[j] += low + high;
  }
}

static void add_row(cr_real* restrict y, cr_real x, const cr_real* row, int n) {
  for (int j = 0; j < n; j++) {
    y[j] += x * row[j];
  }
}

void cri_combine(cr_real* restrict y, const cr_real* x, int rows, const cr_real* R, int stride,
                 int n) {
  const cr_real* row[PASS];
  cr_real by[PASS];
  int held = 0;
  for (int k = 0; k < rows; k++) {
    if (x[k] == 0) {
      continue;
    }
    row[held] = R + (ptrdiff_t)k * stride;
    by[held++] = x[k];
    if (held == PASS) {
      add_pass(y, by, row, n);
      held = 0;
    }
  }
  for (int k = 0; k < held; k++) {
    add_row(y, by[k], row[k], n);
  }
}
