// SPDX-License-Identifier: Apache-2.0
// Blocks of windows, and their elimination along the windows of a run.
#include "identify/normal.h"

#include <stdlib.h>

#include "math/combine.h"

enum { HELD = 16 };  // rows of a window that are added at once

struct cri_normal {
  cr_real *N, *g;    // of every window: columns x columns, upper triangle, and columns
  cr_real* L;        // of every window: nx x nx, factor of its start
  cr_real* Y;        // of every window: nx x (n + nx + 1): L^-1 (X, Y, g_z)
  cr_real* carried;  // (columns + 1) x (columns + 1): what elimination leaves for the window behind
  cr_real *matrix, *right;  // n x n and n: of x
  cr_real* factor;          // n x n
  cr_real *rows, *weights;  // of every window: HELD x columns and HELD, not yet in N
  int* held;                // of every window: rows that wait
  void* memory;
};

// A start that nothing was seen of stays where it is: a prior this wide, in units of the state.
static const cr_real START_WIDTH = CR_R(1e3);

static size_t columns_of(const cri_problem* p) { return (size_t)cri_columns_of(p); }

static cr_real* take(cr_real** at, size_t n) {
  cr_real* x = *at;
  *at += n;
  return x;
}

cr_status cri_normal_create(cri_normal** out, const cri_problem* p, cr_error* error) {
  size_t c = columns_of(p), n = (size_t)p->n, nx = (size_t)p->nx, w = (size_t)p->nspan;
  size_t size = w * (c * c + c + nx * nx + nx * (n + nx + 1) + HELD * (c + 1)) + (c + 1) * (c + 1) +
                2 * n * n + n;
  cri_normal* s = calloc(1, sizeof *s);
  cr_real* at = calloc(size + 1, sizeof *at);
  int* held = calloc(w + 1, sizeof *held);
  if (s == NULL || at == NULL || held == NULL) {
    free(s);
    free(at);
    free(held);
    return cri_fail(error, CR_ERR_MEMORY,
                    "identification: no memory for the equations of %zu windows", w);
  }
  s->memory = at;
  s->held = held;
  s->N = take(&at, w * c * c);
  s->g = take(&at, w * c);
  s->L = take(&at, w * nx * nx);
  s->Y = take(&at, w * nx * (n + nx + 1));
  s->rows = take(&at, w * HELD * c);
  s->weights = take(&at, w * HELD);
  s->carried = take(&at, (c + 1) * (c + 1));
  s->matrix = take(&at, n * n);
  s->right = take(&at, n);
  s->factor = take(&at, n * n);
  *out = s;
  return CR_OK;
}

void cri_normal_free(cri_normal* s) {
  if (s != NULL) {
    free(s->memory);
    free(s->held);
    free(s);
  }
}

static cr_real* block_of(const cri_normal* s, const cri_problem* p, int span) {
  return s->N + (size_t)span * columns_of(p) * columns_of(p);
}

static cr_real* gradient_of(const cri_normal* s, const cri_problem* p, int span) {
  return s->g + (size_t)span * columns_of(p);
}

void cri_normal_clear(cri_normal* s, const cri_problem* p, int span) {
  int c = cri_columns_of(p);
  cr_zero(block_of(s, p, span), c * c);
  cr_zero(gradient_of(s, p, span), c);
  s->held[span] = 0;
}

static cr_real* rows_of(const cri_normal* s, const cri_problem* p, int span) {
  return s->rows + (size_t)span * HELD * columns_of(p);
}

// columns up to the last one that is not zero: few rows know of the start behind the window
static int width_of(const cr_real* rows, int n, int c) {
  int width = 0;
  for (int k = 0; k < n; k++) {
    int last = c;
    while (last > width && rows[(ptrdiff_t)k * c + last - 1] == 0) {
      last--;
    }
    width = last;
  }
  return width;
}

