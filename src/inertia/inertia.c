// SPDX-License-Identifier: Apache-2.0
// M has three uses: solves, products (one sweep) and, in the constraint solver,
// single entries (composite bodies). Only the last needs a matrix. A solve uses
// articulated bodies, in time linear in the dofs however deep the tree. In shallow trees the matrix
// is cheaper, its forming included, and models of many joints are shallow, since limbs branch.
// Its derivative is never a matrix: d(l' M r) is the power that the body motions of l and r
// exchange through the changes of the bodies' inertias and of the axes.
#include "inertia/inertia.h"

#include "force/reflected.h"
#include "force/tendon_inertia.h"
#include "inertia/articulated.h"
#include "kinematics/tree.h"
#include "math/cholesky.h"
#include "model/schedule.h"

// [inertia.i1] crb_b = sum of cinert over the subtree of b
static void composite(const cr_model* m, const cr_real* cinert, cr_real* crb) {
  cr_copy(crb, cinert, 10 * m->nbody);
  cri_tree_gather(m, crb, 10);
}

// [inertia.i2] M_ij = s_j . (crb s_i), [inertia.i3] M_ii += armature_i, actuators' included
static void form(const cr_model* m, const cr_real* crb, const cr_real* cdof,
                 const cr_real* armature, cr_real* M) {
  for (int i = 0; i < m->nv; i++) {
    cr_real* row = M + m->M_rowadr[i];
    const int32_t* column = m->M_colind + m->M_rowadr[i];
    int diagonal = m->M_rownnz[i] - 1;
    cr_real f[6];
    cr_inertia_mul(f, crb + 10 * m->dof_bodyid[i], cdof + 6 * i);
    for (int k = 0; k <= diagonal; k++) {
      row[k] = cr_dot6(cdof + 6 * column[k], f);
    }
    row[diagonal] += armature[i];
  }
}

// cotangent of l' M r, V and F scratch of 12 numbers a body: (motion of l, motion of r) and the
// forces for these motions
static void pair_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* l,
                     const cr_real* r, cr_real* V, cr_real* F) {
  // l' M r = sum_b V_l . cinert_b V_r + sum_j armature_j l_j r_j
  cr_zero(V, 12);
  for (int b = 1; b < m->nbody; b++) {
    cr_real* Vb = V + 12 * b;
    const cr_real* Vp = V + 12 * m->body_parentid[b];
    cri_tree_motion(Vb, m, b, Vp, d->cdof, l);
    cri_tree_motion(Vb + 6, m, b, Vp + 6, d->cdof, r);
    if (cri_tree_moves(m, b)) {
      // [inertia.i1]' cinert_bar
      cr_inertia_bar(bar->cinert + 10 * b, Vb, Vb + 6, 1);
      cr_inertia_mul(F + 12 * b, d->cinert + 10 * b, Vb);
      cr_inertia_mul(F + 12 * b + 6, d->cinert + 10 * b, Vb + 6);
    }
  }
  cri_tree_gather(m, F, 12);
  for (int j = 0; j < m->nv; j++) {
    // [inertia.i2]' cdof_bar_j = l_j F_r + r_j F_l
    const cr_real* Fb = F + 12 * m->dof_bodyid[j];
    cr_accscl6(bar->cdof + 6 * j, Fb + 6, l[j]);
    cr_accscl6(bar->cdof + 6 * j, Fb, r[j]);
  }
}

static void multiply(const cr_model* m, const cr_data* d, cr_real* y, const cr_real* x,
                     cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* sum = cri_push(work, (size_t)m->nv);
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_sparse_mul(sum, d->M, &p, x);
  cr_copy(y, sum, m->nv);
  cri_pop(work, mark);
}

