// SPDX-License-Identifier: Apache-2.0
// Linearised systems at the solution of a cone program. Of the exact one, with R the gradients of active constraints, nu
// their multipliers, t = s_1 / |s_1| where a block slides:
//   P dy - R'dnu = -rho - A_1'(nu / |s_1|)(I - t t') sigma_1
//   R dy = -sigma along R          P = I + sum of A_1'(nu / |s_1|)(I - t t') A_1              [quasidynamic.c5]
// Smoothed: (I + A'W^-2 A) dy = -rho - A'W^-2 sigma                                            [quasidynamic.c6]
#include "quasidynamic/cone_tangent.h"

#include "math/dense_cholesky.h"
#include "quasidynamic/cone_algebra.h"
#include "quasidynamic/cone_system.h"

enum { NEWTON_STEPS = 6 };

static void add(cr_real* restrict to, const cr_real* restrict x, cr_real factor, int n) {
  for (int i = 0; i < n; i++) {
    to[i] += factor * x[i];
  }
}

static const cr_real* row_of(const cri_cone* c, int i) { return c->A + (ptrdiff_t)i * c->nv; }

// ---- the active set

// the part of the cone that s - z is projected to
static cri_cone_contact contact_of(const cr_real* s, const cr_real* z, int dim) {
  cr_real v[CRI_CONE_DIM] = {s[0] - z[0]};
  for (int i = 1; i < dim; i++) {
    v[i] = s[i] - z[i];
  }
  if (cri_cone_least(v, dim) >= 0) {
    return CRI_CONE_FREE;
  }
  return cri_cone_most(v, dim) <= 0 ? CRI_CONE_FIXED : CRI_CONE_SLIDING;
}

static void set_active(cri_cone* c) {
  c->nactive = 0;
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    c->contact[k] = (int32_t)contact_of(c->si + first, c->zi + first, dim);
    if (c->contact[k] == CRI_CONE_SLIDING) {
      c->nu[c->nactive++] = c->zi[first];
    }
    for (int i = 0; i < dim && c->contact[k] == CRI_CONE_FIXED; i++) {
      c->nu[c->nactive++] = c->zi[first + i];
    }
  }
}

// v less its part along t
static void across(const cr_real* t, int n, cr_real* v) {
  const cr_real along = cri_cone_dot(t, v, n);
  for (int i = 0; i < n; i++) {
    v[i] -= along * t[i];
  }
}

// nu / |s_1|, and t where it slides at all
static cr_real bend_of(cri_cone* c, int k, cr_real nu) {
  const cr_real* s = c->si + c->adr[k];
  const cr_real tail = cri_cone_tail(s, c->dim[k]);
  for (int i = 1; i < c->dim[k] && tail > 0; i++) {
    c->t[c->adr[k] + i] = s[i] / tail;
  }
  return nu / cr_max(tail, CR_MINVAL * nu);
}

// P, R and t, with s = A y + g
static void set_system(cri_cone* c) {
  const int n = c->nv;
  cr_zero(c->P, n * n);
  for (int j = 0; j < n; j++) {
    c->P[(ptrdiff_t)j * n + j] = 1;
  }
  for (int k = 0, at = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    for (int i = 0; i < dim && c->contact[k] == CRI_CONE_FIXED; i++) {
      cr_copy(c->R + (ptrdiff_t)at++ * n, row_of(c, first + i), n);
    }
    if (c->contact[k] != CRI_CONE_SLIDING) {
      continue;
    }
    const cr_real bend = bend_of(c, k, c->nu[at]);
    const cr_real* t = c->t + first;
    cr_real* R = c->R + (ptrdiff_t)at++ * n;
    cr_copy(R, row_of(c, first), n);
    for (int i = 1; i < dim; i++) {
      add(R, row_of(c, first + i), -t[i], n);
    }
    for (int j = 0; j < n; j++) {
      cr_real column[CRI_CONE_DIM];
      for (int i = 1; i < dim; i++) {
        column[i] = row_of(c, first + i)[j];
      }
      across(t + 1, dim - 1, column + 1);
      for (int i = 1; i < dim; i++) {
        add(c->P + (ptrdiff_t)j * n, row_of(c, first + i), bend * column[i], n);
      }
    }
  }
}

// S = R P^-1 R', with 1000 roundings on the diagonal: rows may depend on each other
static bool factor_active(cri_cone* c) {
  const int n = c->nv, na = c->nactive;
  if (cr_dense_chol_factor(c->P, n, 0) >= 0) {
    return false;
  }
  cr_real most = 0;
  for (int i = 0; i < na; i++) {
    cr_real* row = c->Y + (ptrdiff_t)i * n;
    cr_copy(row, c->R + (ptrdiff_t)i * n, n);
    cr_dense_chol_forward(c->P, n, row);
    for (int j = 0; j <= i; j++) {
      c->S[(ptrdiff_t)i * na + j] = cri_cone_dot(row, c->Y + (ptrdiff_t)j * n, n);
    }
    most = cr_max(most, c->S[(ptrdiff_t)i * na + i]);
  }
  for (int i = 0; i < na; i++) {
    c->S[(ptrdiff_t)i * na + i] += 1000 * CR_EPS * most;
  }
  return cr_dense_chol_factor(c->S, na, 0) < 0;
}

