// SPDX-License-Identifier: Apache-2.0
// The derivative of the product of D of inertia/qderiv with a held vector, by coordinates,
// velocities, activations and controls. For the Jacobian of a step of the implicit integrators.
#ifndef CR_INERTIA_QDERIV_JAC_H
#define CR_INERTIA_QDERIV_JAC_H

#include "actuator/length_jac.h"
#include "inertia/qderiv.h"

/// Where the derivatives of D r go, each times `scale`: columns.q, columns.v. columns.out has, per
/// output, the derivative by the slope c of its actuator. The activation and the control of
/// actuator i change c by by_act[i] and by_ctrl[i].
typedef struct {
  cri_columns columns;
  cr_real scale;
  cr_real *by_act, *by_ctrl;
} cri_qderiv_jac;

/// Adds them.
/// Equation dampers [qderiv.d1]: -bend(v_i) r_i;  rows a of actuators and tendons [qderiv.d2], [qderiv.d5], within M's
///          pattern: (a_i c w_i)' with w_i = sum over j of a_j r_j, c of length and velocity too; bias
///          force [qderiv.d4], quadratic in v: half the difference of its columns at v + r and v - r  [step_jacobian.y8]
/// Shapes   r[nv]
/// Memory   scratch of `tan`: nout + 5 ntendon + 6 nv and four times that of cri_body_jac
/// Smooth   where D is
void cri_qderiv_jac_add(const cr_model* m, const cr_data* d, cri_qderiv_kind kind, const cr_real* r,
                        const cri_curvatures* curvatures, const cri_qderiv_jac* to, cr_data* tan);

/// True if D has this form; if not, *why names a part that does not.
bool cri_qderiv_has_jac(const cr_model* m, const char** why);

#endif
