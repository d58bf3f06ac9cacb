// SPDX-License-Identifier: Apache-2.0
// The discrete algebraic Riccati equation by doubling.
//   [lqr.r1] A+ = A W^-1 A, G+ = G + A W^-1 G A', H+ = H + A'H W^-1 A, W = 1 + G H; from A, B R^-1 B', Q; H -> P
//   [lqr.r2] Newton: P = sum over k of M'^k (Q + K'R K) M^k, M = A - B K
//   [lqr.r3] K = (R + B'P B)^-1 B'P A
//   [lqr.s1] the largest modulus of the eigenvalues: |A^(2^k)|^(1 / 2^k)
#include <stdlib.h>

#include "base/status.h"
#include "carom/feedback.h"
#include "math/dense_lu.h"
#include "model/misuse.h"

enum { MOST_DOUBLINGS = 60 };

// C = A B, or A'B, or A B'; all n1 x n2 row by row, k numbers in between
typedef enum { PLAIN, LEFT, RIGHT } turned;

static void multiply(turned t, int n1, int n2, int k, const cr_real* A, const cr_real* B,
                     cr_real* C) {
  for (ptrdiff_t i = 0; i < n1; i++) {
    cr_zero(C + i * n2, n2);
    for (ptrdiff_t l = 0; l < k; l++) {
      cr_real a = t == LEFT ? A[l * n1 + i] : A[i * k + l];
      for (ptrdiff_t j = 0; j < n2 && a != 0; j++) {
        C[i * n2 + j] += a * (t == RIGHT ? B[j * k + l] : B[l * n2 + j]);
      }
    }
  }
}

static void make_symmetric(cr_real* A, int n) {
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < i; j++) {
      A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
    }
  }
}

static cr_real largest(const cr_real* A, int n) {
  cr_real most = 0;
  for (int i = 0; i < n; i++) {
    most = cr_abs(A[i]) > most || isnan(A[i]) ? cr_abs(A[i]) : most;
  }
  return most;
}

// X = W^-1 X for X[n columns]; false if W has no inverse. W is used up
static bool solve(int n, int columns, cr_real* W, int32_t* pivot, cr_real* X) {
  const cr_run all = {0, n};
  const cr_runs runs = {1, &all};
  if (!cr_dense_lu_factor(W, n, runs, pivot)) {
    return false;
  }
  for (int j = 0; j < columns; j++) {
    cr_dense_lu_solve(W, n, runs, pivot, false, X + j, columns);
  }
  return true;
}

typedef struct {
  int nx, nu;
  const cr_real *A, *B, *Q, *R;
  cr_real *a, *g, *h, *W, *X, *Y, *Z;  // nx nx each
  cr_real *S, *T;                      // nu nu, nu nx
  int32_t* pivot;
} riccati;

// K of P                                             [lqr.r3]
static bool gain(riccati* r, const cr_real* P, cr_real* K) {
  int nx = r->nx, nu = r->nu;
  multiply(LEFT, nu, nx, nx, r->B, P, r->T);
  multiply(PLAIN, nu, nu, nx, r->T, r->B, r->S);
  for (int i = 0; i < nu * nu; i++) {
    r->S[i] += r->R[i];
  }
  multiply(PLAIN, nu, nx, nx, r->T, r->A, K);
  return solve(nu, nx, r->S, r->pivot, K);
}

// r->X = A - B K
static void close_loop(riccati* r, const cr_real* K) {
  multiply(PLAIN, r->nx, r->nx, r->nu, r->B, K, r->X);
  for (int i = 0; i < r->nx * r->nx; i++) {
    r->X[i] = r->A[i] - r->X[i];
  }
}

