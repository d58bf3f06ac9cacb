// SPDX-License-Identifier: Apache-2.0
// With w = sigma z, everything is an affine function of z, a constant and N = T m slopes, or a product of two of them: c + g'z + z'H z. Joint cumulants of such forms y_i
//   k(y_1) = c_1 + tr H_1
//   k(y_1 ... y_r) = 2^(r-1) / r sum over orders of tr(H ... H) + 2^(r-3) sum over orders of g'H ... H g
// give E (L - L(0))^2 score^2.
#include "estimates/linear_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- affine functions and quadratic forms of z

typedef struct {
  int N;
  double c, *g, *H;  // g[N], H[N N], symmetric
} form;

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void form_clear(form* f) {
  f->c = 0;
  memset(f->g, 0, (size_t)f->N * sizeof *f->g);
  memset(f->H, 0, (size_t)f->N * (size_t)f->N * sizeof *f->H);
}

// f += s a b, of affine functions: a[0] the constant, a + 1 the slopes
static void form_add(form* f, double s, const double* a, const double* b) {
  f->c += s * a[0] * b[0];
  for (int i = 0; i < f->N; i++) {
    double x = s * a[1 + i] / 2, y = s * b[1 + i] / 2;
    f->g[i] += s * (a[0] * b[1 + i] + b[0] * a[1 + i]);
    if (x == 0 && y == 0) {
      continue;
    }
    double* row = f->H + (ptrdiff_t)i * f->N;
    for (int j = 0; j < f->N; j++) {
      row[j] += x * b[1 + j] + y * a[1 + j];
    }
  }
}

static double trace(const double* H, int n) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    sum += H[i * n + i];
  }
  return sum;
}

// C = A B, square
static void multiply(double* C, const double* A, const double* B, int n) {
  memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t k = 0; k < n; k++) {
      double a = A[i * n + k];
      for (ptrdiff_t j = 0; j < n && a != 0; j++) {
        C[i * n + j] += a * B[k * n + j];
      }
    }
  }
}

// tr(A B')
static double inner(const double* A, const double* B, int n) { return dot(A, B, n * n); }

static double inner_turned(const double* A, const double* B, int n) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) {
      sum += A[i * n + j] * B[j * n + i];
    }
  }
  return sum;
}

static void apply(double* y, const double* H, const double* x, int n) {
  for (ptrdiff_t i = 0; i < n; i++) {
    y[i] = dot(H + i * n, x, n);
  }
}

static double variance(const form* f) {
  return dot(f->g, f->g, f->N) + 2 * inner(f->H, f->H, f->N);
}

// ---- moments of a product of two forms, Y and S

typedef struct {
  double *HH, *HS, *SS;       // N N
  double *Hg, *Hs, *Sg, *Ss;  // N: H g, H s, S g, S s
} products;

static double cumulant4(const form* Y, const products* p) {
  const int n = Y->N;
  double traces = 32 * inner(p->HH, p->SS, n) + 16 * inner_turned(p->HS, p->HS, n);
  // ends and middle of g'H H g: each pair of ends stands twice, each order of the middle too
  double HHs = dot(p->Hs, p->Hs, n), SSg = dot(p->Sg, p->Sg, n);
  double mixed = dot(p->Hg, p->Ss, n) + dot(p->Sg, p->Hs, n);
  return traces + 8 * (HHs + SSg + 2 * mixed);
}

// k(a a b), with HaHa = H_a H_a, Hag = H_a g_a, Hbg = H_b g_a
static double cumulant3(const form* a, const form* b, const double* HaHa, const double* Hag,
                        const double* Hbg) {
  const int n = a->N;
  return 8 * inner(HaHa, b->H, n) + 2 * (2 * dot(Hag, b->g, n) + dot(a->g, Hbg, n));
}

typedef struct {
  double first, second;  // E Y S, E (Y S)^2
} moments;

