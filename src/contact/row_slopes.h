// SPDX-License-Identifier: Apache-2.0
// Derivatives of the row forces at the solution: by the rows' accelerations, velocities and
// positions. For the Jacobian of a step.
#ifndef CR_CONTACT_ROW_SLOPES_H
#define CR_CONTACT_ROW_SLOPES_H

#include "dynamics/length_columns.h"

/// f of row i changes with e of the rows of its block, and with its position r, D held:
///   f' = sum over k of F[i width + k] e'_(first + k) + by_r[i] r',   e' = (J a)' + b[i] (J v)' + e_r[i] r'
/// Equation F = df/de;  e_r = -daref/dr,  b = -daref/dvel,  by_r = df/dD dD/dr, the impedance's
///          share in both included; 0 of rows that only rub. Of bonds r is the length of all
///          positions, and e_r and by_r are the impedance's share alone             [z1]
typedef struct {
  int width;
  cr_real *F, *by_r, *e_r, *b;
} cri_row_slopes;

/// In nefc (width + 3) numbers of the scratch of `tan`, a tangent twin, which the caller releases.
/// Overwrites tangents of all that stages before regularisation leave.
cri_row_slopes cri_row_slopes_of(const cr_model* m, const cr_data* d, cr_data* tan);

/// Adds the derivatives of J' f of all rows but those of contacts and bonds.
/// Equation a row is a force along a length [y6] of dynamics/length_columns.h:
///            by_length = F e_r + by_r, by_velocity = F b, by_acceleration = F;
///          H is the curvature of its joint, tendon or coupling                   [z2]
/// Shapes   a[nv]
/// Memory   nv^2 + nv numbers of `work`'s scratch
/// Smooth   where the rows are
void cri_row_columns(const cr_model* m, const cr_data* d, const cri_row_slopes* slopes,
                     const cri_curvatures* curvatures, const cr_real* a, cri_columns columns,
                     cr_data* work);

#endif
