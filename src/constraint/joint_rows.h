// SPDX-License-Identifier: Apache-2.0
// Rows of single joints: friction loss of their dofs, and their limits.
//   docs/derivations/constraint.md [constraint.k1], [constraint.k2]
#ifndef CR_CONSTRAINT_JOINT_ROWS_H
#define CR_CONSTRAINT_JOINT_ROWS_H

#include "constraint/rows.h"

/// [constraint.k1] One row for every dof with friction loss. The derivatives begin at row i, and return the row
/// after the last.
void cri_joint_friction(const cr_model* m, cr_data* d, cri_rows_needed* need);
int cri_joint_friction_jvp(const cr_model* m, cr_data* tan, int i);
int cri_joint_friction_vjp(const cr_model* m, cr_data* bar, int i);

/// [constraint.k2] One row for every active limit, the lower before the upper. tan->efc_J is zero before.
void cri_joint_limits(const cr_model* m, cr_data* d, cri_rows_needed* need);
int cri_joint_limits_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i);
int cri_joint_limits_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i);

#endif