static moments moments_of(const form* Y, const form* S, const products* p) {
  const int n = Y->N;
  double y = Y->c + trace(Y->H, n), s = S->c + trace(S->H, n);
  double yy = variance(Y), ss = variance(S), ys = dot(Y->g, S->g, n) + 2 * inner(Y->H, S->H, n);
  double yys = cumulant3(Y, S, p->HH, p->Hg, p->Sg), yss = cumulant3(S, Y, p->SS, p->Ss, p->Hs);
  double yyss = cumulant4(Y, p);
  return (moments){.first = ys + y * s,
                   .second = yyss + 2 * y * yss + 2 * s * yys + yy * ss + 2 * ys * ys + yy * s * s +
                             ss * y * y + 4 * y * s * ys + y * y * s * s};
}

// E F Y S of a third form F
static double moment_of(const form* F, const form* Y, const form* S, const products* p,
                        double* room) {
  const int n = Y->N;
  double f = F->c + trace(F->H, n), y = Y->c + trace(Y->H, n), s = S->c + trace(S->H, n);
  double fy = dot(F->g, Y->g, n) + 2 * inner(F->H, Y->H, n);
  double fs = dot(F->g, S->g, n) + 2 * inner(F->H, S->H, n);
  double ys = dot(Y->g, S->g, n) + 2 * inner(Y->H, S->H, n);
  apply(room, F->H, S->g, n);
  double fys = 8 * inner(F->H, p->HS, n) +
               2 * (dot(F->g, p->Hs, n) + dot(Y->g, room, n) + dot(F->g, p->Sg, n));
  return fys + f * ys + y * fs + s * fy + f * y * s;
}

static void multiply_forms(const form* Y, const form* S, products* p) {
  multiply(p->HS, Y->H, S->H, Y->N);
  multiply(p->SS, S->H, S->H, Y->N);
  apply(p->Hg, Y->H, Y->g, Y->N);
  apply(p->Hs, Y->H, S->g, Y->N);
  apply(p->Sg, S->H, Y->g, Y->N);
  apply(p->Ss, S->H, S->g, Y->N);
}

// ---- the loop

typedef struct {
  const cr_loop* l;
  int N, width;             // numbers of an affine function
  double *x, *u, *dx, *du;  // of all steps: T + 1, or T, times n, or m, functions
  double *Px, *unit;
  form L, by, score;
  products p;
  double* memory;
} work;

static double* function(const work* w, double* all, int count, int k, int i) {
  return all + ((ptrdiff_t)k * count + i) * w->width;
}

static void add(double* to, double s, const double* from, int n) {
  for (int i = 0; i < n && s != 0; i++) {
    to[i] += s * from[i];
  }
}

static void clear(double* x, int n) { memset(x, 0, (size_t)n * sizeof *x); }

// states and controls by z, or with `weight` >= 0 their derivatives by this weight
static void run(work* w, int weight) {
  const cr_loop* l = w->l;
  double *x = weight < 0 ? w->x : w->dx, *u = weight < 0 ? w->u : w->du;
  int row = weight / l->n, column = weight % l->n;
  if (weight >= l->n * l->m) {  // of b
    row = weight - l->n * l->m;
    column = -1;
  }
  for (int i = 0; i < l->n; i++) {
    clear(function(w, x, l->n, 0, i), w->width);
    function(w, x, l->n, 0, i)[0] = weight < 0 ? l->x0[i] : 0;
  }
  for (int k = 0; k < l->T; k++) {
    for (int i = 0; i < l->m; i++) {
      double* to = function(w, u, l->m, k, i);
      clear(to, w->width);
      for (int j = 0; j < l->n; j++) {
        add(to, l->K[i * l->n + j], function(w, x, l->n, k, j), w->width);
      }
      if (weight < 0) {
        to[0] += l->b[i];
        to[1 + k * l->m + i] += l->sigma;
      } else if (i == row) {
        add(to, 1, column < 0 ? w->unit : function(w, w->x, l->n, k, column), w->width);
      }
    }
    for (int i = 0; i < l->n; i++) {
      double* to = function(w, x, l->n, k + 1, i);
      clear(to, w->width);
      for (int j = 0; j < l->n; j++) {
        add(to, l->A[i * l->n + j], function(w, x, l->n, k, j), w->width);
      }
      for (int j = 0; j < l->m; j++) {
        add(to, l->B[i * l->m + j], function(w, u, l->m, k, j), w->width);
      }
    }
  }
}

