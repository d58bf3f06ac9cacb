// SPDX-License-Identifier: Apache-2.0
// The interior-point method. derivation: docs/derivations/quasidynamic.md
#include "quasidynamic/cone_program.h"

#include <stdlib.h>

#include "math/dense_cholesky.h"
#include "quasidynamic/cone_algebra.h"
#include "quasidynamic/cone_system.h"
#include "quasidynamic/cone_tangent.h"

enum { MOST_ITERATIONS = 80, MOST_PREDICTED = 25 };
static const cr_real TOLERANCE = 1000 * CR_EPS, ACCEPTED = CR_R(1e-9);
static const cr_real NEAR = CR_R(1e-6);      // mu over the size squared: the end is near
static const cr_real POLISHED = CR_R(1e-3);  // residuals below this tell the active set

// ---- memory

cr_status cri_cone_create(cri_cone* c, int nv_max, int nrow_max, cr_error* error) {
  const size_t v = (size_t)nv_max + 1, r = (size_t)nrow_max + 1;
  const struct {
    cr_real** at;
    size_t n;
  } part[] = {{&c->Q, v * v}, {&c->b, v},     {&c->G, r * v},   {&c->h, r},      {&c->x, v},
              {&c->s, r},     {&c->z, r},     {&c->L, v * v},   {&c->A, r * v},  {&c->a, v},
              {&c->g, r},     {&c->scale, r}, {&c->y, v},       {&c->si, r},     {&c->zi, r},
              {&c->H, v * v}, {&c->W, r},     {&c->beta, r},    {&c->lambda, r}, {&c->rd, v},
              {&c->rp, r},    {&c->d, r},     {&c->dy, v},      {&c->ds, r},     {&c->dz, r},
              {&c->B, r * v}, {&c->P, v * v}, {&c->R, r * v},   {&c->Y, r * v},  {&c->S, r * r},
              {&c->t, r},     {&c->nu, r},    {&c->row, r + v}, {&c->dnu, r}};
  size_t total = 0;
  for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
    total += part[i].n;
  }
  memset(c, 0, sizeof *c);
  c->memory = calloc(1, total * sizeof(cr_real) + 3 * r * sizeof(int32_t));
  if (c->memory == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasi-dynamic step: no memory for %d rows over %d dofs",
                    nrow_max, nv_max);
  }
  cr_real* next = c->memory;
  for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
    *part[i].at = next;
    next += part[i].n;
  }
  c->adr = (int32_t*)(void*)next;
  c->dim = c->adr + r;
  c->contact = c->dim + r;
  c->nv_max = nv_max;
  c->nrow_max = nrow_max;
  return CR_OK;
}

void cri_cone_free(cri_cone* c) {
  free(c->memory);
  memset(c, 0, sizeof *c);
}

// ---- the scaled problem

static bool scale_problem(cri_cone* c) {
  const int n = c->nv;
  cr_copy(c->L, c->Q, n * n);
  c->culprit = cr_dense_chol_factor(c->L, n, CR_MINVAL);
  if (c->culprit >= 0) {
    return false;
  }
  cr_copy(c->a, c->b, n);
  cr_dense_chol_forward(c->L, n, c->a);
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k];
    for (int i = first; i < first + c->dim[k]; i++) {
      cr_real* row = c->A + (ptrdiff_t)i * n;
      cr_copy(row, c->G + (ptrdiff_t)i * n, n);
      cr_dense_chol_forward(c->L, n, row);
      if (i == first) {
        const cr_real length = cr_sqrt(cri_cone_dot(row, row, n));
        c->scale[k] = length > CR_MINVAL ? 1 / length : 1;
      }
      for (int j = 0; j < n; j++) {
        row[j] *= c->scale[k];
      }
      c->g[i] = c->scale[k] * c->h[i];
    }
  }
  return true;
}

static void give(cri_cone* c) {
  cr_copy(c->x, c->y, c->nv);
  cr_dense_chol_backward(c->L, c->nv, c->x);
  cri_cone_rows(c, c->y, c->g, c->row);
  for (int k = 0; k < c->nblock; k++) {
    for (int i = c->adr[k]; i < c->adr[k] + c->dim[k]; i++) {
      c->s[i] = (c->weight > 0 ? c->si[i] : c->row[i]) / c->scale[k];
      c->z[i] = c->zi[i] * c->scale[k];
    }
  }
}

