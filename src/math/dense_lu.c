// SPDX-License-Identifier: Apache-2.0
// Elimination column by column. Rows are exchanged as a whole within the block, so that parts that are not
// coupled never mix: a pivot of another part would be 0.
#include "math/dense_lu.h"

// the next index of `at` behind i, and where to begin
typedef struct {
  cr_runs at;
  int run, i;
} place;

static place first(cr_runs at) { return (place){at, 0, at.n > 0 ? at.run[0].begin : 0}; }
static place last(cr_runs at) {
  return (place){at, at.n - 1, at.n > 0 ? at.run[at.n - 1].end - 1 : 0};
}
static bool is_there(const place* p) { return p->run >= 0 && p->run < p->at.n; }

static void advance(place* p) {
  if (++p->i == p->at.run[p->run].end) {
    p->run++;
    p->i = is_there(p) ? p->at.run[p->run].begin : 0;
  }
}
static void go_back(place* p) {
  if (p->i-- == p->at.run[p->run].begin) {
    p->run--;
    p->i = is_there(p) ? p->at.run[p->run].end - 1 : 0;
  }
}
static place next(const place* p) {
  place q = *p;
  advance(&q);
  return q;
}

static void exchange(cr_real* A, int ld, cr_runs at, int i, int j) {
  CR_EACH(k, at) {
    cr_real x = A[(ptrdiff_t)i * ld + k];
    A[(ptrdiff_t)i * ld + k] = A[(ptrdiff_t)j * ld + k];
    A[(ptrdiff_t)j * ld + k] = x;
  }
}

// row i -= l row k, behind column k
static void eliminate(cr_real* A, int ld, const place* k, int i) {
  cr_real *of = A + (ptrdiff_t)k->i * ld, *to = A + (ptrdiff_t)i * ld, l = to[k->i] /= of[k->i];
  for (place j = next(k); is_there(&j) && l != 0; advance(&j)) {
    to[j.i] -= l * of[j.i];
  }
}

bool cr_dense_lu_factor(cr_real* A, int ld, cr_runs at, int32_t* pivot) {
  for (place k = first(at); is_there(&k); advance(&k)) {
    int best = k.i;
    for (place i = next(&k); is_there(&i); advance(&i)) {
      bool more = cr_abs(A[(ptrdiff_t)i.i * ld + k.i]) > cr_abs(A[(ptrdiff_t)best * ld + k.i]);
      best = more ? i.i : best;
    }
    pivot[k.i] = best;
    if (best != k.i) {
      exchange(A, ld, at, k.i, best);
    }
    if (!(cr_abs(A[(ptrdiff_t)k.i * ld + k.i]) > 0)) {
      return false;
    }
    for (place i = next(&k); is_there(&i); advance(&i)) {
      eliminate(A, ld, &k, i.i);
    }
  }
  return true;
}

static void swap(cr_real* x, int stride, int i, int j) {
  cr_real y = x[(ptrdiff_t)i * stride];
  x[(ptrdiff_t)i * stride] = x[(ptrdiff_t)j * stride];
  x[(ptrdiff_t)j * stride] = y;
}

// U^-1 L^-1 P x
static void solve(const cr_real* A, int ld, cr_runs at, const int32_t* pivot, cr_real* x,
                  int stride) {
  CR_EACH(k, at) { swap(x, stride, k, pivot[k]); }
  for (place i = first(at); is_there(&i); advance(&i)) {
    for (place j = first(at); j.i != i.i; advance(&j)) {
      x[(ptrdiff_t)i.i * stride] -= A[(ptrdiff_t)i.i * ld + j.i] * x[(ptrdiff_t)j.i * stride];
    }
  }
  for (place i = last(at); is_there(&i); go_back(&i)) {
    for (place j = next(&i); is_there(&j); advance(&j)) {
      x[(ptrdiff_t)i.i * stride] -= A[(ptrdiff_t)i.i * ld + j.i] * x[(ptrdiff_t)j.i * stride];
    }
    x[(ptrdiff_t)i.i * stride] /= A[(ptrdiff_t)i.i * ld + i.i];
  }
}

// P' L^-T U^-T x
static void solve_transposed(const cr_real* A, int ld, cr_runs at, const int32_t* pivot, cr_real* x,
                             int stride) {
  for (place i = first(at); is_there(&i); advance(&i)) {
    for (place j = first(at); j.i != i.i; advance(&j)) {
      x[(ptrdiff_t)i.i * stride] -= A[(ptrdiff_t)j.i * ld + i.i] * x[(ptrdiff_t)j.i * stride];
    }
    x[(ptrdiff_t)i.i * stride] /= A[(ptrdiff_t)i.i * ld + i.i];
  }
  for (place i = last(at); is_there(&i); go_back(&i)) {
    for (place j = next(&i); is_there(&j); advance(&j)) {
      x[(ptrdiff_t)i.i * stride] -= A[(ptrdiff_t)j.i * ld + i.i] * x[(ptrdiff_t)j.i * stride];
    }
  }
  for (place k = last(at); is_there(&k); go_back(&k)) {
    swap(x, stride, k.i, pivot[k.i]);
  }
}

void cr_dense_lu_solve(const cr_real* A, int ld, cr_runs at, const int32_t* pivot, bool transposed,
                       cr_real* x, int stride) {
  (transposed ? solve_transposed : solve)(A, ld, at, pivot, x, stride);
}
