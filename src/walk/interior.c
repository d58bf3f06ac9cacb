// SPDX-License-Identifier: Apache-2.0
#include "walk/interior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 60 };
static const double stalled = 1e-6;  // an accuracy that will do where steps end early

// a bound: sign * (row of A) x <= h, with slack s and multiplier z
typedef struct {
  int row;
  double sign, h, s, z, ds, dz, corrector;
} bound;

struct cr_interior {
  int n, m, nbound;
  double accuracy;
  bound* bounds;                    // at most 2 m
  double *H, *dual, *right, *step;  // n x n, n, n, n
};

cr_status cri_interior_create(cr_interior** interior, int n, int m, double accuracy,
                              cr_error* error) {
  cr_interior* s = calloc(1, sizeof *s);
  *interior = s;
  if (s != NULL) {
    *s = (cr_interior){.n = n, .m = m, .accuracy = accuracy > 0 ? accuracy : 1e-8};
    s->bounds = calloc(2 * (size_t)m + 1, sizeof *s->bounds);
    s->H = calloc((size_t)n * ((size_t)n + 3) + 1, sizeof *s->H);
  }
  if (s == NULL || s->bounds == NULL || s->H == NULL) {
    cri_interior_destroy(s);
    *interior = NULL;
    return cri_fail(error, CR_ERR_MEMORY, "no memory for a quadratic problem of %d unknowns", n);
  }
  s->dual = s->H + (ptrdiff_t)n * n;
  s->right = s->dual + n;
  s->step = s->right + n;
  return CR_OK;
}

void cri_interior_destroy(cr_interior* interior) {
  if (interior != NULL) {
    free(interior->bounds);
    free(interior->H);
    free(interior);
  }
}

// ---- rows

static double row_product(const cr_qp* qp, int row, const double* x) {
  double sum = 0;
  for (int k = qp->start[row]; k < qp->start[row + 1]; k++) {
    sum += qp->entry[k] * x[qp->column[k]];
  }
  return sum;
}

static void add_row(const cr_qp* qp, int row, double scale, double* to) {
  for (int k = qp->start[row]; k < qp->start[row + 1]; k++) {
    to[qp->column[k]] += scale * qp->entry[k];
  }
}

static void find_bounds(cr_interior* s, const cr_qp* qp) {
  s->nbound = 0;
  for (int i = 0; i < qp->m; i++) {
    if (isfinite(qp->upper[i])) {
      s->bounds[s->nbound++] = (bound){.row = i, .sign = 1, .h = qp->upper[i]};
    }
    if (isfinite(qp->lower[i])) {
      s->bounds[s->nbound++] = (bound){.row = i, .sign = -1, .h = -qp->lower[i]};
    }
  }
}

// ---- linear algebra: the lower triangle of H

static void fill(cr_interior* s, const cr_qp* qp) {
  memcpy(s->H, qp->P, (size_t)qp->n * (size_t)qp->n * sizeof *s->H);
  for (int b = 0; b < s->nbound; b++) {
    const bound* at = &s->bounds[b];
    double d = at->z / at->s;
    for (int k = qp->start[at->row]; k < qp->start[at->row + 1]; k++) {
      for (int l = qp->start[at->row]; l < qp->start[at->row + 1]; l++) {
        s->H[(ptrdiff_t)qp->column[k] * qp->n + qp->column[l]] += d * qp->entry[k] * qp->entry[l];
      }
    }
  }
}