// ---- the method

// s and z with s o z = mu c e and s - z = rp
static void centre(cri_cone* c, cr_real mu) {
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    const cr_real level = cri_cone_level(c, k, mu);
    cr_real back[CRI_CONE_DIM];
    for (int i = 0; i < dim; i++) {
      back[i] = -c->rp[first + i];
    }
    cri_cone_project(c->rp + first, dim, level, c->si + first);
    cri_cone_project(back, dim, level, c->zi + first);
  }
}

// of decoupled contacts with rows of length 1 this is the solution: v = A a + g, s = p(v), z = s - v = p(-v)
static cr_real begin(cri_cone* c) {
  cr_real worst = 0;
  cr_copy(c->y, c->a, c->nv);
  cri_cone_rows(c, c->y, c->g, c->rp);
  for (int k = 0; k < c->nblock; k++) {
    worst = cr_max(worst, -cri_cone_least(c->rp + c->adr[k], c->dim[k]));
  }
  const cr_real mu = cr_max(cri_cone_target(c), CR_R(0.1) * worst * worst);
  if (mu > 0) {
    centre(c, mu);
  }
  return mu;
}

// s - z stays where it is: the gap of all blocks becomes mu, and the linear equations are off for a while
static void centre_again(cri_cone* c, cr_real mu) {
  for (int i = 0; i < c->nrow; i++) {
    c->rp[i] = c->si[i] - c->zi[i];
  }
  centre(c, mu);
}

// residuals of the linear equations, and mu
static cr_real residuals(cri_cone* c) {
  cr_zero(c->rd, c->nv);
  cri_cone_add_forces(c, c->zi, c->rd);
  for (int j = 0; j < c->nv; j++) {
    c->rd[j] = c->y[j] - c->a[j] - c->rd[j];
  }
  cri_cone_rows(c, c->y, c->g, c->rp);
  cr_real gap = 0;
  int degree = 0;
  for (int i = 0; i < c->nrow; i++) {
    c->rp[i] = c->si[i] - c->rp[i];
    gap += c->si[i] * c->zi[i];
  }
  for (int k = 0; k < c->nblock; k++) {
    degree += c->dim[k] > 1 ? 2 : 1;
  }
  return gap / degree;
}

// the Newton direction for W dz + W^-1 ds = d
static void direction(cri_cone* c) {
  for (int j = 0; j < c->nv; j++) {
    c->dy[j] = -c->rd[j];
  }
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cr_real v[CRI_CONE_DIM];
    cri_cone_unscale(c->W + first, c->beta[k], c->rp + first, dim, v);
    for (int i = 0; i < dim; i++) {
      v[i] += c->d[first + i];
      const cr_real* row = c->B + (ptrdiff_t)(first + i) * c->nv;
      for (int j = 0; j < c->nv; j++) {
        c->dy[j] += row[j] * v[i];
      }
    }
  }
  cr_dense_chol_solve(c->H, c->nv, c->dy);
  cri_cone_rows(c, c->dy, NULL, c->ds);
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cr_real v[CRI_CONE_DIM];
    for (int i = 0; i < dim; i++) {
      c->ds[first + i] -= c->rp[first + i];
    }
    cri_cone_unscale(c->W + first, c->beta[k], c->ds + first, dim, v);
    for (int i = 0; i < dim; i++) {
      v[i] = c->d[first + i] - v[i];
    }
    cri_cone_unscale(c->W + first, c->beta[k], v, dim, c->dz + first);
  }
}

static cr_real longest(const cri_cone* c) {
  cr_real alpha = 1;
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    alpha = cr_min(alpha, cri_cone_step(c->si + first, c->ds + first, dim));
    alpha = cr_min(alpha, cri_cone_step(c->zi + first, c->dz + first, dim));
  }
  return alpha;
}