// one doubling                                       [lqr.r1]
static bool twice(riccati* r) {
  int n = r->nx;
  multiply(PLAIN, n, n, n, r->g, r->h, r->W);
  for (ptrdiff_t i = 0; i < n; i++) {
    r->W[i * n + i] += 1;
  }
  // X = W^-1 A, Y = W^-1 G A'
  cr_copy(r->Z, r->W, n * n);
  cr_copy(r->X, r->a, n * n);
  if (!solve(n, n, r->Z, r->pivot, r->X)) {
    return false;
  }
  multiply(RIGHT, n, n, n, r->g, r->a, r->Y);
  if (!solve(n, n, r->W, r->pivot, r->Y)) {
    return false;
  }
  multiply(PLAIN, n, n, n, r->a, r->Y, r->W);
  for (int i = 0; i < n * n; i++) {
    r->g[i] += r->W[i];
  }
  multiply(PLAIN, n, n, n, r->h, r->X, r->Y);
  multiply(LEFT, n, n, n, r->a, r->Y, r->W);
  for (int i = 0; i < n * n; i++) {
    r->h[i] += r->W[i];
  }
  multiply(PLAIN, n, n, n, r->a, r->X, r->Z);
  cr_copy(r->a, r->Z, n * n);
  make_symmetric(r->g, n);
  make_symmetric(r->h, n);
  return true;
}

static bool doubling(riccati* r) {
  int n = r->nx * r->nx;
  for (int k = 0; k < MOST_DOUBLINGS; k++) {
    if (!twice(r)) {
      return false;
    }
    cr_real change = largest(r->W, n), size = largest(r->h, n);
    if (!isfinite(size) || !isfinite(change)) {
      return false;
    }
    if (change <= CR_EPS * size) {
      return true;
    }
  }
  return false;
}

// P of the feedback K in r->h                        [lqr.r2]
static bool newton(riccati* r, const cr_real* K) {
  int nx = r->nx, nu = r->nu, n = nx * nx;
  close_loop(r, K);
  multiply(PLAIN, nu, nx, nu, r->R, K, r->T);
  multiply(LEFT, nx, nx, nu, K, r->T, r->h);
  for (int i = 0; i < n; i++) {
    r->h[i] += r->Q[i];
  }
  for (int k = 0; k < MOST_DOUBLINGS; k++) {
    multiply(PLAIN, nx, nx, nx, r->h, r->X, r->Y);
    multiply(LEFT, nx, nx, nx, r->X, r->Y, r->W);
    for (int i = 0; i < n; i++) {
      r->h[i] += r->W[i];
    }
    cr_real change = largest(r->W, n), size = largest(r->h, n);
    if (!isfinite(size) || !isfinite(change)) {
      return false;
    }
    if (change <= CR_EPS / 16 * size) {
      make_symmetric(r->h, nx);
      return true;
    }
    multiply(PLAIN, nx, nx, nx, r->X, r->X, r->Y);
    cr_copy(r->X, r->Y, n);
  }
  return false;
}

static cr_status unstable(cr_error* error) {
  return cri_fail(error, CR_ERR_SINGULAR,
                  "lqr: the doubling does not end: no feedback makes it stable, or Q does not see "
                  "what has to be held");
}

// G = B R^-1 B'
static bool begin(riccati* r) {
  int nx = r->nx, nu = r->nu;
  cr_copy(r->a, r->A, nx * nx);
  cr_copy(r->h, r->Q, nx * nx);
  cr_copy(r->S, r->R, nu * nu);
  for (int i = 0; i < nu; i++) {
    for (int j = 0; j < nx; j++) {
      r->T[(ptrdiff_t)i * nx + j] = r->B[(ptrdiff_t)j * nu + i];
    }
  }
  if (!solve(nu, nx, r->S, r->pivot, r->T)) {
    return false;
  }
  multiply(PLAIN, nx, nx, nu, r->B, r->T, r->g);
  make_symmetric(r->g, nx);
  return true;
}

// Cholesky's pivots of R, in r->S
static bool is_positive(riccati* r) {
  int n = r->nu;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j <= i; j++) {
      cr_real sum = r->R[i * n + j];
      for (ptrdiff_t k = 0; k < j; k++) {
        sum -= r->S[i * n + k] * r->S[j * n + k];
      }
      if (i == j && !(sum > 0)) {
        return false;
      }
      r->S[i * n + j] = i == j ? cr_sqrt(sum) : sum / r->S[j * n + j];
    }
  }
  return true;
}

