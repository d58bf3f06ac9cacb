// SPDX-License-Identifier: Apache-2.0
// The implicit inertia of the integrator discrete,
//   Mhat = M + efm_fluid + diag(efm_dof) + J' diag(efm_tendon) J + A' diag(efm_actuator) A,
// as a sparse matrix with its factor, and its derivative as products.  docs/derivations/discrete.md
#ifndef CR_INERTIA_IMPLICIT_INERTIA_H
#define CR_INERTIA_IMPLICIT_INERTIA_H

#include "math/cholesky.h"
#include "model/data.h"

/// True if the model uses it.
static inline bool cri_is_discrete(const cr_model* m) { return m->integrator == CR_INT_DISCRETE; }

/// Its pattern, closed under elimination, stored in d->efm_index.
static inline cr_pattern cri_implicit_inertia_pattern(const cr_model* m, const cr_data* d) {
  return cr_chol_pattern_view(m->nv, d->efm_index);
}

/// Makes efm_index, the matrix in `value` and its factor in efm_L. d->M is formed.
/// Shapes   value[d->nefmL]
/// Errors   CR_ERR_CAPACITY: the data were made for another integrator; CR_ERR_SINGULAR
cr_status cri_implicit_inertia_factor(const cr_model* m, cr_data* d, cr_real* value);

/// W_j = (Mhat - M - efm_fluid)_jj, the contribution of joints, tendons and actuators to the diagonal.
void cri_implicit_inertia_diagonal(const cr_model* m, const cr_data* d, cr_real* W);
void cri_implicit_inertia_diagonal_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                                       cr_real* W_tan);
/// Adds its cotangent to those of the weights, and one pair a row to ten_J and actuator_moment.
void cri_implicit_inertia_diagonal_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                       const cr_real* W_bar);

/// y += (Mhat - M) x.
void cri_implicit_inertia_add(const cr_model* m, const cr_data* d, const cr_real* x, cr_real* y);

/// y += (tangent of Mhat - M) x, x fixed.
void cri_implicit_inertia_jvp(const cr_model* m, const cr_data* d, const cr_data* tan,
                              const cr_real* x, cr_real* y);

/// Adds the gradient of l' (Mhat - M) r, l and r fixed.
void cri_implicit_inertia_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* l,
                              const cr_real* r);

#endif
