// SPDX-License-Identifier: Apache-2.0
// Quadratic problems with a solution that is found otherwise: by trying all sets of rows at their bounds.
#ifndef CR_TESTS_WALK_PROBLEMS_H
#define CR_TESTS_WALK_PROBLEMS_H

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "support/test.h"
#include "walk/convex_qp.h"

enum { SMALL = 3, SMALL_ROWS = 5 };

/// P = B B' + a little, two entries in each row of A, bounds on both sides that leave 0 inside.
static inline void random_problem(cr_qp* qp, int n, int m, cr_random* random) {
  qp->n = n;
  qp->m = m;
  double* B = calloc((size_t)n * (size_t)n, sizeof *B);
  assert_non_null(B);
  for (int i = 0; i < n * n; i++) {
    B[i] = cr_random_normal(random) / sqrt(n);
  }
  for (int i = 0; i < n; i++) {
    qp->q[i] = 3 * cr_random_normal(random);
    for (int j = 0; j < n; j++) {
      double sum = i == j ? 0.1 : 0;
      for (int k = 0; k < n; k++) {
        sum += B[i * n + k] * B[j * n + k];
      }
      qp->P[i * n + j] = sum;
    }
  }
  free(B);
  qp->start[0] = 0;
  for (int i = 0; i < m; i++) {
    int first = i % n, second = (i + 1 + i / n) % n;
    qp->start[i + 1] = qp->start[i] + 2;
    qp->column[2 * i] = first;
    qp->column[2 * i + 1] = second;
    qp->entry[2 * i] = cr_random_normal(random);
    qp->entry[2 * i + 1] = cr_random_normal(random);
    qp->lower[i] = -cr_random_range(random, 0.1, 1);
    qp->upper[i] = cr_random_range(random, 0.1, 1);
  }
}

// Gauss with pivots; false: singular
static inline bool gauss(int n, double* M, double* b) {
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int r = c + 1; r < n; r++) {
      pivot = fabs(M[r * n + c]) > fabs(M[pivot * n + c]) ? r : pivot;
    }
    if (fabs(M[pivot * n + c]) < 1e-12) {
      return false;
    }
    for (int k = 0; k < n; k++) {
      double t = M[c * n + k];
      M[c * n + k] = M[pivot * n + k];
      M[pivot * n + k] = t;
    }
    double t = b[c];
    b[c] = b[pivot];
    b[pivot] = t;
    for (int r = 0; r < n; r++) {
      double share = r == c ? 0 : M[r * n + c] / M[c * n + c];
      for (int k = c; k < n; k++) {
        M[r * n + k] -= share * M[c * n + k];
      }
      b[r] -= share * b[c];
    }
  }
  for (int c = 0; c < n; c++) {
    b[c] /= M[c * n + c];
  }
  return true;
}

/// The one point of a problem of SMALL unknowns at which all conditions hold.
static inline void solve_small(const cr_qp* qp, double x[SMALL]) {
  enum { MOST = SMALL + SMALL_ROWS };
  int sets = 1;
  for (int i = 0; i < qp->m; i++) {
    sets *= 3;
  }
  double best = 1e300;
  for (int set = 0; set < sets; set++) {
    int held[SMALL_ROWS], n = 0, code = set;
    double bound[SMALL_ROWS];
    for (int i = 0; i < qp->m; i++, code /= 3) {
      if (code % 3 != 0 && n < SMALL) {
        held[n] = i;
        bound[n++] = code % 3 == 1 ? qp->lower[i] : qp->upper[i];
      }
    }
    double M[MOST * MOST] = {0}, b[MOST], y[SMALL_ROWS] = {0};
    int size = SMALL + n;
    for (int i = 0; i < SMALL; i++) {
      b[i] = -qp->q[i];
      for (int j = 0; j < SMALL; j++) {
        M[i * size + j] = qp->P[i * SMALL + j];
      }
    }
    for (int k = 0; k < n; k++) {
      for (int e = qp->start[held[k]]; e < qp->start[held[k] + 1]; e++) {
        M[(SMALL + k) * size + qp->column[e]] += qp->entry[e];
        M[qp->column[e] * size + SMALL + k] += qp->entry[e];
      }
      b[SMALL + k] = bound[k];
    }
    if (!gauss(size, M, b)) {
      continue;
    }
    for (int k = 0; k < n; k++) {
      y[held[k]] = b[SMALL + k];
    }
    double off = cri_qp_residual(qp, b, y);
    if (off < best) {
      best = off;
      for (int i = 0; i < SMALL; i++) {
        x[i] = b[i];
      }
    }
  }
  assert_true(best < 1e-9);
}

#endif