static cr_status solve_riccati(riccati* r, cr_real* K, cr_real* P, cr_error* error) {
  if (!is_positive(r) || !begin(r)) {
    return cri_fail(error, CR_ERR_SINGULAR, "lqr: R is not positive definite");
  }
  if (!doubling(r) || !gain(r, r->h, K)) {
    return unstable(error);
  }
  for (int k = 0; k < 2; k++) {
    if (!newton(r, K) || !gain(r, r->h, K)) {
      return unstable(error);
    }
  }
  cr_real radius;
  close_loop(r, K);
  CR_TRY(cr_spectral_radius(r->nx, r->X, &radius, error));
  if (!(radius < 1)) {
    return unstable(error);
  }
  if (P != NULL) {
    cr_copy(P, r->h, r->nx * r->nx);
  }
  return CR_OK;
}

cr_status cr_lqr(int nx, int nu, const cr_real* A, const cr_real* B, const cr_real* Q,
                 const cr_real* R, cr_real* K, cr_real* P, cr_error* error) {
  const cri_call call = {"cr_lqr", error};
  CR_TRY(cri_given(&call, A, "A"));
  CR_TRY(cri_given(&call, B, "B"));
  CR_TRY(cri_given(&call, Q, "Q"));
  CR_TRY(cri_given(&call, R, "R"));
  CR_TRY(cri_given(&call, K, "K"));
  if (nx < 1 || nu < 1) {
    return cri_fail(error, CR_ERR_ARG, "lqr: %d states and %d controls", nx, nu);
  }
  size_t x = (size_t)nx, u = (size_t)nu;
  cr_real* at = calloc(7 * x * x + u * u + u * x, sizeof *at);
  int32_t* pivot = calloc(x + u, sizeof *pivot);
  if (at == NULL || pivot == NULL) {
    free(at);
    free(pivot);
    return cri_fail(error, CR_ERR_MEMORY, "lqr: no memory for %d states", nx);
  }
  riccati r = {.nx = nx, .nu = nu, .A = A, .B = B, .Q = Q, .R = R, .pivot = pivot};
  cr_real** const rows[] = {&r.a, &r.g, &r.h, &r.W, &r.X, &r.Y, &r.Z};
  for (size_t i = 0; i < 7; i++) {
    *rows[i] = at + i * x * x;
  }
  r.S = at + 7 * x * x;
  r.T = r.S + u * u;
  cr_status status = solve_riccati(&r, K, P, error);
  free(at);
  free(pivot);
  return status;
}

cr_status cr_spectral_radius(int n, const cr_real* A, cr_real* radius, cr_error* error) {
  const cri_call call = {"cr_spectral_radius", error};
  CR_TRY(cri_given(&call, A, "A"));
  CR_TRY(cri_given(&call, radius, "where the radius goes"));
  if (n < 1) {
    return cri_fail(error, CR_ERR_ARG, "spectral radius: of %d rows", n);
  }
  size_t size = (size_t)n * (size_t)n;
  cr_real* M = calloc(2 * size, sizeof *M);
  if (M == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "spectral radius: no memory for %d rows", n);
  }
  cr_real *next = M + size, log = 0, power = 1;
  cr_copy(M, A, n * n);
  cr_status status = CR_OK;
  for (int k = 0; k < MOST_DOUBLINGS; k++, power *= 2) {
    cr_real norm = largest(M, n * n);
    if (!isfinite(norm)) {
      status = cri_fail(error, CR_ERR_NONFINITE, "spectral radius: a number is not finite");
      break;
    }
    if (norm == 0) {
      log = -(cr_real)INFINITY;
      break;
    }
    log += cr_log(norm) / power;
    for (int i = 0; i < n * n; i++) {
      M[i] /= norm;
    }
    multiply(PLAIN, n, n, n, M, M, next);
    cr_real* kept = M;
    M = next;
    next = kept;
  }
  *radius = cr_exp(log);  // [lqr.s1]
  free(M < next ? M : next);
  return status;
}
