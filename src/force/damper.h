// SPDX-License-Identifier: Apache-2.0
// Dampers of dofs and of tendons, the one place of their law: forces and their derivatives over velocity,
// each with its tangent and its transpose. force/passive and sensor/tendon_tension use the forces. Every
// integrator that damps implicitly uses the slopes; derivatives of the slopes use the bends.
#ifndef CR_FORCE_DAMPER_H
#define CR_FORCE_DAMPER_H

#include "force/reflected.h"

/// The damped velocities: qvel of every dof, or ten_velocity of every tendon.
typedef enum { CR_DAMPED_DOFS, CR_DAMPED_TENDONS } cri_damped;

/// Map      (qvel or ten_velocity; parameters of force/reflected.h) -> f
/// Equation f = -(b0 + b1 |v| + b2 v^2) v, b the laws of force/reflected.h         [passive.p2], [passive.p6]
/// Shapes   f[nv] or f[ntendon]
/// Memory   3 numbers a damper of `work`'s scratch, 6 of derivatives
/// Smooth   once, where b1 is not zero and v is
void cri_damper_forces(const cr_model* m, const cr_data* d, cri_damped what, cr_real* f,
                       cr_data* work);
void cri_damper_forces_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_damped what,
                           cr_real* f_tan);
/// Adds to bar.
void cri_damper_forces_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_damped what,
                           const cr_real* f_bar);

/// Minus the derivatives of the forces over the velocity.
/// Equation D = b0 + 2 b1 |v| + 3 b2 v^2                                    [passive.r3]
void cri_damper_qderiv(const cr_model* m, const cr_data* d, cri_damped what, cr_real* D,
                       cr_data* work);
void cri_damper_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_damped what,
                           cr_real* D_tan);
/// Adds to bar.
void cri_damper_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_damped what,
                           const cr_real* D_bar);

/// Derivatives of the slopes over the velocity.
/// Equation B = 2 b1 sign(v) + 6 b2 v
void cri_damper_bends(const cr_model* m, const cr_data* d, cri_damped what, cr_real* B,
                      cr_data* work);

/// side[k] = 1 where the slope has a kink at rest and the damper moves backwards, else 0.
void cri_damper_sides(const cr_model* m, const cr_data* d, cri_damped what, int32_t* side,
                      cr_data* work);

#endif
