// SPDX-License-Identifier: Apache-2.0
// Steps on the configuration manifold. Slides, hinges and positions of free joints add up.
// Orientations of ball and free joints are turned in their own frame, q exp(r / 2). Every
// integrator uses these.
#ifndef CR_KINEMATICS_CONFIGURATION_H
#define CR_KINEMATICS_CONFIGURATION_H

#include "model/model.h"

/// Moves coordinates by h v.
/// Map      (qpos, v) -> next = qpos (+) h v
/// Equation orientations: q+ = q exp(h w / 2); the rest: q+ = q + h v  [runge_kutta.i1]
/// Shapes   qpos[nq], v[nv], next[nq]; next may be qpos.  Quaternions come out at unit length
/// Units    h v is a rotation vector in rad, or m|rad
/// Smooth   everywhere
void cri_configuration_move(const cr_model* m, const cr_real* qpos, const cr_real* v, cr_real h,
                            cr_real* next);

/// Tangent of the step in body perturbations: E' d + h Jr w_tan for orientations, with
/// E = exp([h w]x), Jr the right Jacobian at h w. All of nv numbers; next_tan may be qpos_tan.
void cri_configuration_move_jvp(const cr_model* m, const cr_real* v, cr_real h,
                                const cr_real* qpos_tan, const cr_real* v_tan, cr_real* next_tan);

/// Its transpose: adds E next_bar to qpos_bar and h Jr' next_bar to v_bar. Neither may overlap
/// next_bar.
void cri_configuration_move_vjp(const cr_model* m, const cr_real* v, cr_real h,
                                const cr_real* next_bar, cr_real* qpos_bar, cr_real* v_bar);

/// The rate of r when the coordinates q0 (+) r move with the velocity v.
/// Map      (r, v) -> rate
/// Equation rotations: rate = Jr^-1(r) w = w + r x w / 2 + c r x (r x w)           [runge_kutta.i2]
///          c = 1 / t^2 - (1 + cos t) / (2 t sin t), t = |r|; the rest: rate = v
///          where t > pi, r is first replaced by the same turn of at most half a circle     [runge_kutta.i3]
///          [Munthe-Kaas, High order Runge-Kutta methods on manifolds, 1999];
///          derivation: docs/derivations/runge_kutta.md
/// Shapes   all nv; rate must not overlap
/// Smooth   except where t passes an odd multiple of pi
void cri_configuration_rate(const cr_model* m, const cr_real* r, const cr_real* v, cr_real* rate);
void cri_configuration_rate_jvp(const cr_model* m, const cr_real* r, const cr_real* v,
                                const cr_real* r_tan, const cr_real* v_tan, cr_real* rate_tan);
/// Adds to r_bar and v_bar.
void cri_configuration_rate_vjp(const cr_model* m, const cr_real* r, const cr_real* v,
                                const cr_real* rate_bar, cr_real* r_bar, cr_real* v_bar);

#endif
