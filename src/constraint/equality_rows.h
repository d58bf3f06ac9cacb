// SPDX-License-Identifier: Apache-2.0
// Rows of active equality constraints, from the connects, welds and couplings of constraint/equality.h.
//   docs/derivations/constraint.md [constraint.k7], [constraint.k8]
#ifndef CR_CONSTRAINT_EQUALITY_ROWS_H
#define CR_CONSTRAINT_EQUALITY_ROWS_H

#include "constraint/row_jacobian.h"
#include "constraint/rows.h"
#include "constraint/tendon_rows.h"

/// Rows of all active constraints, in their order; J is the rate of the residual, the impedance of
/// all rows of a connect or weld that of the residual's length.
void cri_equality_add(const cr_model* m, cr_data* d, cri_rows_needed* need);
void cri_equality_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Couplings pass their rows on to joints and tendons, connects and welds to the motions of bodies.
void cri_equality_couplings_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                const cri_tendon_pairs* pairs);
void cri_equality_connect_weld_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                   const cri_operator_sweep* sweep);

#endif