// the cost (s = 1/2, x and u), or its derivative (s = 1, dx and du)
static void sum_cost(work* w, form* f, double s, double* x, double* u) {
  const cr_loop* l = w->l;
  form_clear(f);
  for (int k = 0; k < l->T; k++) {
    for (int i = 0; i < l->n; i++) {
      form_add(f, s * l->step * l->Q[i], function(w, w->x, l->n, k + 1, i),
               function(w, x, l->n, k + 1, i));
    }
    for (int i = 0; i < l->m; i++) {
      form_add(f, s * l->step * l->R[i], function(w, w->u, l->m, k, i), function(w, u, l->m, k, i));
    }
  }
  for (int i = 0; i < l->n; i++) {
    clear(w->Px, w->width);
    for (int j = 0; j < l->n; j++) {
      add(w->Px, l->P[i * l->n + j], function(w, w->x, l->n, l->T, j), w->width);
    }
    form_add(f, s, w->Px, function(w, x, l->n, l->T, i));
  }
}

// sum over steps of phi(x_k) z_k / sigma
static void sum_score(work* w, int weight) {
  const cr_loop* l = w->l;
  bool of_b = weight >= l->n * l->m;
  int row = of_b ? weight - l->n * l->m : weight / l->n, column = weight % l->n;
  form_clear(&w->score);
  for (int k = 0; k < l->T; k++) {
    clear(w->Px, w->width);
    w->Px[1 + k * l->m + row] = 1 / l->sigma;
    form_add(&w->score, 1, of_b ? w->unit : function(w, w->x, l->n, k, column), w->Px);
  }
}

static cr_status make(work* w, const cr_loop* l, cr_error* error) {
  *w = (work){.l = l, .N = l->T * l->m, .width = l->T * l->m + 1};
  size_t N = (size_t)w->N, width = (size_t)w->width;
  size_t functions = (size_t)(2 * (l->T + 1) * (l->n + l->m) + 2);
  double* at = w->memory = calloc(functions * width + 6 * N * N + 7 * N, sizeof *at);
  if (at == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "linear loop: no memory for %d steps", l->T);
  }
  double** const states[] = {&w->x, &w->dx};
  double** const controls[] = {&w->u, &w->du};
  for (int i = 0; i < 2; i++) {
    *states[i] = at;
    at += (size_t)(l->T + 1) * (size_t)l->n * width;
    *controls[i] = at;
    at += (size_t)(l->T + 1) * (size_t)l->m * width;
  }
  w->Px = at;
  w->unit = at + width;
  w->unit[0] = 1;
  at += 2 * width;
  form* const forms[] = {&w->L, &w->by, &w->score};
  for (int i = 0; i < 3; i++) {
    *forms[i] = (form){.N = w->N, .g = at, .H = at + N};
    at += N + N * N;
  }
  double** const squares[] = {&w->p.HH, &w->p.HS, &w->p.SS};
  for (int i = 0; i < 3; i++, at += N * N) {
    *squares[i] = at;
  }
  double** const vectors[] = {&w->p.Hg, &w->p.Hs, &w->p.Sg, &w->p.Ss};
  for (int i = 0; i < 4; i++, at += N) {
    *vectors[i] = at;
  }
  return CR_OK;
}

