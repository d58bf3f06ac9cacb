// SPDX-License-Identifier: Apache-2.0
// Riccati's recursion with limits. Between the first and the last step of a held control the value is one of (x, u).
#include "control/backward_pass.h"

#include "control/box_qp.h"
#include "math/combine.h"
#include "math/eight.h"

// rows of the work are padded with zeros to a multiple of CR_EIGHT
typedef struct {
  int ld, ldx;           // of rows of (x, u), and of x
  cr_real *V, *v;        // value of (x, u): nz ld, ld
  cr_real *Q, *q;        // the same before the step
  cr_real *F, *M;        // nx ld each: (A B), its product with the Hessian
  cr_real *T, *K;        // nu ldx each
  cr_real *H, *L, *box;  // nu nu, nu nu, cri_box_qp_room(nu)
  cr_real *low, *high;   // nu each
  cr_real* row;          // nu
  bool* free;            // nu
} rooms;

static cr_real* take(cr_real** at, size_t n) {
  cr_real* from = *at;
  *at += n;
  return from;
}

static int padded(int n) { return (n + CR_EIGHT - 1) / CR_EIGHT * CR_EIGHT; }

size_t cri_backward_room(int nx, int nu) {
  size_t x = (size_t)nx, u = (size_t)nu, ld = (size_t)padded(nx + nu), ldx = (size_t)padded(nx);
  return 2 * (x + u + 1) * ld + 2 * x * ld + 2 * u * ldx + 2 * u * u + (size_t)cri_box_qp_room(nu) +
         4 * u;
}

static rooms share(cr_real* work, int nx, int nu) {
  rooms r = {.ld = padded(nx + nu), .ldx = padded(nx)};
  size_t x = (size_t)nx, u = (size_t)nu, ld = (size_t)r.ld, ldx = (size_t)r.ldx;
  r.V = take(&work, (x + u) * ld);
  r.v = take(&work, ld);
  r.Q = take(&work, (x + u) * ld);
  r.q = take(&work, ld);
  r.F = take(&work, x * ld);
  r.M = take(&work, x * ld);
  r.T = take(&work, u * ldx);
  r.K = take(&work, u * ldx);
  r.H = take(&work, u * u);
  r.L = take(&work, u * u);
  r.box = take(&work, (size_t)cri_box_qp_room(nu));
  r.low = take(&work, u);
  r.high = take(&work, u);
  r.row = take(&work, u);
  r.free = (bool*)(void*)take(&work, u);
  return r;
}

// rows first ... n - 1 left of the diagonal are as the columns above it
static void mirror(cr_real* A, int first, int n, int stride) {
  for (ptrdiff_t i = first; i < n; i++) {
    for (ptrdiff_t j = 0; j < i; j++) {
      A[i * stride + j] = A[j * stride + i];
    }
  }
}

// C[n][ldc] += A' B on and above the diagonal (and a little below it); A and B have `depth` rows
static void add_upper(int n, int depth, const cr_real* A, int lda, const cr_real* B, int ldb,
                      cr_real* C, int ldc) {
  const int width = padded(n);
  for (int i = 0; i < n; i += CR_EIGHT) {
    const cr_factor_rows columns = {A + i, 1, lda};
    int rows = n - i < CR_EIGHT ? n - i : CR_EIGHT;
    cri_eight()->multiply(rows, width - i, depth, &columns, B + i, ldb, C + (ptrdiff_t)i * ldc + i,
                          ldc);
  }
}

// adds the step's own cost to the value at its end
static void add_cost(const cri_backward* b, const rooms* r, int k) {
  int nz = b->nx + b->nu;
  const cr_real *g = b->gz + (ptrdiff_t)k * nz, *H = b->Hz + (ptrdiff_t)k * nz * nz;
  for (int i = 0; i < nz; i++) {
    cr_real* V = r->V + (ptrdiff_t)i * r->ld;
    for (int j = 0; j < nz; j++) {
      V[j] += H[(ptrdiff_t)i * nz + j];
    }
    r->v[i] += g[i];
  }
}

