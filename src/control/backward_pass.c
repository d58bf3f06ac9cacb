// SPDX-License-Identifier: Apache-2.0
// Riccati's recursion with limits. Between the first and the last step of a held control the value is one of (x, u).
#include "control/backward_pass.h"

#include "control/box_qp.h"
#include "math/combine.h"

typedef struct {
  cr_real *V, *v;         // value of (x, u): nz nz, nz
  cr_real *Q, *q;         // the same before the step
  cr_real *F, *Ft, *M;    // nx nz, nz nx, nx nz: (A B), its transpose, its product with the Hessian
  cr_real *H, *L, *box;   // nu nu, nu nu, cri_box_qp_room(nu)
  cr_real *low, *high;    // nu each
  cr_real *row, *T, *Kt;  // nu, nu nx, nx nu
  bool* free;             // nu
} rooms;

static cr_real* take(cr_real** at, size_t n) {
  cr_real* from = *at;
  *at += n;
  return from;
}

size_t cri_backward_room(int nx, int nu) {
  size_t x = (size_t)nx, u = (size_t)nu, z = x + u;
  return 2 * (z * z + z) + 3 * x * z + 2 * u * u + (size_t)cri_box_qp_room(nu) + 4 * u + 2 * u * x +
         8;
}

static rooms share(cr_real* work, int nx, int nu) {
  size_t x = (size_t)nx, u = (size_t)nu, z = x + u;
  rooms r;
  r.V = take(&work, z * z);
  r.v = take(&work, z);
  r.Q = take(&work, z * z);
  r.q = take(&work, z);
  r.F = take(&work, x * z);
  r.Ft = take(&work, x * z);
  r.M = take(&work, x * z);
  r.H = take(&work, u * u);
  r.L = take(&work, u * u);
  r.box = take(&work, (size_t)cri_box_qp_room(nu));
  r.low = take(&work, u);
  r.high = take(&work, u);
  r.row = take(&work, u);
  r.T = take(&work, u * x);
  r.Kt = take(&work, u * x);
  r.free = (bool*)(void*)take(&work, u);
  return r;
}

// to[m n] is from[n m] transposed, whose rows are `stride` apart
static void transpose(cr_real* restrict to, const cr_real* from, int m, int n, int stride) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      to[(ptrdiff_t)i * n + j] = from[(ptrdiff_t)j * stride + i];
    }
  }
}

// the lower triangle is as the upper one
static void mirror(cr_real* A, int n, int stride) {
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < i; j++) {
      A[i * stride + j] = A[j * stride + i];
    }
  }
}

// adds the step's own cost to the value at its end
static void add_cost(const cri_backward* b, const rooms* r, int k) {
  int nz = b->nx + b->nu;
  const cr_real *g = b->gz + (ptrdiff_t)k * nz, *H = b->Hz + (ptrdiff_t)k * nz * nz;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)nz * nz; i++) {
    r->V[i] += H[i];
  }
  for (int i = 0; i < nz; i++) {
    r->v[i] += g[i];
  }
}

// [plan.i1]: Q = F' W F with F = (A B) above (0 1)
static void pull(const cri_backward* b, const rooms* r, int k) {
  const int nx = b->nx, nu = b->nu, nz = nx + nu;
  const cr_real *A = b->A + (ptrdiff_t)k * nx * nx, *B = b->B + (ptrdiff_t)k * nx * nu;
  for (int i = 0; i < nx; i++) {
    cr_copy(r->F + (ptrdiff_t)i * nz, A + (ptrdiff_t)i * nx, nx);
    cr_copy(r->F + (ptrdiff_t)i * nz + nx, B + (ptrdiff_t)i * nu, nu);
  }
  for (int i = 0; i < nx; i++) {  // M = W_xx F + W_xu (0 1)
    cr_real* M = r->M + (ptrdiff_t)i * nz;
    const cr_real* W = r->V + (ptrdiff_t)i * nz;
    cr_zero(M, nx);
    cr_copy(M + nx, W + nx, nu);
    cri_combine(M, W, nx, r->F, nz, nz);
  }
  // of Q = F' M the upper triangle
  transpose(r->Ft, r->F, nz, nx, nz);
  cr_zero(r->Q, nz * nz);
  for (int i = 0; i < nz; i++) {
    cri_combine(r->Q + (ptrdiff_t)i * nz + i, r->Ft + (ptrdiff_t)i * nx, nx, r->M + i, nz, nz - i);
  }
  cr_zero(r->q, nx);
  cr_copy(r->q + nx, r->v + nx, nu);
  cri_combine(r->q, r->v, nx, r->F, nz, nz);
  // what the held control adds: W_ux F + W_uu in its rows
  for (int i = 0; i < nu; i++) {
    cr_real* Q = r->Q + (ptrdiff_t)(nx + i) * nz + nx + i;
    const cr_real* W = r->V + (ptrdiff_t)(nx + i) * nz;
    cri_combine(Q, W, nx, r->F + nx + i, nz, nu - i);
    for (int j = 0; j < nu - i; j++) {
      Q[j] += W[nx + i + j];
    }
  }
  mirror(r->Q, nz, nz);
}