// N += sum of weight j j' over the rows that wait
static void add_held(const cri_normal* s, const cri_problem* p, int span) {
  int c = cri_columns_of(p), n = s->held[span];
  cr_real* N = block_of(s, p, span);
  const cr_real *rows = rows_of(s, p, span), *weights = s->weights + (ptrdiff_t)span * HELD;
  int width = width_of(rows, n, c);
  for (int i = 0; i < width; i++) {
    cr_real x[HELD];
    for (int k = 0; k < n; k++) {
      x[k] = weights[k] * rows[(ptrdiff_t)k * c + i];
    }
    cri_combine(N + (ptrdiff_t)i * c + i, x, n, rows + i, c, width - i);
  }
  s->held[span] = 0;
}

static void add_all_held(const cri_normal* s, const cri_problem* p, int first, int n) {
  for (int w = first; w < first + n; w++) {
    add_held(s, p, w);
  }
}

void cri_normal_add(cri_normal* s, const cri_problem* p, int span, const cr_real* row,
                    cr_real error, cr_real weight) {
  int c = cri_columns_of(p), k = s->held[span]++;
  cr_real* g = gradient_of(s, p, span);
  cr_copy(rows_of(s, p, span) + (ptrdiff_t)k * c, row, c);
  s->weights[(ptrdiff_t)span * HELD + k] = weight;
  for (int i = 0; i < c; i++) {
    g[i] += weight * row[i] * error;
  }
  if (k + 1 == HELD) {
    add_held(s, p, span);
  }
}

// place of column i of a window among all unknowns; -1: there is no window behind
static int place_of(const cri_problem* p, int span, int i) {
  if (i < p->n) {
    return i;
  }
  int next = p->spans[span].next;
  return i < p->n + p->nx ? i + span * p->nx : next < 0 ? -1 : i - p->nx + next * p->nx;
}

void cri_normal_gather(const cri_normal* s, const cri_problem* p, int first, int n,
                       cr_real* gradient, cr_real* diagonal) {
  int c = cri_columns_of(p), all = p->n + p->nspan * p->nx;
  add_all_held(s, p, first, n);
  cr_zero(gradient, all);
  cr_zero(diagonal, all);
  for (int w = first; w < first + n; w++) {
    const cr_real *N = block_of(s, p, w), *g = gradient_of(s, p, w);
    for (int i = 0; i < c; i++) {
      int at = place_of(p, w, i);
      if (at >= 0) {
        gradient[at] += g[i];
        diagonal[at] += N[(ptrdiff_t)i * c + i];
      }
    }
  }
}

// ---- small dense factors, row by row, lower triangle

static bool factorise(cr_real* L, const cr_real* A, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      cr_real sum = A[(ptrdiff_t)i * n + j];
      for (int k = 0; k < j; k++) {
        sum -= L[(ptrdiff_t)i * n + k] * L[(ptrdiff_t)j * n + k];
      }
      if (i == j) {
        if (!(sum > 0) || !isfinite(sum)) {
          return false;
        }
        L[(ptrdiff_t)i * n + i] = cr_sqrt(sum);
      } else {
        L[(ptrdiff_t)i * n + j] = sum / L[(ptrdiff_t)j * n + j];
      }
    }
  }
  return true;
}

// B := L^-1 B, of `width` columns
static void forwards(const cr_real* L, int n, cr_real* B, int width) {
  for (int i = 0; i < n; i++) {
    cr_real* row = B + (ptrdiff_t)i * width;
    for (int k = 0; k < i; k++) {
      cr_real x = L[(ptrdiff_t)i * n + k];
      const cr_real* other = B + (ptrdiff_t)k * width;
      for (int j = 0; j < width && x != 0; j++) {
        row[j] -= x * other[j];
      }
    }
    for (int j = 0; j < width; j++) {
      row[j] /= L[(ptrdiff_t)i * n + i];
    }
  }
}

// x := L^-T x
static void backwards(const cr_real* L, int n, cr_real* x) {
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= L[(ptrdiff_t)i * n + i];
    for (int k = 0; k < i; k++) {
      x[k] -= L[(ptrdiff_t)i * n + k] * x[i];
    }
  }
}