// [plan.i1]: Q = F' W F with F = (A B) above (0 1); of Q what is on and above the diagonal
static void pull(const cri_backward* b, const rooms* r, int k) {
  const int nx = b->nx, nu = b->nu, nz = nx + nu, ld = r->ld;
  const cr_real *A = b->A + (ptrdiff_t)k * nx * nx, *B = b->B + (ptrdiff_t)k * nx * nu;
  for (int i = 0; i < nx; i++) {
    cr_real *F = r->F + (ptrdiff_t)i * ld, *M = r->M + (ptrdiff_t)i * ld;
    cr_copy(F, A + (ptrdiff_t)i * nx, nx);
    cr_copy(F + nx, B + (ptrdiff_t)i * nu, nu);
    cr_zero(F + nz, ld - nz);
    cr_zero(M, nx);
    cr_copy(M + nx, r->V + (ptrdiff_t)i * ld + nx, nu);
    cr_zero(M + nz, ld - nz);
  }
  const cr_factor_rows W = {r->V, ld, 1};  // M = W_xx F + W_xu (0 1)
  cri_eight()->multiply(nx, ld, nx, &W, r->F, ld, r->M, ld);
  cr_zero(r->Q, nz * ld);
  add_upper(nz, nx, r->F, ld, r->M, ld, r->Q, ld);
  cr_zero(r->q, nx);
  cr_copy(r->q + nx, r->v + nx, nu);
  cri_combine(r->q, r->v, nx, r->F, ld, nz);
  // what the held control adds: W_ux F + W_uu in its rows
  for (int i = 0; i < nu; i++) {
    cr_real* Q = r->Q + (ptrdiff_t)(nx + i) * ld + nx + i;
    const cr_real* W_u = r->V + (ptrdiff_t)(nx + i) * ld;
    cri_combine(Q, W_u, nx, r->F + nx + i, ld, nu - i);
    for (int j = 0; j < nu - i; j++) {
      Q[j] += W_u[nx + i + j];
    }
  }
  mirror(r->Q, nx, nz, ld);
}

// T = (L L')^-1 T for its first n rows; L has a stride of nu
static void solve_rows(const rooms* r, int nu, int n) {
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < n; k++) {
      int i = pass == 0 ? k : n - 1 - k, first = pass == 0 ? 0 : i + 1;
      cr_real *T = r->T + (ptrdiff_t)i * r->ldx, scale = 1 / r->L[(ptrdiff_t)i * nu + i];
      for (int j = 0; j < k; j++) {
        r->row[j] =
            pass == 0 ? -r->L[(ptrdiff_t)i * nu + j] : -r->L[(ptrdiff_t)(first + j) * nu + i];
      }
      cri_combine(T, r->row, k, r->T + (ptrdiff_t)first * r->ldx, r->ldx, r->ldx);
      for (int j = 0; j < r->ldx; j++) {
        T[j] *= scale;
      }
    }
  }
}

