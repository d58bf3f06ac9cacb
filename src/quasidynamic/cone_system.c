// SPDX-License-Identifier: Apache-2.0
// Rows, residual and Hessian of the scaled cone program.
#include "quasidynamic/cone_system.h"

#include "math/dense_cholesky.h"
#include "quasidynamic/cone_algebra.h"

// ---- small sums

cr_real cri_cone_largest(const cr_real* x, int n) {
  cr_real most = 0;
  for (int i = 0; i < n; i++) {
    most = cr_max(most, cr_abs(x[i]));
  }
  return most;
}

cr_real cri_cone_dot(const cr_real* restrict x, const cr_real* restrict y, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

// r = A y + base
void cri_cone_rows(const cri_cone* c, const cr_real* y, const cr_real* base, cr_real* r) {
  for (int i = 0; i < c->nrow; i++) {
    r[i] = (base != NULL ? base[i] : 0) + cri_cone_dot(c->A + (ptrdiff_t)i * c->nv, y, c->nv);
  }
}

// r += A' z
void cri_cone_add_forces(const cri_cone* c, const cr_real* z, cr_real* restrict r) {
  for (int i = 0; i < c->nrow; i++) {
    const cr_real* restrict row = c->A + (ptrdiff_t)i * c->nv;
    for (int j = 0; j < c->nv; j++) {
      r[j] += z[i] * row[j];
    }
  }
}

cr_real cri_cone_level(const cri_cone* c, int k, cr_real mu) { return c->dim[k] > 1 ? 2 * mu : mu; }

cr_real cri_cone_target(const cri_cone* c) { return c->weight > 0 ? 1 / c->weight : 0; }

// ---- the scaled problem at its iterate

// [quasidynamic.c4]
cr_real cri_cone_residual(cri_cone* c) {
  const cr_real size = cr_max(cri_cone_largest(c->a, c->nv), cri_cone_largest(c->zi, c->nrow));
  cr_real most = 0;
  cr_zero(c->dy, c->nv);
  cri_cone_add_forces(c, c->zi, c->dy);
  for (int j = 0; j < c->nv; j++) {
    most = cr_max(most, cr_abs(c->y[j] - c->a[j] - c->dy[j]));
  }
  cri_cone_rows(c, c->y, c->g, c->row);
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cr_real v[CRI_CONE_DIM], p[CRI_CONE_DIM];
    for (int i = 0; i < dim; i++) {
      v[i] = c->row[first + i] - c->zi[first + i];
    }
    cri_cone_project(v, dim, cri_cone_level(c, k, cri_cone_target(c)), p);
    for (int i = 0; i < dim; i++) {
      most = cr_max(most, cr_abs(c->row[first + i] - p[i]));
    }
  }
  return size > 0 ? most / size : most;
}

// W^-1 A of one block, in B
static void unscale_rows(cri_cone* c, int k) {
  const int first = c->adr[k], dim = c->dim[k], n = c->nv;
  const cr_real* restrict A = c->A + (ptrdiff_t)first * n;
  cr_real* restrict B = c->B + (ptrdiff_t)first * n;
  if (dim == 1) {
    const cr_real factor = 1 / c->beta[k];
    for (int j = 0; j < n; j++) {
      B[j] = factor * A[j];
    }
    return;
  }
  for (int j = 0; j < n; j++) {
    cr_real column[CRI_CONE_DIM];
    for (int i = 0; i < dim; i++) {
      column[i] = A[(ptrdiff_t)i * n + j];
    }
    cri_cone_unscale(c->W + first, c->beta[k], column, dim, column);
    for (int i = 0; i < dim; i++) {
      B[(ptrdiff_t)i * n + j] = column[i];
    }
  }
}

// W, lambda, H = I + A'W^-2 A
bool cri_cone_barrier(cri_cone* c) {
  const int n = c->nv;
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cr_real* w = c->W + first;
    c->beta[k] = cri_cone_scaling(c->si + first, c->zi + first, dim, w);
    cri_cone_scale(w, c->beta[k], c->zi + first, dim, c->lambda + first);
    unscale_rows(c, k);
  }
  cr_zero(c->H, n * n);
  for (int i = 0; i < c->nrow; i++) {
    const cr_real* restrict row = c->B + (ptrdiff_t)i * n;
    for (int j = 0; j < n; j++) {
      const cr_real x = row[j];
      cr_real* restrict h = c->H + (ptrdiff_t)j * n;
      if (x == 0) {
        continue;
      }
      for (int l = 0; l <= j; l++) {
        h[l] += x * row[l];
      }
    }
  }
  for (int j = 0; j < n; j++) {
    c->H[(ptrdiff_t)j * n + j] += 1;
  }
  return cr_dense_chol_factor(c->H, n, 0) < 0;
}
