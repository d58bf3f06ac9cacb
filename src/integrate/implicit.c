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

// How far rounding moves a2, in units of a2 and v / h. Rows hold a, but not a2: M - hD has none.
static void estimate_rounding(const cr_model* m, cr_data* d) {
  size_t mark = cri_mark(d), v = (size_t)m->nv;
  cr_real *sizes = cri_push(d, v), *speed = cri_push(d, v);
  cr_pattern p = pattern_of(m);
  cri_noise_of_forces(m, d, sizes);
  cri_noise_of_product(&p, d->M, d->qacc, sizes);
  cri_noise_of_product(&p, d->M, d->euler_qacc, sizes);
  cri_noise_speeds(m, d, speed);
  const cri_noise n = {sizes, d->euler_qacc, speed, solve, solve_transposed};
  d->rounding = cr_max(d->rounding, cri_noise_moves(m, d, &n));
  cri_pop(d, mark);
}

cr_status cri_implicit_accelerate(const cr_model* m, cr_data* d) {
  CR_TRY(factor(m, d));
  // [implicit.m1]
  cri_inertia_mul(m, d, d->euler_qacc, d->qacc, d);
  solve(m, d, d->euler_qacc, d);
  if (d->M_formed && d->rounding_dof >= 0) {
    estimate_rounding(m, d);
  }
  return CR_OK;
}

void cri_implicit_accelerate_jvp(const cr_model* m, const cr_data* d, cr_data* tan,
                                 cr_real* a2_tan) {
  size_t mark = cri_mark(tan);
  cr_real* away = cri_push(tan, (size_t)m->nv);
  cr_real* x = cri_push(tan, (size_t)m->nv);
  cr_pattern p = pattern_of(m);
  for (int i = 0; i < m->nv; i++) {
    away[i] = d->qacc[i] - d->euler_qacc[i];
  }
  // M a_tan + M_tan (a - a2) + h D_tan a2
  cr_zero(a2_tan, m->nv);
  cri_qderiv_jvp(m, d, tan, kind_of(m), d->euler_qacc, a2_tan);
  cr_sparse_mul(x, tan->M, &p, away);
  cri_inertia_mul(m, d, away, tan->qacc, tan);
  for (int i = 0; i < m->nv; i++) {
    a2_tan[i] = m->timestep * a2_tan[i] + x[i] + away[i];
  }
  cr_lu_solve(d->implicit_L, d->implicit_U, &p, a2_tan);
  cri_pop(tan, mark);
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
  cri_inertia_mul(m, d, a_bar, w2, bar);
  for (int i = 0; i < m->nv; i++) {
    bar->qacc[i] += a_bar[i];
    away[i] = d->qacc[i] - d->euler_qacc[i];
  }
  cri_qderiv_vjp(m, d, bar, kind_of(m), w2, d->euler_qacc, m->timestep);
  cri_pop(bar, mark);
}