// [plan.i2] and [plan.i3]
static bool find_gains(cri_backward* b, const rooms* r, int k, cr_real mu) {
  const int nx = b->nx, nu = b->nu, ld = r->ld, ldx = r->ldx;
  const cr_real* u = b->u + (ptrdiff_t)k * nu;
  cr_real *step = b->k + (ptrdiff_t)k * nu, *K = b->K + (ptrdiff_t)k * nu * nx;
  for (int i = 0; i < nu; i++) {
    cr_copy(r->H + (ptrdiff_t)i * nu, r->Q + (ptrdiff_t)(nx + i) * ld + nx, nu);
    r->H[(ptrdiff_t)i * nu + i] += mu;
    r->low[i] = b->limits->lower[i] - u[i];
    r->high[i] = b->limits->upper[i] - u[i];
    step[i] = 0;
  }
  int nfree = cri_box_qp(nu, r->H, r->q + nx, r->low, r->high, step, r->free, r->L, r->box);
  if (nfree < 0) {
    return false;
  }
  cr_zero(r->T, nu * ldx);
  for (int i = 0, a = 0; i < nu; i++) {
    if (r->free[i]) {
      cr_copy(r->T + (ptrdiff_t)a++ * ldx, r->Q + (ptrdiff_t)(nx + i) * ld, nx);
    }
  }
  solve_rows(r, nu, nfree);
  cr_zero(r->K, nu * ldx);
  for (int i = 0, a = 0; i < nu; i++) {
    for (int j = 0; r->free[i] && j < nx; j++) {
      r->K[(ptrdiff_t)i * ldx + j] = -r->T[(ptrdiff_t)a * ldx + j];
    }
    a += r->free[i];
    cr_copy(K + (ptrdiff_t)i * nx, r->K + (ptrdiff_t)i * ldx, nx);
  }
  return true;
}

// [plan.i4], with what is expected of k
static void find_value(cri_backward* b, const rooms* r, int k) {
  const int nx = b->nx, nu = b->nu, nz = nx + nu, ld = r->ld, ldx = r->ldx;
  const cr_real *step = b->k + (ptrdiff_t)k * nu, *Q_u = r->Q + (ptrdiff_t)nx * ld;
  cr_zero(r->V, nz * ld);
  cr_zero(r->v, nz);
  for (int i = 0; i < nx; i++) {
    cr_copy(r->V + (ptrdiff_t)i * ld, r->Q + (ptrdiff_t)i * ld, nx);
  }
  cr_copy(r->v, r->q, nx);
  for (int a = 0; a < nu; a++) {
    cr_copy(r->T + (ptrdiff_t)a * ldx, Q_u + (ptrdiff_t)a * ld, nx);
    cr_real bent = 0;
    for (int c = 0; c < nu; c++) {
      bent += Q_u[(ptrdiff_t)a * ld + nx + c] * step[c];
    }
    b->slope += step[a] * r->q[nx + a];
    b->curvature += step[a] * bent;
    r->row[a] = r->q[nx + a] + bent;
  }
  const cr_factor_rows Q_uu = {Q_u + nx, ld, 1};  // T = Q_uu K + Q_ux
  cri_eight()->multiply(nu, ldx, nu, &Q_uu, r->K, ldx, r->T, ldx);
  cri_combine(r->v, r->row, nu, r->K, ldx, nx);
  cri_combine(r->v, step, nu, Q_u, ld, nx);
  add_upper(nx, nu, r->K, ldx, r->T, ldx, r->V, ld);  // V += K' T + Q_xu K, which is symmetric
  add_upper(nx, nu, Q_u, ld, r->K, ldx, r->V, ld);
  mirror(r->V, 0, nx, ld);
}

static bool begins(const cri_controls* c, int k) {
  return k == 0 || c->knot[4 * (ptrdiff_t)k] != c->knot[4 * (ptrdiff_t)(k - 1)];
}

bool cri_backward_pass(cri_backward* b, cr_real mu, cr_real* work) {
  const int nx = b->nx, nz = nx + b->nu;
  const rooms r = share(work, b->nx, b->nu);
  cr_zero(r.V, nz * r.ld);
  cr_zero(r.v, nz);
  b->slope = b->curvature = 0;
  for (int k = b->nstep - 1; k >= 0; k--) {
    add_cost(b, &r, k);
    pull(b, &r, k);
    if (!begins(b->limits, k)) {
      mirror(r.Q, 0, nx, r.ld);
      cr_copy(r.V, r.Q, nz * r.ld);
      cr_copy(r.v, r.q, nz);
      continue;
    }
    if (!find_gains(b, &r, k, mu)) {
      return false;
    }
    find_value(b, &r, k);
  }
  return true;
}