void cri_inertia_mul(const cr_model* m, const cr_data* d, cr_real* y, const cr_real* x,
                     cr_data* work) {
  if (d->M_changed) {
    multiply(m, d, y, x, work);
    return;
  }
  size_t mark = cri_mark(work);
  cr_real* V = cri_push(work, 6 * (size_t)m->nbody);
  cr_real* F = cri_push(work, 6 * (size_t)m->nbody);
  cr_zero6(V);
  cri_tree_motions(m, d->cdof, x, V);
  for (int b = 1; b < m->nbody; b++) {
    if (cri_tree_moves(m, b)) {
      cr_inertia_mul(F + 6 * b, d->cinert + 10 * b, V + 6 * b);
    }
  }
  cri_tree_gather(m, F, 6);
  cr_real* armature = cri_push(work, (size_t)m->nv);
  cri_reflected_armature(m, armature);
  for (int i = 0; i < m->nv; i++) {
    armature[i] = cr_dot6(d->cdof + 6 * i, F + 6 * m->dof_bodyid[i]) + armature[i] * x[i];
  }
  // [inertia.i4]
  cri_tendon_inertia_mul(m, d, armature, x, work);
  cr_copy(y, armature, m->nv);
  cri_pop(work, mark);
}

// M, and the composite inertias on the way
static void form_with(const cr_model* m, const cr_data* d, cr_real* crb, cr_real* M,
                      cr_data* work) {
  size_t mark = cri_mark(work);
  cr_real* armature = cri_push(work, (size_t)m->nv);
  composite(m, d->cinert, crb);
  cri_reflected_armature(m, armature);
  form(m, crb, d->cdof, armature, M);
  // [inertia.i4]
  cri_tendon_inertia(m, d, M, work);
  cri_pop(work, mark);
}

void cri_inertia_form(const cr_model* m, const cr_data* d, cr_real* M, cr_data* work) {
  if (d->M_changed) {
    cr_copy(M, d->M, m->nC);
    return;
  }
  size_t mark = cri_mark(work);
  form_with(m, d, cri_push(work, 10 * (size_t)m->nbody), M, work);
  cri_pop(work, mark);
}

// ---- the factor

// Mean length of M's rows up to which its Cholesky factor costs less than that of articulated bodies
// even if M has to be formed for it (measured: a chain of 23 hinges takes the same time by both).
enum { SHALLOW = 12 };

static bool is_shallow(const cr_model* m) {
  return m->nC <= SHALLOW * m->nv || cri_tendon_inertia_acts(m);
}

bool cri_inertia_by_matrix(const cr_model* m, const cr_data* d) {
  return is_shallow(m) || d->M_changed;
}

static cr_status bad_pivot(cr_error* error, const cr_model* m, int dof, cr_real pivot) {
  int joint = m->dof_jntid[dof];
  return cri_fail(error, pivot != pivot ? CR_ERR_NONFINITE : CR_ERR_SINGULAR,
                  "joint %d \"%s\", dof %d: inertia %g is not positive; give the bodies that it "
                  "moves mass and inertia, or the joint armature",
                  joint, cri_name(m, m->name_jntadr, joint), dof, (double)pivot);
}

static cr_status factor_matrix(const cr_model* m, const cr_data* d, const cr_real* extra,
                               cri_factors f, cr_data* work) {
  cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
  cr_copy(f.L, d->M, m->nC);
  for (int i = 0; extra != NULL && i < m->nv; i++) {
    f.L[m->M_rowadr[i] + m->M_rownnz[i] - 1] += extra[i];
  }
  int bad = cr_chol_factor(f.L, &p);
  if (bad >= 0) {
    return bad_pivot(&work->error, m, bad, f.L[m->M_rowadr[bad] + m->M_rownnz[bad] - 1]);
  }
  for (int i = 0; i < m->nv; i++) {
    cr_real inverse = f.L[m->M_rowadr[i] + m->M_rownnz[i] - 1];
    f.Dinv[i] = inverse * inverse;
    if (!(f.Dinv[i] <= 1 / CR_MINVAL)) {
      return bad_pivot(&work->error, m, i, 1 / f.Dinv[i]);
    }
  }
  return CR_OK;
}

cr_status cri_inertia_factor(const cr_model* m, const cr_data* d, const cr_real* extra,
                             cri_factors f, cr_data* work) {
  if (cri_inertia_by_matrix(m, d)) {
    return factor_matrix(m, d, extra, f, work);
  }
  size_t mark = cri_mark(work);
  cr_real* diag = cri_push(work, (size_t)m->nv);
  cri_reflected_armature(m, diag);
  for (int i = 0; extra != NULL && i < m->nv; i++) {
    diag[i] += extra[i];
  }
  cr_status status = cri_articulated_factor(m, d, diag, f.U, f.Dinv, work);
  cri_pop(work, mark);
  return status;
}

