// SPDX-License-Identifier: Apache-2.0
// The semi-implicit Euler step, with joint damping integrated implicitly (MuJoCo's mj_Euler).
#ifndef CR_INTEGRATE_EULER_H
#define CR_INTEGRATE_EULER_H

#include "model/data.h"

/// One Euler step from what cr_forward left in d. The state itself does not change.
/// Map      (qpos, qvel, act, qacc, qfrc_smooth, qfrc_constraint, act_dot; M, the damping law b of force/reflected.h) ->
///          qpos_next, qvel_next, act_next
/// Equation D_ii = b0 + 2 b1 |v| + 3 b2 v^2,
///          a2 = a - (M + hD)^-1 hD a, that is (M + hD) a2 = M a           [euler.e1]
///          or, where cri_euler_is_strong, (M + hD) a2 = tau + J' f: this is M a, with more digits. For a dof
///          whose forces cancel M a itself is used. Where M loses digits engine/rounding.h says which of both
///          formulas loses less
///          v+ = v + h a2                                                  [euler.e2]
///          q+ = q (+) h v+                                                [euler.e3]
///          act+ as in actuator/activation.h                               [euler.e4]
///          derivation: docs/derivations/euler.md
/// Shapes   qpos_next[nq], qvel_next[nv], act_next[na]
///    [euler.e1] is that of integrate/implicit.h for the integrators implicit and implicitfast
/// Flags    CR_DSBL_EULERDAMP, CR_DSBL_DAMPER, or no damping (cri_damps): a2 = a
/// Saves    euler_qacc = a2; euler_U, euler_Dinv, euler_L: the factor of M + hD; rounding grows
///          to its share of a2
/// Memory   no allocation; scratch 12 nv numbers and that of the factor
/// Errors   those of cri_inertia_factor
/// Smooth   except where act+ is not, and where b1 is not zero and v is. Where no dof is damped the
///          derivative with respect to dof_damping is that of damping that grows
cr_status cr_euler(const cr_model* m, cr_data* d);

/// Overwrites the tangents of what cr_euler writes; reads those of qpos, qvel, act, qacc,
/// qfrc_smooth, qfrc_constraint, act_dot, M and of the parameters.
cr_status cr_euler_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Adds to bar->qpos, qvel, act, qacc, act_dot, M_pairs and bar->par the contributions of the cotangents of
/// qpos_next (nv numbers), qvel_next and act_next. cr_forward_vjp takes it from there. With
/// w2 = (M + hD)^-1 a2_bar:  a_bar += M w2,  M_bar += w2 (x) (a - a2),  D_bar -= h w2 a2, and
/// from D to v and b; with strong damping  tau_bar += w2,  (J' f)_bar += w2,  M_bar -= w2 (x) a2.
cr_status cr_euler_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// True if the step solves [euler.e1], because some dof is damped.
bool cri_euler_damps(const cr_model* m);

/// True if a - (a - a2) may lose digits of a2: the damping of some tree takes nearly all of a away, or M is such
/// that a has few digits itself (engine/rounding.h), or both in part; where M is such, if the step has found it to lose
/// the more. False without damping: the difference is then nothing.
bool cri_euler_is_strong(const cr_model* m, const cr_data* d, const cr_real* D);

/// D of every dof, in scratch of `owner`.                                     [euler.e1]
const cr_real* cri_euler_damping(const cr_model* m, const cr_data* d, cr_data* owner);

#endif