// d = lambda \ (mu c e - lambda o lambda - W^-1 ds o W dz); the last term of the direction at hand, if asked
static void aim(cri_cone* c, cr_real mu, bool corrected) {
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    const cr_real *w = c->W + first, *lambda = c->lambda + first;
    cr_real r[CRI_CONE_DIM], u[CRI_CONE_DIM], v[CRI_CONE_DIM];
    cri_cone_product(lambda, lambda, dim, r);
    if (corrected) {
      cri_cone_unscale(w, c->beta[k], c->ds + first, dim, u);
      cri_cone_scale(w, c->beta[k], c->dz + first, dim, v);
      cri_cone_product(u, v, dim, u);
    }
    for (int i = 0; i < dim; i++) {
      r[i] = (i == 0 ? cri_cone_level(c, k, mu) : 0) - r[i] - (corrected ? u[i] : 0);
    }
    cri_cone_divide(lambda, r, dim, c->d + first);
  }
}

// beside the boundary rounding decides
static bool is_inside(const cri_cone* c, cr_real alpha) {
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cr_real s[CRI_CONE_DIM] = {0}, z[CRI_CONE_DIM] = {0};
    for (int i = 0; i < dim; i++) {
      s[i] = c->si[first + i] + alpha * c->ds[first + i];
      z[i] = c->zi[first + i] + alpha * c->dz[first + i];
    }
    if (!(cri_cone_least(s, dim) > 0 && cri_cone_least(z, dim) > 0)) {
      return false;
    }
  }
  return true;
}

// false where rounding leaves no step
static bool advance(cri_cone* c) {
  const cr_real whole = longest(c);
  cr_real alpha = whole < 1 ? CR_R(0.99) * whole : 1;
  while (alpha > CR_EPS && !is_inside(c, alpha)) {
    alpha /= 2;
  }
  for (int j = 0; j < c->nv; j++) {
    c->y[j] += alpha * c->dy[j];
  }
  for (int i = 0; i < c->nrow; i++) {
    c->si[i] += alpha * c->ds[i];
    c->zi[i] += alpha * c->dz[i];
  }
  return alpha > CR_R(1e-6);
}

// s o z against mu c e, relative to mu
static bool is_centred(const cri_cone* c, cr_real mu) {
  for (int k = 0; k < c->nblock; k++) {
    const int first = c->adr[k], dim = c->dim[k];
    cr_real r[CRI_CONE_DIM];
    cri_cone_product(c->si + first, c->zi + first, dim, r);
    r[0] -= cri_cone_level(c, k, mu);
    if (cri_cone_largest(r, dim) > CR_R(1e-10) * mu) {
      return false;
    }
  }
  return true;
}

// Farkas: z in K with A'z = 0 and g'z < 0 proves that no y has A y + g in K. Steps of 1e6 times the size count as none.
static bool proves_infeasible(cri_cone* c) {
  cr_real sum = 0;
  cr_zero(c->dy, c->nv);
  cri_cone_add_forces(c, c->zi, c->dy);
  for (int i = 0; i < c->nrow; i++) {
    sum += c->g[i] * c->zi[i];
  }
  const cr_real size = cr_max(cri_cone_largest(c->a, c->nv), cri_cone_largest(c->g, c->nrow));
  if (!(sum < 0) || !(cri_cone_largest(c->dy, c->nv) * size * CR_R(1e6) < -sum)) {
    return false;
  }
  cr_real least = 0;
  for (int k = 0; k < c->nblock; k++) {
    const cr_real share = cri_cone_dot(c->g + c->adr[k], c->zi + c->adr[k], c->dim[k]);
    if (share < least) {
      least = share;
      c->culprit = k;
    }
  }
  return true;
}

// beyond rounding a direction has no numbers
static bool is_finite(const cri_cone* c) {
  cr_real sum = 0;
  for (int j = 0; j < c->nv; j++) {
    sum += c->dy[j];
  }
  for (int i = 0; i < c->nrow; i++) {
    sum += c->ds[i] + c->dz[i];
  }
  return isfinite(sum);
}

