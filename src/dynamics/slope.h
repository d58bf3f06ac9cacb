// SPDX-License-Identifier: Apache-2.0
// D, the derivative of the smooth forces over velocity, as MuJoCo's implicit integrators take it:
// dampers, actuators, fluid and, where asked for, the bias force. And the gradient of l' D r, which
// is a second derivative of those forces: never a tensor, since l and r are known.
#ifndef CR_DYNAMICS_SLOPE_H
#define CR_DYNAMICS_SLOPE_H

#include "model/data.h"

/// Which derivatives D has.
/// CR_SLOPE_ALL: all of them (integrator implicit). CR_SLOPE_FAST: without the bias force, and with
/// the symmetric part of the fluid's, but for free bodies with nothing jointed to them, which have
/// all; of other simple bodies the diagonal alone (integrator implicitfast).
typedef enum { CR_SLOPE_ALL, CR_SLOPE_FAST } cri_slope_kind;

/// D between every dof and its ancestors, both ways.
/// Map      (qvel, act, ctrl; ten_J, ten_velocity, cdof, cvel, cinert, the fields that
///          dynamics/fluid, actuation and reflected read) -> D
/// Equation D = -diag(b0 + 2 b1 |v| + 3 b2 v^2)                                  [d1]
///            + A' diag(c) A, c = b2 + g2 x, 0 where a force is clipped          [d2]
///            + S' K S, K the slopes of dynamics/fluid                           [d3]
///            - d qfrc_bias / dv                                                 [d4]
///            - J' diag(b0 + 2 b1 |v| + 3 b2 v^2) J, of tendons                  [d5]
///          derivation: docs/derivations/slope.md
/// Shapes   lower[nC], upper[nC] in M's pattern: D_ij and D_ji in entry k of row i, j its column
/// Memory   scratch of `work`: 72 nbody + 25 nv and that of its parts
/// Smooth   but where b1 is not zero and v is; see dynamics/fluid.h
void cri_slope(const cr_model* m, const cr_data* d, cri_slope_kind kind, cr_real* lower,
               cr_real* upper, cr_data* work);

/// Adds the gradient of s l' D r, l and r fixed, to bar.
void cri_slope_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_slope_kind kind,
                   const cr_real* l, const cr_real* r, cr_real s);

/// y += (tangent of D) r, r fixed.
void cri_slope_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_slope_kind kind,
                   const cr_real* r, cr_real* y);

/// Its part [d4] alone, of the trees that are marked: D, the gradient of s l' D r, (tangent of D) r.
void cri_bias_slope(const cr_model* m, const cr_data* d, const int32_t* trees, cr_real* lower,
                    cr_real* upper, cr_data* work);
void cri_bias_slope_vjp(const cr_model* m, const cr_data* d, cr_data* bar, const int32_t* trees,
                        const cr_real* l, const cr_real* r, cr_real s);
void cri_bias_slope_jvp(const cr_model* m, const cr_data* d, cr_data* tan, const int32_t* trees,
                        const cr_real* r, cr_real* y);

#endif
