// SPDX-License-Identifier: Apache-2.0
// Numbers of a connect or weld between bodies that follow from the pose in which it was assembled, qpos0: the
// anchor in the other body, and a weld's relative orientation.
#ifndef CR_ENGINE_ASSEMBLY_H
#define CR_ENGINE_ASSEMBLY_H

#include "model/data.h"

/// True if number i of eq_data follows from the pose in qpos0. For a connect between bodies: its second anchor.
/// For a weld between bodies without a given relative pose (eq_data[11] tells): anchor in body 1
/// and relative quaternion [MuJoCo, mj_setConst].
bool cri_assembly_derives(const cr_model* m, int i);

/// Derives these numbers.
/// Map      (xpos, xmat, xquat at qpos0, eq_data) -> eq_data
/// Equation p_b = R_b' (x_a + R_a p_a - x_b), q = conj(q_1) q_2; a = 1 for connect, 2 for weld
/// Smooth   everywhere
void cri_assembly(cr_model* m, const cr_data* d);

/// Their tangents, from those of xpos, xmat and eq_data in tan.
void cri_assembly_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Adds to bar's xpos, xmat and eq_data the contributions of its cotangents of the derived numbers; d at qpos0.
void cri_assembly_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
