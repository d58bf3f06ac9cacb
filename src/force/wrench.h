// SPDX-License-Identifier: Apache-2.0
// Forces and torques on bodies at their centres of mass, mapped to joint space:
// q = J' x in two sweeps over the tree, with its derivatives. Gravity compensation
// (force/passive) and xfrc_applied (engine/smooth) use it.
#ifndef CR_FORCE_WRENCH_H
#define CR_FORCE_WRENCH_H

#include "model/data.h"

/// Joint-space force of body forces, added to q.
/// Map      (x; cdof, xipos, subtree_com) -> q
/// Equation F_b = (n_b + r_b x f_b, f_b), r_b = xipos_b - subtree_com_root(b)     [smooth.w1]
///          q_i += s_i . sum of F over the bodies behind dof i             [smooth.w2]
///          derivation: docs/derivations/smooth.md
/// Shapes   x[6 nbody]: force f, then torque n, world axes, as xfrc_applied; q[nv]
/// Memory   6 nbody numbers of scratch of `owner`
/// Smooth   everywhere
void cri_wrench(const cr_model* m, const cr_data* d, const cr_real* x, cr_real* q, cr_data* owner);

/// Adds the tangent of cri_wrench to q_tan. Reads the tangents of cdof, xipos and subtree_com.
void cri_wrench_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const cr_real* x,
                    const cr_real* x_tan, cr_real* q_tan);

/// Adds to x_bar, bar->cdof, bar->xipos and bar->subtree_com the contributions of the cotangent q_bar.
/// x NULL stands for zeros: then only x_bar changes.
void cri_wrench_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const cr_real* x,
                    const cr_real* q_bar, cr_real* x_bar);

#endif
