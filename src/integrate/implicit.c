// SPDX-License-Identifier: Apache-2.0
// One more solve, M - hD in place of M, differentiated as the equation it solves. D changes
// with the state. Its part is a gradient of l' D r at l = w2, r = a2, the acceleration held fixed.
#include "integrate/implicit.h"

#include "engine/rounding.h"
#include "inertia/inertia.h"
#include "inertia/qderiv.h"
#include "math/lu.h"

bool cri_is_implicit(const cr_model* m) {
  return m->integrator == CR_INT_IMPLICIT || m->integrator == CR_INT_IMPLICITFAST;
}

static cri_qderiv_kind kind_of(const cr_model* m) {
  return m->integrator == CR_INT_IMPLICIT ? CR_QDERIV_ALL : CR_QDERIV_FAST;
}

static cr_pattern pattern_of(const cr_model* m) {
  return (cr_pattern){.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
}

static cr_status bad_pivot(cr_data* d, const cr_model* m, int dof) {
  int joint = m->dof_jntid[dof];
  cr_real pivot = d->implicit_L[m->M_rowadr[dof] + m->M_rownnz[dof] - 1];
  return cri_fail(
      &d->error, pivot != pivot ? CR_ERR_NONFINITE : CR_ERR_SINGULAR,
      "joint %d \"%s\", dof %d: pivot %g of the implicit integrator's matrix vanishes; a "
      "smaller timestep keeps it away from zero",
      joint, cri_name(m, m->name_jntadr, joint), dof, (double)pivot);
}

static cr_status factor(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  const cr_real* M = d->M;
  if (!d->M_formed) {
    cr_real* formed = cri_push(d, (size_t)m->nC);
    cri_inertia_form(m, d, formed, d);
    M = formed;
  }
  // M - hD
  cri_qderiv(m, d, kind_of(m), d->implicit_L, d->implicit_U, d);
  for (int k = 0; k < m->nC; k++) {
    d->implicit_L[k] = M[k] - m->timestep * d->implicit_L[k];
    d->implicit_U[k] = M[k] - m->timestep * d->implicit_U[k];
  }
  cri_pop(d, mark);
  cr_pattern p = pattern_of(m);
  int bad = cr_lu_factor(d->implicit_L, d->implicit_U, &p);
  return bad < 0 ? CR_OK : bad_pivot(d, m, bad);
}

static void solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  cr_pattern p = pattern_of(m);
  (void)work;
  cr_lu_solve(d->implicit_L, d->implicit_U, &p, x);
}

static void solve_transposed(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  cr_pattern p = pattern_of(m);
  (void)work;
  cr_lu_solve_transposed(d->implicit_L, d->implicit_U, &p, x);
}

// ---- where M loses digits: a2 = a + x, x = (M - hD)^-1 hD a

// D as cri_qderiv gives it, in scratch of `owner`
typedef struct {
  cr_real *lower, *upper;
} qderiv;

static qderiv push_qderiv(const cr_model* m, const cr_data* d, cr_data* owner) {
  qderiv D = {cri_push(owner, (size_t)m->nC), cri_push(owner, (size_t)m->nC)};
  cri_qderiv(m, d, kind_of(m), D.lower, D.upper, owner);
  return D;
}

// y += hD x, or hD' x
static void add_hD(const cr_model* m, const qderiv* D, bool transposed, const cr_real* x,
                   cr_real* y) {
  cr_pattern p = pattern_of(m);
  cr_run all = {0, m->nv};
  cr_lu_mul_many_part(D->lower, D->upper, &p, (cr_runs){1, &all}, transposed, m->timestep, 1, 1, x,
                      y);
}

// x, more exact than the difference of a2 and a
static void difference(const cr_model* m, const cr_data* d, const qderiv* D, cr_real* x) {
  cr_pattern p = pattern_of(m);
  cr_zero(x, m->nv);
  add_hD(m, D, false, d->qacc, x);
  cr_lu_solve(d->implicit_L, d->implicit_U, &p, x);
}

// sizes += |M| |x| + |hD| (|x| + |a|), the terms of (M - hD) x = hD a
static void add_sizes(const cr_model* m, const cr_data* d, const qderiv* D, const cr_real* x,
                      cr_real* sizes) {
  cr_pattern p = pattern_of(m);
  cri_noise_of_product(&p, d->M, x, sizes);
  for (int i = 0; i < m->nv; i++) {
    for (int k = p.adr[i]; k < p.adr[i] + p.nnz[i]; k++) {
      int j = p.col[k];
      cr_real below = m->timestep * cr_abs(D->lower[k]);
      cr_real above = i == j ? 0 : m->timestep * cr_abs(D->upper[k]);
      sizes[i] += below * (cr_abs(x[j]) + cr_abs(d->qacc[j]));
      sizes[j] += above * (cr_abs(x[i]) + cr_abs(d->qacc[i]));
    }
  }
}

// How far rounding in terms of these sizes moves the solution of M - hD, in units of a2 and v / h.
static cr_real moved(const cr_model* m, cr_data* d, const cr_real* sizes, const cr_real* a2) {
  size_t mark = cri_mark(d);
  cr_real* speed = cri_push(d, (size_t)m->nv);
  cri_noise_speeds(m, d, speed);
  const cri_noise n = {sizes, a2, speed, solve, solve_transposed};
  cr_real most = cri_noise_moves(m, d, &n);
  cri_pop(d, mark);
  return most;
}