static bool factor(double* H, int n) {
  for (int i = 0; i < n; i++) {
    double* row = H + (ptrdiff_t)i * n;
    for (int j = 0; j <= i; j++) {
      const double* other = H + (ptrdiff_t)j * n;
      double sum = row[j];
      for (int k = 0; k < j; k++) {
        sum -= row[k] * other[k];
      }
      if (j < i) {
        row[j] = sum / other[j];
      } else if (sum > 0 && isfinite(sum)) {
        row[j] = sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

static void solve(const double* L, int n, double* b) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      b[i] -= L[(ptrdiff_t)i * n + k] * b[k];
    }
    b[i] /= L[(ptrdiff_t)i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    b[i] /= L[(ptrdiff_t)i * n + i];
    for (int k = 0; k < i; k++) {
      b[k] -= L[(ptrdiff_t)i * n + k] * b[i];
    }
  }
}

// ---- steps

// dual = P x + q + G'z; returns its largest part. *gap: the mean of s z; *missed: the largest part of G x + s - h
static double residuals(cr_interior* s, const cr_qp* qp, const double* x, double* gap,
                        double* missed) {
  double worst = 0;
  for (int i = 0; i < qp->n; i++) {
    double sum = qp->q[i];
    for (int j = 0; j < qp->n; j++) {
      sum += qp->P[(ptrdiff_t)i * qp->n + j] * x[j];
    }
    s->dual[i] = sum;
  }
  *gap = *missed = 0;
  for (int b = 0; b < s->nbound; b++) {
    const bound* at = &s->bounds[b];
    add_row(qp, at->row, at->sign * at->z, s->dual);
    *gap += at->s * at->z / s->nbound;
    *missed = fmax(*missed, fabs(at->sign * row_product(qp, at->row, x) + at->s - at->h));
  }
  for (int i = 0; i < qp->n; i++) {
    worst = fmax(worst, fabs(s->dual[i]));
  }
  return worst;
}

// dx, ds, dz towards s z = corrector, with H factored
static void direction(cr_interior* s, const cr_qp* qp, const double* x) {
  for (int i = 0; i < qp->n; i++) {
    s->step[i] = -s->dual[i];
  }
  for (int b = 0; b < s->nbound; b++) {
    bound* at = &s->bounds[b];
    double off = at->sign * row_product(qp, at->row, x) + at->s - at->h;
    double push = (at->z * off - at->s * at->z + at->corrector) / at->s;
    add_row(qp, at->row, -at->sign * push, s->step);
  }
  solve(s->H, qp->n, s->step);
  for (int b = 0; b < s->nbound; b++) {
    bound* at = &s->bounds[b];
    double off = at->sign * row_product(qp, at->row, x) + at->s - at->h;
    at->ds = -off - at->sign * row_product(qp, at->row, s->step);
    at->dz = (at->corrector - at->s * at->z - at->z * at->ds) / at->s;
  }
}

// the longest step, at most 1, that keeps s and z above 0
static double longest(const cr_interior* s) {
  double most = 1;
  for (int b = 0; b < s->nbound; b++) {
    const bound* at = &s->bounds[b];
    most = at->ds < 0 ? fmin(most, -at->s / at->ds) : most;
    most = at->dz < 0 ? fmin(most, -at->z / at->dz) : most;
  }
  return most;
}

static void move(cr_interior* s, const cr_qp* qp, double gap, double* x) {
  for (int b = 0; b < s->nbound; b++) {
    s->bounds[b].corrector = 0;
  }
  direction(s, qp, x);
  double length = longest(s), after = 0;
  for (int b = 0; b < s->nbound; b++) {
    const bound* at = &s->bounds[b];
    after += (at->s + length * at->ds) * (at->z + length * at->dz) / s->nbound;
  }
  double centre = s->nbound > 0 ? pow(after / gap, 3) : 0;
  for (int b = 0; b < s->nbound; b++) {
    bound* at = &s->bounds[b];
    at->corrector = centre * gap - at->ds * at->dz;
  }
  direction(s, qp, x);
  length = fmin(1, 0.995 * longest(s));
  length = s->nbound > 0 ? length : 1;
  for (int i = 0; i < qp->n; i++) {
    x[i] += length * s->step[i];
  }
  for (int b = 0; b < s->nbound; b++) {
    bound* at = &s->bounds[b];
    at->s += length * at->ds;
    at->z += length * at->dz;
  }
}

static double begin(cr_interior* s, const cr_qp* qp, double* x) {
  double scale = 1;
  for (int i = 0; i < qp->n; i++) {
    x[i] = 0;
    scale = fmax(scale, fabs(qp->q[i]));
  }
  for (int b = 0; b < s->nbound; b++) {
    bound* at = &s->bounds[b];
    at->s = fmax(1, at->h);
    at->z = 1;
  }
  return scale;
}

cr_status cri_interior_solve(cr_interior* interior, const cr_qp* qp, double* x, double* y,
                             int* iterations, cr_error* error) {
  cr_interior* s = interior;
  if (qp->n > s->n || qp->m > s->m) {
    return cri_fail(error, CR_ERR_ARG,
                    "quadratic problem: larger than what the solver was made for");
  }
  find_bounds(s, qp);
  double scale = begin(s, qp, x), gap = 0, missed = 0;
  bool done = false;
  for (*iterations = 0; *iterations <= MOST_STEPS; ++*iterations) {
    double dual = residuals(s, qp, x, &gap, &missed);
    if (!isfinite(dual) || !isfinite(gap)) {
      return cri_fail(error, CR_ERR_NONFINITE, "quadratic problem: a number is not finite");
    }
    double off = fmax(dual, fmax(missed, gap)) / scale;
    if (off <= s->accuracy || *iterations == MOST_STEPS) {
      done = off <= s->accuracy;
      break;
    }
    fill(s, qp);
    if (!factor(s->H, qp->n)) {
      // so close to the bounds rounding decides: this is as good as it gets
      done = off <= stalled;
      if (!done) {
        return cri_fail(error, CR_ERR_SOLVER, "quadratic problem: P is not positive definite");
      }
      break;
    }
    move(s, qp, gap, x);
  }
  if (!done) {
    return cri_fail(error, CR_ERR_SOLVER,
                    "quadratic problem: no solution after %d steps; do the bounds leave one?",
                    MOST_STEPS);
  }
  for (int i = 0; i < qp->m && y != NULL; i++) {
    y[i] = 0;
  }
  for (int b = 0; b < s->nbound && y != NULL; b++) {
    y[s->bounds[b].row] += s->bounds[b].sign * s->bounds[b].z;
  }
  return CR_OK;
}
