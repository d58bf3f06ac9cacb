// SPDX-License-Identifier: Apache-2.0
// Solves with the effective mass matrix, see implicit_inertia_solve.h.
#include "engine/implicit_inertia_solve.h"

#include "inertia/implicit_inertia.h"
#include "inertia/inertia.h"
#include "inertia/qderiv.h"
#include "math/lu.h"

static cr_pattern pattern_of(const cr_model* m) {
  return (cr_pattern){.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
}

// ---- free bodies that nothing touches

static bool is_free(const cr_model* m, int tree) {
  int joint = m->dof_jntid[m->tree_dofadr[tree]];
  return m->tree_dofnum[tree] == 6 && m->jnt_type[joint] == CR_JNT_FREE;
}

static void touch(const cr_model* m, cr_data* d, const int32_t* col, int n) {
  for (int k = 0; k < n; k++) {
    d->efm_free[m->dof_treeid[col[k]]] = 0;
  }
}

// From so many dofs on MuJoCo stores rows without dofs that cannot move, and counts everything it stores as moved
enum { SPARSE_FROM = 60 };

// A row touches the bodies that it moves. For a tendon that passes a body without wrapping round it, the entry of that
// body in the row is zero.
static void touch_moved(const cr_model* m, cr_data* d, int row) {
  for (int k = d->efc_J_rowadr[row]; k < d->efc_J_rowadr[row] + d->efc_J_rownnz[row]; k++) {
    if (d->efc_J[k] != 0 || m->nv >= SPARSE_FROM) {
      touch(m, d, d->efc_J_colind + k, 1);
    }
  }
}

bool cri_implicit_inertia_mark_free(const cr_model* m, cr_data* d) {
  bool any = false;
  for (int t = 0; t < m->ntree; t++) {
    d->efm_free[t] = m->tree_dofnum[t] > 0 && is_free(m, t);
  }
  for (int i = 0; i < d->nefc; i++) {
    touch_moved(m, d, i);
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (d->efm_tendon[t] != 0) {
      touch(m, d, m->ten_J_colind + m->ten_J_rowadr[t], m->ten_J_rownnz[t]);
    }
  }
  for (int o = 0; o < m->nout; o++) {
    if (d->efm_actuator[o] != 0) {
      touch(m, d, d->moment_colind + d->moment_rowadr[o], d->moment_rownnz[o]);
    }
  }
  for (int t = 0; t < m->ntree; t++) {
    any = any || d->efm_free[t] != 0;
  }
  return any;
}

// [discrete.a4] A of free bodies, one matrix of everything else, and its factors
static cr_status factor_free(const cr_model* m, cr_data* d) {
  cr_pattern p = pattern_of(m);
  cri_bias_qderiv(m, d, d->efm_free, d->implicit_L, d->implicit_U, d);
  for (int i = 0; i < m->nv; i++) {
    int diagonal = m->M_rowadr[i] + m->M_rownnz[i] - 1;
    bool is_free_dof = d->efm_free[m->dof_treeid[i]] != 0;
    for (int k = m->M_rowadr[i]; k <= diagonal; k++) {
      cr_real Mhat = d->M[k] + d->efm_fluid[k] + (k == diagonal ? d->efm_dof[i] : 0);
      d->implicit_L[k] = is_free_dof ? Mhat - m->timestep * d->implicit_L[k] : 0;
      d->implicit_U[k] = is_free_dof ? Mhat - m->timestep * d->implicit_U[k] : 0;
    }
    d->implicit_L[diagonal] += is_free_dof ? 0 : 1;
  }
  int bad = cr_lu_factor(d->implicit_L, d->implicit_U, &p);
  if (bad >= 0) {
    int joint = m->dof_jntid[bad];
    return cri_fail(&d->error, CR_ERR_SINGULAR,
                    "joint %d \"%s\", dof %d: its effective inertia vanishes; a smaller timestep "
                    "keeps it away from zero",
                    joint, cri_name(m, m->name_jntadr, joint), bad);
  }
  return CR_OK;
}

bool cri_implicit_inertia_any_free(const cr_model* m, const cr_data* d) {
  for (int t = 0; t < m->ntree && cri_is_discrete(m); t++) {
    if (d->efm_free[t] != 0) {
      return true;
    }
  }
  return false;
}

void cri_implicit_inertia_free(const cr_model* m, const cr_data* d, const cr_real* b, cr_real* x,
                               bool transposed, cr_data* work) {
  if (!cri_implicit_inertia_any_free(m, d)) {
    return;
  }
  size_t mark = cri_mark(work);
  cr_real* y = cri_push(work, (size_t)m->nv);
  cr_pattern p = pattern_of(m);
  cr_copy(y, b, m->nv);
  if (transposed) {
    cr_lu_solve_transposed(d->implicit_L, d->implicit_U, &p, y);
  } else {
    cr_lu_solve(d->implicit_L, d->implicit_U, &p, y);
  }
  for (int i = 0; i < m->nv; i++) {
    x[i] = d->efm_free[m->dof_treeid[i]] != 0 ? y[i] : x[i];
  }
  cri_pop(work, mark);
}

// ---- all of it

cr_status cri_implicit_inertia_prepare(const cr_model* m, cr_data* d, cr_real* value) {
  if (!cri_is_discrete(m)) {
    return CR_OK;
  }
  CR_TRY(cri_implicit_inertia_factor(m, d, value));
  return cri_implicit_inertia_mark_free(m, d) ? factor_free(m, d) : CR_OK;
}

cr_mass_view cri_implicit_inertia_view_of(const cr_model* m, const cr_data* d, const cr_real* value,
                                          const cr_real* tau) {
  if (cri_is_discrete(m)) {
    return (cr_mass_view){value, cri_implicit_inertia_pattern(m, d), false, tau,
                          cri_implicit_inertia_solve};
  }
  return (cr_mass_view){d->M, pattern_of(m), true, tau, cri_implicit_inertia_solve};
}

void cri_implicit_inertia_solve_part(const cr_model* m, const cr_data* d, cr_runs trees, cr_real* x,
                                     cr_data* work) {
  if (cri_is_discrete(m)) {
    cr_pattern p = cri_implicit_inertia_pattern(m, d);
    cr_chol_solve_part(d->efm_L, &p, trees, x);
  } else {
    cri_inertia_solve_part(m, d, cri_factors_of_M(d), trees, x, work);
  }
}

void cri_implicit_inertia_solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work) {
  cr_run all = {0, m->nv};
  cri_implicit_inertia_solve_part(m, d, (cr_runs){1, &all}, x, work);
}

