// SPDX-License-Identifier: Apache-2.0
// The armature of tendons in the joint-space inertia: a J J' each, where M has entries,
// that is for pairs of a dof and one of its ancestors. This is MuJoCo's choice too. inertia/inertia
// calls these; if no tendon has armature they do nothing.
#ifndef CR_FORCE_TENDON_INERTIA_H
#define CR_FORCE_TENDON_INERTIA_H

#include "model/data.h"

/// True if some tendon has armature. An armature of zero is none and has no derivative.
bool cri_tendon_inertia_acts(const cr_model* m);

/// M += sum over tendons of a J J'.
/// Map      (ten_J; tendon_armature, actuator_armature, actuator_gear) -> M
/// Equation M_ij += a_t J_ti J_tj, j an ancestor of i or i itself              [tendon.n1]
/// Memory   ntendon numbers of `work`'s scratch, in the derivatives 2 ntendon
void cri_tendon_inertia(const cr_model* m, const cr_data* d, cr_real* M, cr_data* work);
void cri_tendon_inertia_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
/// For all pairs of M; adds one pair a tendon with armature to the cotangent of ten_J.
void cri_tendon_inertia_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// y += that matrix times x; y is not x.
void cri_tendon_inertia_mul(const cr_model* m, const cr_data* d, cr_real* y, const cr_real* x,
                            cr_data* work);

#endif