// ---- the elimination

// entry (i, j) of a symmetric block that has its upper triangle
static cr_real entry(const cr_real* N, int c, int i, int j) {
  return i <= j ? N[(ptrdiff_t)i * c + j] : N[(ptrdiff_t)j * c + i];
}

// M: window block with what was carried from the window before, over (x, start, next, right side)
static void assemble(const cri_normal* s, const cri_problem* p, int span, bool goes_on,
                     cr_real* M) {
  int c = cri_columns_of(p), n = p->n, nx = p->nx, wide = c + 1;
  const cr_real *N = block_of(s, p, span), *g = gradient_of(s, p, span);
  // carried: over (x, the start that was next, right side), left at (x, next)
  for (int i = 0; i < c; i++) {
    for (int j = i; j < wide; j++) {
      cr_real before = 0;
      if (goes_on && i < n + nx && (j < n + nx || j == c)) {
        int a = i < n ? i : i + nx, b = j < n || j == c ? j : j + nx;
        before = M[(ptrdiff_t)a * wide + b];
      }
      s->carried[(ptrdiff_t)i * wide + j] = before + (j < c ? N[(ptrdiff_t)i * c + j] : g[i]);
    }
  }
  cr_copy(M, s->carried, wide * wide);
}

static cr_status eliminate(cri_normal* s, const cri_problem* p, int span, cr_real damping,
                           const cr_real* scale, cr_real* M, cr_error* error) {
  int n = p->n, nx = p->nx, c = cri_columns_of(p), wide = c + 1, right = n + nx + 1;
  cr_real* L = s->L + (ptrdiff_t)span * nx * nx;
  cr_real* Y = s->Y + (ptrdiff_t)span * nx * right;
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j <= i; j++) {
      cr_real z = M[(ptrdiff_t)(n + j) * wide + n + i];
      if (i == j) {
        z += damping * scale[p->n + span * nx + i] + 1 / (START_WIDTH * START_WIDTH);
        z = p->starts_known ? 1 : z;
      }
      L[(ptrdiff_t)i * nx + j] = z;
    }
    for (int j = 0; j < n; j++) {
      Y[(ptrdiff_t)i * right + j] = M[(ptrdiff_t)j * wide + n + i];
    }
    for (int j = 0; j < nx; j++) {
      Y[(ptrdiff_t)i * right + n + j] = M[(ptrdiff_t)(n + i) * wide + n + nx + j];
    }
    Y[(ptrdiff_t)i * right + n + nx] = M[(ptrdiff_t)(n + i) * wide + c];
  }
  if (!factorise(L, L, nx)) {
    return cri_fail(error, CR_ERR_SINGULAR, "identification: the start of a window is not told");
  }
  forwards(L, nx, Y, right);
  // Schur complement over (x, next, right side)
  for (int k = 0; k < nx; k++) {
    const cr_real* y = Y + (ptrdiff_t)k * right;
    for (int i = 0; i < n + nx; i++) {
      cr_real* row = M + (ptrdiff_t)(i < n ? i : i + nx) * wide;
      for (int j = i; j < n + nx && y[i] != 0; j++) {
        row[j < n ? j : j + nx] -= y[i] * y[j];
      }
      row[c] -= y[i] * y[n + nx];
    }
  }
  return CR_OK;
}