void cri_implicit_inertia_mul_beside(const cr_model* m, const cr_data* d, cr_real* y,
                                     const cr_real* x, const cr_real* rest) {
  cr_pattern p = pattern_of(m);
  cr_sparse_mul(y, d->M, &p, x);
  if (!cri_is_discrete(m)) {
    return;
  }
  cri_implicit_inertia_add(m, d, x, y);
  for (int i = 0; i < m->nv; i++) {
    y[i] = d->efm_free[m->dof_treeid[i]] != 0 ? rest[i] : y[i];
  }
}

void cri_implicit_inertia_solve_jvp(const cr_model* m, const cr_data* d, cr_data* tan, bool whole,
                                    cr_real* y, const cr_real* x) {
  cr_pattern p = pattern_of(m);
  cr_sparse_mul(y, tan->M, &p, x);
  if (!cri_is_discrete(m)) {
    return;
  }
  cri_implicit_inertia_jvp(m, d, tan, x, y);
  if (whole && cri_implicit_inertia_any_free(m, d)) {
    size_t mark = cri_mark(tan);
    cr_real* turned = cri_push(tan, (size_t)m->nv);
    cr_zero(turned, m->nv);
    cri_bias_qderiv_jvp(m, d, tan, d->efm_free, x, turned);
    for (int i = 0; i < m->nv; i++) {
      y[i] -= m->timestep * turned[i];
    }
    cri_pop(tan, mark);
  }
}

void cri_implicit_inertia_solve_vjp(const cr_model* m, const cr_data* d, cr_data* bar, bool whole,
                                    const cr_real* w, const cr_real* a) {
  int pair = cri_pairs_add(&bar->M_pairs);
  cr_real *l = cri_pair_left(&bar->M_pairs, pair), *r = cri_pair_right(&bar->M_pairs, pair);
  for (int i = 0; i < m->nv; i++) {
    l[i] = -w[i];
  }
  cr_copy(r, a, m->nv);
  if (cri_is_discrete(m)) {
    cri_implicit_inertia_vjp(m, d, bar, l, r);
  }
  if (whole && cri_implicit_inertia_any_free(m, d)) {
    cri_bias_qderiv_vjp(m, d, bar, d->efm_free, l, r, -m->timestep);
  }
}