void cri_inertia_solve_part(const cr_model* m, const cr_data* d, cri_factors f, cr_runs trees,
                            cr_real* x, cr_data* work) {
  if (cri_inertia_by_matrix(m, d)) {
    cr_pattern p = {.n = m->nv, .nnz = m->M_rownnz, .adr = m->M_rowadr, .col = m->M_colind};
    cr_chol_solve_part(f.L, &p, trees, x);
  } else {
    cri_articulated_solve_part(m, d->cdof, f.U, f.Dinv, trees, x, work);
  }
}

void cri_inertia_solve(const cr_model* m, const cr_data* d, cri_factors f, cr_real* x,
                       cr_data* work) {
  cr_run all = {0, m->nv};
  cri_inertia_solve_part(m, d, f, (cr_runs){1, &all}, x, work);
}

// ---- the stage

// a correction changes entries, if only by 0: then everything goes its usual way
static bool is_corrected(const cr_model* m) {
  return m->schedule != NULL && m->schedule->changes_M;
}

cr_status cr_inertia(const cr_model* m, cr_data* d) {
  d->M_changed = false;
  d->M_formed = d->want_M || d->nefc > 0 || m->integrator == CR_INT_DISCRETE || is_shallow(m);
  if (d->M_formed || is_corrected(m)) {
    form_with(m, d, d->crb, d->M, d);
  }
  return cri_inertia_factor(m, d, NULL, cri_factors_of_M(d), d);
}

cr_status cr_inertia_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  size_t mark = cri_mark(tan), size = 10 * (size_t)m->nbody;
  cr_real* crb_tan = cri_push(tan, size);
  cr_real* armature_tan = cri_push(tan, (size_t)m->nv);
  const cr_real* crb = d->crb;
  if (!d->M_formed) {
    cr_real* again = cri_push(tan, size);
    composite(m, d->cinert, again);
    crb = again;
  }
  // [inertia.i1]
  composite(m, tan->cinert, crb_tan);
  cri_reflected_armature_jvp(m, tan, armature_tan);
  for (int i = 0; i < m->nv; i++) {
    cr_real* row = tan->M + m->M_rowadr[i];
    const int32_t* column = m->M_colind + m->M_rowadr[i];
    int b = m->dof_bodyid[i], diagonal = m->M_rownnz[i] - 1;
    // [inertia.i2] f = crb s_i
    cr_real f[6], f_tan[6], turned[6];
    cr_inertia_mul(f, crb + 10 * b, d->cdof + 6 * i);
    cr_inertia_mul(f_tan, crb_tan + 10 * b, d->cdof + 6 * i);
    cr_inertia_mul(turned, crb + 10 * b, tan->cdof + 6 * i);
    cr_acc6(f_tan, turned);
    for (int k = 0; k <= diagonal; k++) {
      int j = 6 * column[k];
      row[k] = cr_dot6(tan->cdof + j, f) + cr_dot6(d->cdof + j, f_tan);
    }
    // [inertia.i3]
    row[diagonal] += armature_tan[i];
  }
  // [inertia.i4]
  cri_tendon_inertia_jvp(m, d, tan);
  cri_pop(tan, mark);
  return CR_OK;
}

cr_status cr_inertia_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  size_t mark = cri_mark(bar), size = 12 * (size_t)m->nbody;
  cr_real* V = cri_push(bar, size);
  cr_real* F = cri_push(bar, size);
  cr_real* armature_bar = cri_push(bar, (size_t)m->nv);
  cr_zero(armature_bar, m->nv);
  for (int k = 0; k < bar->M_pairs.n; k++) {
    const cr_real *l = cri_pair_left(&bar->M_pairs, k), *r = cri_pair_right(&bar->M_pairs, k);
    pair_vjp(m, d, bar, l, r, V, F);
    for (int j = 0; j < m->nv; j++) {
      armature_bar[j] += l[j] * r[j];
    }
  }
  // [inertia.i4]'
  cri_tendon_inertia_vjp(m, d, bar);
  // [inertia.i3]'
  cri_reflected_armature_vjp(m, bar, armature_bar);
  cri_pop(bar, mark);
  return CR_OK;
}
