// SPDX-License-Identifier: Apache-2.0
// The stage that computes the acceleration of tendons with armature while all joint accelerations are
// zero. force/bias turns it into a force.
#ifndef CR_FORCE_TENDON_BIAS_H
#define CR_FORCE_TENDON_BIAS_H

#include "model/data.h"

/// Second derivative of the length of tendons with armature, at zero qacc.
/// Map      (qvel, cvel, cdof_dot, site_xpos, subtree_com; wrap_prm) -> ten_bias
/// Equation W_b = W_parent + sum of cdof_dot_i qvel_i over the dofs of b        [tendon.u1]
///          at a site: v = V_lin + w x r, a = W_lin + W_ang x r + w x v, r = site - com  [tendon.u2]
///          ten_bias = sum over the straight pieces of
///          (e . (a_1 - a_0) + (|u|^2 - (e . u)^2) / length) / divisor, u = v_1 - v_0  [tendon.u3]
///          fixed tendons, and tendons without armature: 0
///          derivation: docs/derivations/tendon.md
/// Shapes   ten_bias[ntendon]
/// Memory   scratch 12 nbody
/// Errors   none; model/model_check refuses a tendon that wraps around a geom and has armature
/// Smooth   except where a piece has no length
cr_status cr_tendon_bias(const cr_model* m, cr_data* d);
cr_status cr_tendon_bias_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_tendon_bias_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
