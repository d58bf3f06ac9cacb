// SPDX-License-Identifier: Apache-2.0
// Eight rows a pass: y is read and written once for all of them.
#include "math/combine.h"

#include "math/eight.h"

enum { FEW = 2 };  // rows left over that are added one by one

static void add_row(cr_real* restrict y, cr_real x, const cr_real* row, int n) {
  for (int j = 0; j < n; j++) {
    y[j] += x * row[j];
  }
}

void cri_combine(cr_real* restrict y, const cr_real* x, int rows, const cr_real* R, int stride,
                 int n) {
  cr_add_rows* add = cri_eight()->add;
  const cr_real* row[CR_EIGHT];
  cr_real by[CR_EIGHT];
  int held = 0;
  for (int k = 0; k < rows; k++) {
    if (x[k] == 0) {
      continue;
    }
    row[held] = R + (ptrdiff_t)k * stride;
    by[held++] = x[k];
    if (held == CR_EIGHT) {
      add(y, by, row, n);
      held = 0;
    }
  }
  if (held <= FEW) {
    for (int k = 0; k < held; k++) {
      add_row(y, by[k], row[k], n);
    }
    return;
  }
  for (int k = held; k < CR_EIGHT; k++) {
    row[k] = row[0];
    by[k] = 0;
  }
  add(y, by, row, n);
}
