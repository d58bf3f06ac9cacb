// SPDX-License-Identifier: Apache-2.0
// The acceleration of the integrators that are implicit in velocity (MuJoCo's mj_implicit);
// integrate/euler uses it in place of its own.
#ifndef CR_INTEGRATE_IMPLICIT_H
#define CR_INTEGRATE_IMPLICIT_H

#include "model/data.h"

/// True if m->integrator is implicit or implicitfast.
bool cri_is_implicit(const cr_model* m);

/// Map      (qacc a, M; the inputs of D of inertia/qderiv.h) -> euler_qacc
/// Equation (M - hD) a2 = M a                                          [implicit.m1]
///          derivation: docs/derivations/implicit.md
///          Where M loses digits, a2 = a + x of (M - hD) x = hD a, if that has less rounding [implicit.m2]
/// Saves    euler_qacc = a2; implicit_L, implicit_U: the factors of M - hD; euler_weak: [implicit.m2] is taken;
///          rounding grows to its share of a2
/// Memory   no allocation; scratch 3 nC + 24 nbody + 6 nv numbers and that of D
/// Errors   CR_ERR_SINGULAR, CR_ERR_NONFINITE: a pivot of M - hD vanishes; names the joint
/// Smooth   where D is
cr_status cri_implicit_accelerate(const cr_model* m, cr_data* d);

/// away = a - a2, of [implicit.m2] without the rounding of a. Scratch 2 nC of `work` and that of D.
void cri_implicit_taken_away(const cr_model* m, const cr_data* d, cr_data* work, cr_real* away);

/// a2_tan = (M - hD)^-1 (M a_tan + M_tan (a - a2) + h D_tan a2), or with [implicit.m2]
/// a_tan + (M - hD)^-1 (hD a_tan + M_tan (a - a2) + h D_tan a2).
void cri_implicit_accelerate_jvp(const cr_model* m, const cr_data* d, cr_data* tan,
                                 cr_real* a2_tan);

/// With w2 = (M - hD)^-T a2_bar: a_bar += M w2, or with [implicit.m2] a2_bar + h D' w2; M_bar += w2 (x) (a - a2),
/// and the gradient of h w2' D a2 by all inputs of D.
void cri_implicit_accelerate_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                                 const cr_real* a2_bar);

#endif