static cr_real product_moved(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d);
  cr_real* sizes = cri_push(d, (size_t)m->nv);
  cr_pattern p = pattern_of(m);
  cri_noise_of_forces(m, d, sizes);
  cri_noise_of_product(&p, d->M, d->qacc, sizes);
  cri_noise_of_product(&p, d->M, d->euler_qacc, sizes);
  cr_real most = moved(m, d, sizes, d->euler_qacc);
  cri_pop(d, mark);
  return most;
}

// Rows hold a, but not a2: M - hD has none. Of (M - hD)^-1 M a, which is in euler_qacc, and a + x takes the one
// with less rounding.
static void choose(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d), v = (size_t)m->nv;
  cr_real *x = cri_push(d, v), *a2 = cri_push(d, v), *sizes = cri_push(d, v);
  qderiv D = push_qderiv(m, d, d);
  difference(m, d, &D, x);
  for (int i = 0; i < m->nv; i++) {
    a2[i] = d->qacc[i] + x[i];
  }
  cr_zero(sizes, m->nv);
  add_sizes(m, d, &D, x, sizes);
  cr_real product = product_moved(m, d), weak = moved(m, d, sizes, a2);
  d->euler_weak = weak < product;
  if (d->euler_weak) {
    cr_copy(d->euler_qacc, a2, m->nv);
  }
  d->rounding = cr_max(d->rounding, cr_min(product, weak));
  cri_pop(d, mark);
}

// ----

cr_status cri_implicit_accelerate(const cr_model* m, cr_data* d) {
  CR_TRY(factor(m, d));
  // [implicit.m1]
  cri_inertia_mul(m, d, d->euler_qacc, d->qacc, d);
  solve(m, d, d->euler_qacc, d);
  d->euler_weak = false;
  if (d->M_formed && d->rounding_dof >= 0) {
    choose(m, d);
  }
  return CR_OK;
}

void cri_implicit_taken_away(const cr_model* m, const cr_data* d, cr_data* work, cr_real* away) {
  size_t mark = cri_mark(work);
  if (d->euler_weak) {
    qderiv D = push_qderiv(m, d, work);
    difference(m, d, &D, away);
  }
  for (int i = 0; i < m->nv; i++) {
    away[i] = d->euler_weak ? -away[i] : d->qacc[i] - d->euler_qacc[i];
  }
  cri_pop(work, mark);
}

void cri_implicit_accelerate_jvp(const cr_model* m, const cr_data* d, cr_data* tan,
                                 cr_real* a2_tan) {
  size_t mark = cri_mark(tan);
  cr_real* away = cri_push(tan, (size_t)m->nv);
  cr_real* x = cri_push(tan, (size_t)m->nv);
  cr_pattern p = pattern_of(m);
  cri_implicit_taken_away(m, d, tan, away);
  // M a_tan + M_tan (a - a2) + h D_tan a2; where digits are lost hD a_tan in place of M a_tan
  cr_zero(a2_tan, m->nv);
  cri_qderiv_jvp(m, d, tan, kind_of(m), d->euler_qacc, a2_tan);
  cr_sparse_mul(x, tan->M, &p, away);
  cr_real* Ma = away;
  cri_inertia_mul(m, d, Ma, tan->qacc, tan);
  for (int i = 0; i < m->nv; i++) {
    a2_tan[i] = m->timestep * a2_tan[i] + x[i] + (d->euler_weak ? 0 : Ma[i]);
  }
  if (d->euler_weak) {
    qderiv D = push_qderiv(m, d, tan);
    add_hD(m, &D, false, tan->qacc, a2_tan);
  }
  cr_lu_solve(d->implicit_L, d->implicit_U, &p, a2_tan);
  for (int i = 0; i < m->nv && d->euler_weak; i++) {
    a2_tan[i] += tan->qacc[i];
  }
  cri_pop(tan, mark);
}

// a_bar = M w2; where digits are lost a2_bar + hD' w2, which is the same
static void pull_back(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* a2_bar,
                      const cr_real* w2, cr_real* a_bar) {
  if (!d->euler_weak) {
    cri_inertia_mul(m, d, a_bar, w2, bar);
    return;
  }
  size_t mark = cri_mark(bar);
  qderiv D = push_qderiv(m, d, bar);
  cr_copy(a_bar, a2_bar, m->nv);
  add_hD(m, &D, true, w2, a_bar);
  cri_pop(bar, mark);
}

void cri_implicit_accelerate_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                 const cr_real* a2_bar) {
  size_t mark = cri_mark(bar);
  cr_real* a_bar = cri_push(bar, (size_t)m->nv);
  cr_pattern p = pattern_of(m);
  int k = cri_pairs_add(&bar->M_pairs);
  cr_real *w2 = cri_pair_left(&bar->M_pairs, k), *away = cri_pair_right(&bar->M_pairs, k);
  // w2 = (M - hD)^-T a2_bar
  cr_copy(w2, a2_bar, m->nv);
  cr_lu_solve_transposed(d->implicit_L, d->implicit_U, &p, w2);
  // [implicit.m1]' a_bar += M w2, M_bar += w2 (x) (a - a2), D_bar += h w2 (x) a2
  pull_back(m, d, bar, a2_bar, w2, a_bar);
  for (int i = 0; i < m->nv; i++) {
    bar->qacc[i] += a_bar[i];
  }
  cri_implicit_taken_away(m, d, bar, away);
  cri_qderiv_vjp(m, d, bar, kind_of(m), w2, d->euler_qacc, m->timestep);
  cri_pop(bar, mark);
}