// Near the end the best point is kept, in x and z: where a contact touches without a force its gap and its force both go with
// the root of mu, and rounding wins before they are small. True at the end: it is good, or gets better no longer.
static bool is_exact(cri_cone* c, cr_real mu, cr_real size, bool balanced) {
  if (mu > NEAR * size * size) {
    return false;
  }
  const bool small = mu <= 100 * CR_EPS * size * size;
  const cr_real residual = cri_cone_residual(c), best = c->residual;
  if (residual < best) {
    c->residual = residual;
    cr_copy(c->x, c->y, c->nv);
    cr_copy(c->z, c->zi, c->nrow);
  }
  const bool good = balanced && residual <= CR_R(0.1) * ACCEPTED;
  const cr_real expected = residual <= ACCEPTED ? best / 2 : best;
  return small ? good || residual > expected : best < POLISHED && residual > 1000 * best;
}

// one iteration; false at the end
static bool iterate(cri_cone* c) {
  const cr_real mu = residuals(c), goal = cri_cone_target(c);
  const cr_real size = cr_max(cri_cone_largest(c->a, c->nv), cri_cone_largest(c->zi, c->nrow));
  const cr_real tolerance =
      goal > 0 ? TOLERANCE : ACCEPTED;  // Newton's steps follow an exact solve
  const bool balanced =
      cri_cone_largest(c->rd, c->nv) <= tolerance * size &&
      cri_cone_largest(c->rp, c->nrow) <= tolerance * (size + cri_cone_largest(c->g, c->nrow));
  if (goal > 0 ? balanced && is_centred(c, goal) : is_exact(c, mu, size, balanced)) {
    return false;
  }
  if (!cri_cone_barrier(c)) {
    if (c->residual < POLISHED) {
      return false;
    }
    centre_again(c, mu);
    return true;
  }
  if (mu <= 2 * goal) {
    aim(c, goal, false);
  } else if (c->iterations >= MOST_PREDICTED) {
    aim(c, cr_max(goal, mu / 4), false);  // blocks far from their mean lead predictors in circles
  } else {
    // predictor
    aim(c, 0, false);
    direction(c);
    const cr_real left = 1 - longest(c), next = cr_max(goal, mu * left * left * left);
    const bool last = goal > 0 && next <= 2 * goal;
    aim(c, last ? goal : next, !last);
  }
  direction(c);
  return is_finite(c) && advance(c);
}

// where the method ends short of a solution: whether a block is still outside its cone
static bool violates(cri_cone* c) {
  const cr_real size = cr_max(cri_cone_largest(c->a, c->nv), cri_cone_largest(c->g, c->nrow));
  cr_real worst = CR_R(1e-6) * size;
  c->culprit = -1;
  cri_cone_rows(c, c->y, c->g, c->row);
  for (int k = 0; k < c->nblock; k++) {
    const cr_real outside = -cri_cone_least(c->row + c->adr[k], c->dim[k]);
    if (outside > worst) {
      worst = outside;
      c->culprit = k;
    }
  }
  return c->culprit >= 0;
}

static cri_cone_answer finish(cri_cone* c) {
  if (proves_infeasible(c)) {
    return CRI_CONE_INFEASIBLE;
  }
  const cr_real best = c->residual;
  c->residual = cri_cone_residual(c);
  if (best < c->residual) {
    c->residual = best;
    cr_copy(c->y, c->x, c->nv);
    cr_copy(c->zi, c->z, c->nrow);
  }
  if (c->weight == 0 && c->residual < POLISHED) {
    cri_cone_polish(c);
  }
  if (!(c->residual < ACCEPTED) && violates(c)) {
    return CRI_CONE_INFEASIBLE;
  }
  give(c);
  return c->residual < ACCEPTED ? CRI_CONE_SOLVED : CRI_CONE_STALLED;
}

cri_cone_answer cri_cone_solve(cri_cone* c) {
  c->iterations = 0;
  c->culprit = -1;
  c->residual = 0;
  if (!scale_problem(c)) {
    return CRI_CONE_NOT_CONVEX;
  }
  if (begin(c) == 0) {  // nothing is in the way
    cr_zero(c->zi, c->nrow);
    cr_copy(c->si, c->rp, c->nrow);
    give(c);
    return CRI_CONE_SOLVED;
  }
  c->residual = CR_MAX;
  while (c->iterations < MOST_ITERATIONS && iterate(c)) {
    c->iterations++;
    if (c->iterations >= 10 && proves_infeasible(c)) {
      return CRI_CONE_INFEASIBLE;
    }
  }
  return finish(c);
}
