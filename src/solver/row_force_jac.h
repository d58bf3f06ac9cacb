// SPDX-License-Identifier: Apache-2.0
// Derivatives of the row forces at the solution: by the rows' accelerations, velocities and
// positions. For the Jacobian of a step.
#ifndef CR_SOLVER_ROW_FORCE_JAC_H
#define CR_SOLVER_ROW_FORCE_JAC_H

#include "actuator/length_jac.h"

/// f of row i changes with e of the rows of its block, and with its position r, D held:
///   f' = sum over k of F[i width + k] e'_(first + k) + by_r[i] r',   e' = (J a)' + b[i] (J v)' + e_r[i] r'
/// Equation F = df/de;  e_r = -daref/dr,  b = -daref/dvel,  by_r = df/dD dD/dr, the impedance's
///          share in both included; 0 of rows that only rub. Of connects and welds r is the length of all
///          positions, and e_r and by_r are the impedance's share alone             [step_jacobian.z1]
typedef struct {
  int width;
  cr_real *F, *by_r, *e_r, *b;
} cri_row_force_jac;

/// In nefc (width + 3) numbers of the scratch of `tan`, a tangent twin, which the caller releases.
/// Overwrites tangents of all that stages before regularisation leave.
cri_row_force_jac cri_row_force_jac_of(const cr_model* m, const cr_data* d, cr_data* tan);

/// Adds the derivatives of J' f of all rows but those of contacts and connects and welds.
/// Equation a row is a force along a length [step_jacobian.y6] of actuator/length_jac.h:
///            by_length = F e_r + by_r, by_velocity = F b, by_acceleration = F;
///          H is the curvature of its joint, tendon or coupling     [step_jacobian.z2]
/// Shapes   a[nv]
/// Memory   nv^2 + nv numbers of `work`'s scratch
/// Smooth   where the rows are
void cri_row_jac(const cr_model* m, const cr_data* d, const cri_row_force_jac* slopes,
                 const cri_curvatures* curvatures, const cr_real* a, cri_columns columns,
                 cr_data* work);

#endif
