// SPDX-License-Identifier: Apache-2.0
// D, the derivative of the smooth forces over velocity, as MuJoCo's implicit integrators take it:
// dampers, actuators, fluid and, if asked for, the bias force. Also the gradient of l' D r, a
// second derivative of those forces. It never needs a tensor, since l and r are known.
#ifndef CR_INERTIA_QDERIV_H
#define CR_INERTIA_QDERIV_H

#include "model/data.h"

/// Which derivatives D has.
/// CR_QDERIV_ALL: all of them (integrator implicit). CR_QDERIV_FAST (integrator implicitfast): no bias force,
/// and the symmetric part of the fluid's; free bodies with nothing jointed to them keep all; other simple
/// bodies keep only the diagonal.
typedef enum { CR_QDERIV_ALL, CR_QDERIV_FAST } cri_qderiv_kind;

/// D between every dof and its ancestors, both ways.
/// Map      (qvel, act, ctrl; ten_J, ten_velocity, cdof, cvel, cinert, the fields that
///          force/fluid, actuation and reflected read) -> D
/// Equation D = -diag(b0 + 2 b1 |v| + 3 b2 v^2)                           [qderiv.d1]
///            + A' diag(c) A, c = b2 + g2 x, 0 where a force is clipped   [qderiv.d2]
///            + S' K S, K the slopes of force/fluid                       [qderiv.d3]
///            - d qfrc_bias / dv                                          [qderiv.d4]
///            - J' diag(b0 + 2 b1 |v| + 3 b2 v^2) J, of tendons           [qderiv.d5]
///          derivation: docs/derivations/qderiv.md
/// Shapes   lower[nC], upper[nC] in M's pattern: D_ij and D_ji in entry k of row i, j its column
/// Memory   scratch of `work`: 72 nbody + 25 nv and that of its parts
/// Smooth   except where b1 is not zero and v is; see force/fluid.h
void cri_qderiv(const cr_model* m, const cr_data* d, cri_qderiv_kind kind, cr_real* lower,
                cr_real* upper, cr_data* work);

/// Adds the gradient of s l' D r, l and r fixed, to bar.
void cri_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_qderiv_kind kind,
                    const cr_real* l, const cr_real* r, cr_real s);

/// y += (tangent of D) r, r fixed.
void cri_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_qderiv_kind kind,
                    const cr_real* r, cr_real* y);

/// Only its part [qderiv.d4], of the marked trees: D, the gradient of s l' D r, (tangent of D) r.
void cri_bias_qderiv(const cr_model* m, const cr_data* d, const int32_t* trees, cr_real* lower,
                     cr_real* upper, cr_data* work);
void cri_bias_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const int32_t* trees,
                         const cr_real* l, const cr_real* r, cr_real s);
void cri_bias_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const int32_t* trees,
                         const cr_real* r, cr_real* y);

#endif