// x: (matrix + damping) x = -right over the free numbers
static cr_status solve_x(cri_normal* s, const cri_problem* p, cr_real damping, const cr_real* scale,
                         const bool* fixed, cr_real* x, cr_error* error) {
  int n = p->n;
  cr_real* A = s->factor;
  for (int i = 0; i < n; i++) {
    bool out = fixed != NULL && fixed[i];
    for (int j = 0; j <= i; j++) {
      bool gone = out || (fixed != NULL && fixed[j]);
      cr_real a = i == j ? s->matrix[(ptrdiff_t)i * n + i] + damping * scale[i]
                         : s->matrix[(ptrdiff_t)j * n + i];
      A[(ptrdiff_t)i * n + j] = gone ? (cr_real)(i == j) : a;
    }
    x[i] = out ? 0 : -s->right[i];
  }
  if (!factorise(A, A, n)) {
    return cri_fail(error, CR_ERR_SINGULAR, "identification: the data do not tell all numbers");
  }
  forwards(A, n, x, 1);
  backwards(A, n, x);
  return CR_OK;
}

static void substitute(const cri_normal* s, const cri_problem* p, int span, cr_real* step) {
  int n = p->n, nx = p->nx, right = n + nx + 1, next = p->spans[span].next;
  const cr_real* Y = s->Y + (ptrdiff_t)span * nx * right;
  cr_real* z = step + n + (ptrdiff_t)span * nx;
  for (int i = 0; i < nx; i++) {
    const cr_real* y = Y + (ptrdiff_t)i * right;
    cr_real sum = y[n + nx];
    for (int j = 0; j < n; j++) {
      sum += y[j] * step[j];
    }
    for (int j = 0; j < nx && next >= 0; j++) {
      sum += y[n + j] * step[n + (ptrdiff_t)next * nx + j];
    }
    z[i] = -sum;
  }
  backwards(s->L + (ptrdiff_t)span * nx * nx, nx, z);
  if (p->starts_known) {
    cr_zero(z, nx);
  }
}

cr_status cri_normal_solve(cri_normal* s, const cri_problem* p, int first, int n, cr_real damping,
                           const cr_real* scale, const bool* fixed, cr_real* step,
                           cr_error* error) {
  int c = cri_columns_of(p), wide = c + 1;
  cr_real* M = calloc((size_t)wide * (size_t)wide, sizeof *M);
  if (M == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "identification: no memory");
  }
  cr_zero(s->matrix, p->n * p->n);
  cr_zero(s->right, p->n);
  cr_status status = CR_OK;
  bool goes_on = false;
  add_all_held(s, p, first, n);
  for (int w = first; w < first + n && status == CR_OK; w++) {
    assemble(s, p, w, goes_on, M);
    status = eliminate(s, p, w, damping, scale, M, error);
    goes_on = p->spans[w].next >= 0;
    for (int i = 0; i < p->n && !goes_on; i++) {
      for (int j = i; j < p->n; j++) {
        s->matrix[(ptrdiff_t)i * p->n + j] += M[(ptrdiff_t)i * wide + j];
      }
      s->right[i] += M[(ptrdiff_t)i * wide + c];
    }
  }
  free(M);
  CR_TRY(status);
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < i; j++) {
      s->matrix[(ptrdiff_t)i * p->n + j] = s->matrix[(ptrdiff_t)j * p->n + i];
    }
  }
  cr_zero(step, p->n + p->nspan * p->nx);
  CR_TRY(solve_x(s, p, damping, scale, fixed, step, error));
  for (int w = first + n - 1; w >= first; w--) {
    substitute(s, p, w, step);
  }
  return CR_OK;
}

const cr_real* cri_normal_matrix(const cri_normal* s) { return s->matrix; }

const cr_real* cri_normal_right(const cri_normal* s) { return s->right; }

cr_real cri_normal_curvature(const cri_normal* s, const cri_problem* p, int first, int n,
                             const cr_real* step) {
  int c = cri_columns_of(p);
  cr_real sum = 0;
  add_all_held(s, p, first, n);
  for (int w = first; w < first + n; w++) {
    const cr_real* N = block_of(s, p, w);
    for (int i = 0; i < c; i++) {
      int a = place_of(p, w, i);
      for (int j = 0; j < c && a >= 0; j++) {
        int b = place_of(p, w, j);
        sum += b >= 0 ? step[a] * entry(N, c, i, j) * step[b] : 0;
      }
    }
  }
  return sum;
}