cr_status cri_loop_moments(const cr_loop* loop, cr_loop_moments* found, double* gradient,
                           cr_error* error) {
  work w;
  double most = 0, gap = 0;
  CR_TRY(make(&w, loop, error));
  run(&w, -1);
  sum_cost(&w, &w.L, 0.5, w.x, w.u);
  *found = (cr_loop_moments){.mean = w.L.c + trace(w.L.H, w.N)};
  w.L.c = 0;  // L(w) - L(0)
  multiply(w.p.HH, w.L.H, w.L.H, w.N);
  for (int j = 0; j < loop->m * (loop->n + 1); j++) {
    run(&w, j);
    sum_cost(&w, &w.by, 1, w.dx, w.du);
    sum_score(&w, j);
    multiply_forms(&w.L, &w.score, &w.p);
    const moments z = moments_of(&w.L, &w.score, &w.p);
    double mean = w.by.c + trace(w.by.H, w.N);
    found->first += variance(&w.by);
    found->zeroth += z.second - z.first * z.first;
    found->together += moment_of(&w.by, &w.L, &w.score, &w.p, w.Px) - mean * z.first;
    most = fmax(most, fabs(mean));
    gap = fmax(gap, fabs(mean - z.first));
    if (gradient != NULL) {
      gradient[j] = mean;
    }
  }
  double alpha =
      (found->zeroth - found->together) / (found->first + found->zeroth - 2 * found->together);
  found->alpha = fmin(fmax(alpha, 0), 1);
  found->gap = most > 0 ? gap / most : gap;
  free(w.memory);
  return CR_OK;
}

// ---- the regulator

// solves X Y = Z in place of Z, n rows, r columns; X is positive definite: Gauss and Jordan
static void solve(double* X, double* Z, int n, int r) {
  for (int i = 0; i < n; i++) {
    double pivot = X[i * n + i];
    for (int j = 0; j < n; j++) {
      X[i * n + j] /= pivot;
    }
    for (int j = 0; j < r; j++) {
      Z[i * r + j] /= pivot;
    }
    for (int k = 0; k < n; k++) {
      double factor = k != i ? X[k * n + i] : 0;
      for (int j = 0; j < n; j++) {
        X[k * n + j] -= factor * X[i * n + j];
      }
      for (int j = 0; j < r; j++) {
        Z[k * r + j] -= factor * Z[i * r + j];
      }
    }
  }
}

// C[p r] = A B, or with `turned` A'B; B[q r]
static void product(double* C, const double* A, const double* B, int p, int q, int r, bool turned) {
  for (int i = 0; i < p; i++) {
    for (int j = 0; j < r; j++) {
      double sum = 0;
      for (int k = 0; k < q; k++) {
        sum += (turned ? A[k * p + i] : A[i * q + k]) * B[k * r + j];
      }
      C[i * r + j] = sum;
    }
  }
}

static double improve(cr_loop* l) {
  const int n = l->n, m = l->m;
  double S[CR_LOOP_STATES * CR_LOOP_STATES], SA[CR_LOOP_STATES * CR_LOOP_STATES],
      SB[CR_LOOP_STATES * CR_LOOP_CONTROLS], X[CR_LOOP_CONTROLS * CR_LOOP_CONTROLS],
      closed[CR_LOOP_STATES * CR_LOOP_STATES], P[CR_LOOP_STATES * CR_LOOP_STATES], change = 0;
  memcpy(S, l->P, sizeof S);
  for (int i = 0; i < n; i++) {
    S[i * n + i] += l->step * l->Q[i];
  }
  product(SA, S, l->A, n, n, n, false);
  product(SB, S, l->B, n, n, m, false);
  product(X, l->B, SB, m, n, m, true);
  product(l->K, l->B, SA, m, n, n, true);
  for (int i = 0; i < m; i++) {
    X[i * m + i] += l->step * l->R[i];
  }
  solve(X, l->K, m, n);
  for (int i = 0; i < m * n; i++) {
    l->K[i] = -l->K[i];
  }
  product(closed, l->B, l->K, n, m, n, false);
  for (int i = 0; i < n * n; i++) {
    closed[i] += l->A[i];
  }
  product(P, SA, closed, n, n, n, true);
  for (int i = 0; i < n * n; i++) {
    change = fmax(change, fabs(P[i] - l->P[i]));
    l->P[i] = P[i];
  }
  return change;
}

cr_status cri_loop_regulate(cr_loop* l, cr_error* error) {
  const int most = 100000;
  memset(l->P, 0, sizeof l->P);
  memset(l->b, 0, sizeof l->b);
  for (int i = 0; i < most; i++) {
    double change = improve(l);
    if (!isfinite(change)) {
      break;
    }
    if (change < 1e-13) {
      return CR_OK;
    }
  }
  return cri_fail(error, CR_ERR_DIVERGED, "linear loop: no cost to go was found in %d iterations",
                  most);
}
