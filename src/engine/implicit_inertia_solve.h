// SPDX-License-Identifier: Apache-2.0
// The effective mass matrix of the acceleration: the inertia M, or with the integrator discrete the implicit
// inertia. There free bodies that nothing touches also have the derivative of their bias force, so that
// fast spins gain no energy. The acceleration stage sees one matrix A, symmetric or not.
#ifndef CR_ENGINE_IMPLICIT_INERTIA_SOLVE_H
#define CR_ENGINE_IMPLICIT_INERTIA_SOLVE_H

#include "solver/contact_model.h"

/// Marks in efm_free the trees that are a free body and that no row (where its Jacobian is not zero; from
/// 60 dofs on also where it may be another), tendon or actuator of the implicit inertia touches. True if there are any. Part of cri_implicit_inertia_prepare.
bool cri_implicit_inertia_mark_free(const cr_model* m, cr_data* d);

/// True if forward marked any.
bool cri_implicit_inertia_any_free(const cr_model* m, const cr_data* d);

/// Prepares the solves: nothing with M; else the factors of the implicit inertia, with its
/// values in `value` (d->nefmL numbers), and of the free bodies' blocks.
/// Equation A = Mhat; of those bodies A = Mhat + h dc/dv, c the bias force  [discrete.a4]
/// Saves    efm_L, efm_index, efm_free; implicit_L, implicit_U
/// Errors   CR_ERR_SINGULAR, CR_ERR_CAPACITY
cr_status cri_implicit_inertia_prepare(const cr_model* m, cr_data* d, cr_real* value);

/// The symmetric part, for the contact model; no row touches the rest.
cr_mass_view cri_implicit_inertia_view_of(const cr_model* m, const cr_data* d, const cr_real* value,
                                          const cr_real* tau);

/// x = Mhat^-1 x: this is A^-1 x, except for free bodies.
/// `trees`: only the dofs of these, which nothing couples to others.
void cri_implicit_inertia_solve_part(const cr_model* m, const cr_data* d, cr_runs trees, cr_real* x,
                                     cr_data* work);
void cri_implicit_inertia_solve(const cr_model* m, const cr_data* d, cr_real* x, cr_data* work);

/// Replaces the free bodies' part of a solution x of Mhat x = b or H x = b by the part of A^-1 b, or
/// A^-T b.
void cri_implicit_inertia_free(const cr_model* m, const cr_data* d, const cr_real* b, cr_real* x,
                               bool transposed, cr_data* work);

/// y = A x; for free bodies, whose part is solved already, y = rest.
void cri_implicit_inertia_mul_beside(const cr_model* m, const cr_data* d, cr_real* y,
                                     const cr_real* x, const cr_real* rest);

/// y = (tangent of A) x, x fixed; of Mhat if `whole` is false.
void cri_implicit_inertia_solve_jvp(const cr_model* m, const cr_data* d, cr_data* tan, bool whole,
                                    cr_real* y, const cr_real* x);

/// Adds the gradient of -w' A a, w and a fixed; of Mhat if `whole` is false.
void cri_implicit_inertia_solve_vjp(const cr_model* m, const cr_data* d, cr_data* bar, bool whole,
                                    const cr_real* w, const cr_real* a);

#endif