// T = (L L')^-1 T for its first n rows of nx numbers; L has a stride of nu
static void solve_rows(const rooms* r, int nu, int n, int nx) {
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < n; k++) {
      int i = pass == 0 ? k : n - 1 - k, first = pass == 0 ? 0 : i + 1;
      cr_real* T = r->T + (ptrdiff_t)i * nx;
      for (int j = 0; j < k; j++) {
        r->row[j] =
            pass == 0 ? -r->L[(ptrdiff_t)i * nu + j] : -r->L[(ptrdiff_t)(first + j) * nu + i];
      }
      cri_combine(T, r->row, k, r->T + (ptrdiff_t)first * nx, nx, nx);
      for (int j = 0; j < nx; j++) {
        T[j] /= r->L[(ptrdiff_t)i * nu + i];
      }
    }
  }
}

// [plan.i2] and [plan.i3]
static bool find_gains(cri_backward* b, const rooms* r, int k, cr_real mu) {
  const int nx = b->nx, nu = b->nu, nz = nx + nu;
  const cr_real* u = b->u + (ptrdiff_t)k * nu;
  cr_real *step = b->k + (ptrdiff_t)k * nu, *K = b->K + (ptrdiff_t)k * nu * nx;
  for (int i = 0; i < nu; i++) {
    cr_copy(r->H + (ptrdiff_t)i * nu, r->Q + (ptrdiff_t)(nx + i) * nz + nx, nu);
    r->H[(ptrdiff_t)i * nu + i] += mu;
    r->low[i] = b->limits->lower[i] - u[i];
    r->high[i] = b->limits->upper[i] - u[i];
    step[i] = 0;
  }
  int nfree = cri_box_qp(nu, r->H, r->q + nx, r->low, r->high, step, r->free, r->L, r->box);
  cr_zero(K, nu * nx);
  for (int i = 0, a = 0; i < nu && nfree > 0; i++) {
    if (r->free[i]) {
      cr_copy(r->T + (ptrdiff_t)a++ * nx, r->Q + (ptrdiff_t)(nx + i) * nz, nx);
    }
  }
  if (nfree > 0) {
    solve_rows(r, nu, nfree, nx);
  }
  for (int i = 0, a = 0; i < nu && nfree > 0; i++) {
    for (int j = 0; r->free[i] && j < nx; j++) {
      K[(ptrdiff_t)i * nx + j] = -r->T[(ptrdiff_t)a * nx + j];
    }
    a += r->free[i];
  }
  return nfree >= 0;
}

// [plan.i4], with what is expected of k
static void find_value(cri_backward* b, const rooms* r, int k) {
  const int nx = b->nx, nu = b->nu, nz = nx + nu;
  const cr_real *step = b->k + (ptrdiff_t)k * nu, *K = b->K + (ptrdiff_t)k * nu * nx;
  cr_zero(r->V, nz * nz);
  cr_zero(r->v, nz);
  for (int i = 0; i < nx; i++) {
    cr_copy(r->V + (ptrdiff_t)i * nz, r->Q + (ptrdiff_t)i * nz, nx);
    r->v[i] = r->q[i];
  }
  for (int a = 0; a < nu; a++) {
    const cr_real* Q = r->Q + (ptrdiff_t)(nx + a) * nz;
    // T_a = Q_uu K + Q_ux of row a
    cr_real *T = r->T + (ptrdiff_t)a * nx, bent = 0;
    cr_copy(T, Q, nx);
    cri_combine(T, Q + nx, nu, K, nx, nx);
    for (int c = 0; c < nu; c++) {
      bent += Q[nx + c] * step[c];
    }
    b->slope += step[a] * r->q[nx + a];
    b->curvature += step[a] * bent;
    r->row[a] = r->q[nx + a] + bent;
  }
  cri_combine(r->v, r->row, nu, K, nx, nx);
  cri_combine(r->v, step, nu, r->Q + (ptrdiff_t)nx * nz, nz, nx);
  transpose(r->Kt, K, nx, nu, nx);
  for (int i = 0; i < nx; i++) {  // V += K' T + Q_xu K, which is symmetric
    cr_real* V = r->V + (ptrdiff_t)i * nz + i;
    cri_combine(V, r->Kt + (ptrdiff_t)i * nu, nu, r->T + i, nx, nx - i);
    cri_combine(V, r->Q + (ptrdiff_t)i * nz + nx, nu, K + i, nx, nx - i);
  }
  mirror(r->V, nx, nz);
}

static bool begins(const cri_controls* c, int k) {
  return k == 0 || c->knot[4 * (ptrdiff_t)k] != c->knot[4 * (ptrdiff_t)(k - 1)];
}

bool cri_backward_pass(cri_backward* b, cr_real mu, cr_real* work) {
  const int nz = b->nx + b->nu;
  const rooms r = share(work, b->nx, b->nu);
  cr_zero(r.V, nz * nz);
  cr_zero(r.v, nz);
  b->slope = b->curvature = 0;
  for (int k = b->nstep - 1; k >= 0; k--) {
    add_cost(b, &r, k);
    pull(b, &r, k);
    if (!begins(b->limits, k)) {
      cr_copy(r.V, r.Q, nz * nz);
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
