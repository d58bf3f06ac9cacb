// SPDX-License-Identifier: Apache-2.0
// The joint-space inertia M. It is always available as a factor: of articulated bodies in deep trees, of the
// matrix in shallow ones. The sparse matrix itself is formed only where it is needed.
#ifndef CR_INERTIA_INERTIA_H
#define CR_INERTIA_INERTIA_H

#include "math/runs.h"
#include "model/data.h"

/// Joint-space inertia and its factor.
/// Map      (cinert, cdof, ten_J, dof_armature, tendon_armature, actuator_armature, actuator_gear) ->
///          M, art_U, art_Dinv, M_L
/// Equation M = S' I S + diag(armature, force/reflected.h) + force/tendon_inertia:
///          M_ij = s_j . (Ic_b s_i), j an ancestor of i or i itself, Ic_b the inertia of the subtree
///          of i's body [Featherstone (2008), 6.2, composite rigid bodies]; the factor is
///          cri_inertia_factor's. docs/derivations/inertia.md i1-i4
/// Shapes   M[nC], lower triangle, rows by M_rownnz, M_rowadr, M_colind, diagonal last
/// Units    M kg | kg m | kg m^2
/// Saves    crb, when M is formed: for the factor, with want_M, or where constraint rows exist; then
///          M_formed. Also for corrections of entries, which set M_changed
/// Errors   CR_ERR_SINGULAR, CR_ERR_NONFINITE of the factor; sentence in d->error
/// Smooth   everywhere
cr_status cr_inertia(const cr_model* m, cr_data* d);

/// Tangent of M, whether or not forward formed M: every entry of the rows.
cr_status cr_inertia_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Consumes bar->M_pairs: the pair (l, r) is the cotangent of l' M r. Linear in bodies x pairs.
cr_status cr_inertia_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// A factor of M + diag(extra): (U, Dinv) of articulated bodies (inertia/articulated),
/// or (L, Dinv), a Cholesky factor (math/cholesky), Dinv the inverse squares of its diagonal.
typedef struct {
  cr_real *U, *Dinv, *L;
} cri_factors;

static inline cri_factors cri_factors_of_M(const cr_data* d) {
  return (cri_factors){d->art_U, d->art_Dinv, d->M_L};
}

/// True if the factor is of the matrix, which the stage then always forms: trees are shallow, or
/// tendons have armature, whose entries do not belong to articulated bodies, or a correction has changed entries.
bool cri_inertia_by_matrix(const cr_model* m, const cr_data* d);

/// Factor of M + diag(extra), extra[nv], NULL for none.
/// Reads    M, if the factor is of the matrix
/// Errors   CR_ERR_SINGULAR, CR_ERR_NONFINITE; sentence in work->error
cr_status cri_inertia_factor(const cr_model* m, const cr_data* d, const cr_real* extra,
                             cri_factors f, cr_data* work);

/// x = (M + diag(extra))^-1 x with that factor; the matrix is symmetric. `trees`: only the dofs of these
/// whole trees.
void cri_inertia_solve_part(const cr_model* m, const cr_data* d, cri_factors f, cr_runs trees,
                            cr_real* x, cr_data* work);
void cri_inertia_solve(const cr_model* m, const cr_data* d, cri_factors f, cr_real* x,
                       cr_data* work);

/// y = M x by one sweep over cinert, cdof and armature; M need not be formed. With M itself where a correction
/// has changed entries.
/// Shapes   x[nv], y[nv]; y may be x
/// Memory   12 numbers a body and nv + ntendon of `work`'s scratch; `work` may be d itself
void cri_inertia_mul(const cr_model* m, const cr_data* d, cr_real* y, const cr_real* x,
                     cr_data* work);

/// The matrix M itself, if the stage did not form it.
/// Shapes   M[nC]
/// Memory   10 numbers a body and nv + ntendon of `work`'s scratch; `work` may be d itself
void cri_inertia_form(const cr_model* m, const cr_data* d, cr_real* M, cr_data* work);

#endif
