// SPDX-License-Identifier: Apache-2.0
// The stage that computes tendon lengths and their derivatives by the joints. Springs and
// dampers (force/passive), velocities (kinematics/velocity) and actuators that pull on tendons
// (transmission/transmission) use it.
#ifndef CR_KINEMATICS_TENDON_H
#define CR_KINEMATICS_TENDON_H

#include "model/data.h"

/// Tendon lengths and their Jacobian.
/// Map      (qpos, site_xpos, geom_xpos, geom_xmat, cdof, subtree_com; geom_size, wrap_prm)
///          -> ten_length, ten_J
/// Equation fixed:   length = sum of c_k q_k,  row = c                         [tendon.t1]
///          spatial: length = sum of (|x_1 - x_0| + length on the geom) / divisor     [tendon.t2]
///                   row = sum of e . (J_1 - J_0) / divisor over the straight pieces,
///                   e = (x_1 - x_0) / |x_1 - x_0|, J_k the Jacobian of the body that carries x_k,
///                   taken as a point of that body                             [tendon.t3]
///          wrapping: kinematics/wrap; derivation: docs/derivations/tendon.md
/// Shapes   length[ntendon]; J ntendon x nv, sparse rows of the model ten_J_rownnz, _rowadr, _colind
/// Units    length m, of fixed tendons as their joints
/// Saves    which elements wrap, and how (wrap_branch)
/// Memory   no allocation; scratch nv, in vjp 12 nbody numbers a pair
/// Errors   none
/// Smooth   except where a tendon lifts off a geom, changes sides, or a straight piece has no length
cr_status cr_tendon(const cr_model* m, cr_data* d);
cr_status cr_tendon_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_tendon_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// Curvature of the length of spatial tendon t, d ten_J_i / dq_j at H[i n + j], over the columns of
/// its row, n = ten_J_rownnz[t]; and the gradient of the length as the stage's derivatives have it. For
/// a path that touches from inside it is as near to ten_J as its iterations allow.          [tendon.t5]
/// Shapes   H[n n], gradient[n]
/// Memory   nv integers of `work`'s scratch
/// Smooth   as the stage
void cri_tendon_moment_derivative(const cr_model* m, const cr_data* d, int t, cr_real* H,
                                  cr_real* gradient, cr_data* work);

#endif