// dy holds the right side of the first equation; dnu minus sigma along R
static void solve_active(cri_cone* c) {
  const int n = c->nv;
  cr_dense_chol_forward(c->P, n, c->dy);
  for (int i = 0; i < c->nactive; i++) {
    c->dnu[i] -= cri_cone_dot(c->Y + (ptrdiff_t)i * n, c->dy, n);
  }
  cr_dense_chol_solve(c->S, c->nactive, c->dnu);
  for (int i = 0; i < c->nactive; i++) {
    add(c->dy, c->Y + (ptrdiff_t)i * n, c->dnu[i], n);
  }
  cr_dense_chol_backward(c->P, n, c->dy);
}

// ---- Newton's last steps

static void set_rows(cri_cone* c) {
  for (int i = 0; i < c->nrow; i++) {
    c->si[i] = c->g[i] + cri_cone_dot(row_of(c, i), c->y, c->nv);
  }
}

static void set_forces(cri_cone* c) {
  for (int k = 0, at = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    if (c->contact[k] == CRI_CONE_SLIDING) {
      (void)bend_of(c, k, 1);
    }
    for (int i = 0; i < dim; i++) {
      c->zi[first + i] = 0;
      if (c->contact[k] == CRI_CONE_FIXED) {
        c->zi[first + i] = c->nu[at++];
      } else if (c->contact[k] == CRI_CONE_SLIDING) {
        c->zi[first + i] = c->nu[at] * (i == 0 ? 1 : -c->t[first + i]);
      }
    }
    at += c->contact[k] == CRI_CONE_SLIDING;
  }
}

// residuals of the active set
static void set_residual(cri_cone* c) {
  for (int j = 0; j < c->nv; j++) {
    c->dy[j] = c->a[j] - c->y[j];
  }
  for (int k = 0, at = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    for (int i = 0; i < dim; i++) {
      add(c->dy, row_of(c, first + i), c->zi[first + i], c->nv);
      if (c->contact[k] == CRI_CONE_FIXED) {
        c->dnu[at++] = -c->si[first + i];
      }
    }
    if (c->contact[k] == CRI_CONE_SLIDING) {
      c->dnu[at++] = -cri_cone_least(c->si + first, dim);
    }
  }
}

static bool newton(cri_cone* c) {
  set_active(c);
  set_forces(c);
  set_system(c);
  if (!factor_active(c)) {
    return false;
  }
  set_residual(c);
  solve_active(c);
  add(c->y, c->dy, 1, c->nv);
  add(c->nu, c->dnu, 1, c->nactive);
  set_rows(c);
  set_forces(c);
  return true;
}

void cri_cone_polish(cri_cone* c) {
  cr_copy(c->rd, c->y, c->nv);
  cr_copy(c->d, c->zi, c->nrow);
  cr_real best = c->residual;
  set_rows(c);
  for (int k = 0; k < NEWTON_STEPS && best > CR_EPS && newton(c); k++) {
    c->residual = cri_cone_residual(c);
    if (c->residual < best) {
      best = c->residual;
      cr_copy(c->rd, c->y, c->nv);
      cr_copy(c->d, c->zi, c->nrow);
    }
  }
  cr_copy(c->y, c->rd, c->nv);
  cr_copy(c->zi, c->d, c->nrow);
  set_rows(c);
  c->residual = best;
}

// ---- the linearised system

// H = I + A'W^-2 A at the solution, and B = W^-1 A
bool cri_cone_linearise(cri_cone* c) {
  if (c->weight > 0) {
    return c->nrow == 0 || cri_cone_barrier(c);
  }
  set_active(c);
  set_system(c);
  return factor_active(c);
}

// the parts of the right side that sigma makes; `row` holds the scaled sigma
static void add_sigma(cri_cone* c) {
  for (int k = 0, at = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cr_real* sigma = c->row + first;
    for (int i = 0; i < dim && c->contact[k] == CRI_CONE_FIXED; i++) {
      c->dnu[at++] = -sigma[i];
    }
    if (c->contact[k] == CRI_CONE_SLIDING) {
      const cr_real* t = c->t + first;
      const cr_real bend = bend_of(c, k, c->nu[at]);
      c->dnu[at++] = cri_cone_dot(t + 1, sigma + 1, dim - 1) - sigma[0];
      across(t + 1, dim - 1, sigma + 1);
      for (int i = 1; i < dim; i++) {
        add(c->dy, row_of(c, first + i), -bend * sigma[i], c->nv);
      }
    }
  }
}

// [quasidynamic.c6]
static void solve_barrier(cri_cone* c) {
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cri_cone_unscale(c->W + first, c->beta[k], c->row + first, dim, c->ds + first);
    for (int i = first; i < first + dim; i++) {
      add(c->dy, c->B + (ptrdiff_t)i * c->nv, -c->ds[i], c->nv);
    }
  }
  cr_dense_chol_solve(c->H, c->nv, c->dy);
}

void cri_cone_tangent(cri_cone* c, const cr_real* rho, const cr_real* sigma, cr_real* dx) {
  for (int j = 0; j < c->nv; j++) {
    c->dy[j] = -rho[j];
  }
  cr_dense_chol_forward(c->L, c->nv, c->dy);
  for (int k = 0; k < c->nblock; k++) {
    for (int i = c->adr[k]; i < c->adr[k] + c->dim[k]; i++) {
      c->row[i] = c->scale[k] * sigma[i];
    }
  }
  if (c->weight == 0) {
    add_sigma(c);
    solve_active(c);
  } else if (c->nrow > 0) {
    solve_barrier(c);
  }
  cr_copy(dx, c->dy, c->nv);
  cr_dense_chol_backward(c->L, c->nv, dx);
}
