// SPDX-License-Identifier: Apache-2.0
// Damping and stiffness of joints, tendons and actuators in the inertia of the integrator discrete:
// weights of the implicit inertia of inertia/implicit_inertia, and the force of stiffness
// along the step. With any other integrator all of it is zero.
#ifndef CR_INERTIA_EFFECTIVE_MASS_H
#define CR_INERTIA_EFFECTIVE_MASS_H

#include "model/data.h"
#include "model/fields.h"

/// Map      (qpos, qvel, act, ctrl, ten_length, ten_J, ten_velocity, actuator_length,
///          actuator_moment; parameters of springs, dampers and actuators) ->
///          efm_dof, efm_tendon, efm_actuator, qfrc_shift
/// Equation x+ = max(0, x), a derivative that does not stabilise counts as zero:
///          joints    k = (k0 + 2 k1 x + 3 k2 x^2)+, b = (b0 + 2 b1 |v| + 3 b2 v^2)+    [discrete.n1]
///          tendons   the same, k = 0 in the dead band, and at the rest length of one without
///                    width unless d->beside_rest, which derivatives set      [discrete.n2]
///          actuators k = (-df/dl)+, b = (-df/dv)+, u10 of inertia/actuation_qderiv.h         [discrete.n3]
///          effective_mass = h^2 k + h b;  qfrc_shift = -h (k v, J' k J v, A' k A v)    [discrete.n4]
///          derivation: docs/derivations/discrete.md
/// Shapes   nv, ntendon, nout, nv numbers.  Units kg|kg m^2, N|N m
/// Flags    CR_DSBL_SPRING, CR_DSBL_DAMPER, CR_DSBL_ACTUATION
/// Memory   scratch 6 nv + 6 ntendon + 4 nout and that of the slopes
/// Errors   none
/// Smooth   except at the bounds of x+, where the derivative is that of the side that stabilises, of dead
///          bands and of what actuation_qderiv.h names
cr_status cr_effective_mass(const cr_model* m, cr_data* d);
cr_status cr_effective_mass_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_effective_mass_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// True if a tendon spring of one rest length is exactly at it. Only there MuJoCo's step has
/// no stiffness in the effective mass matrix. The derivative of the step is taken beside it, with d->beside_rest.
bool cri_effective_mass_rests(const cr_model* m, const cr_data* d);

/// True if entry k of parameter id belongs to a law of springs, dampers or actuators that is zero. There the
/// integrator discrete bends, and the derivative is that of the side that stabilises.
bool cri_effective_mass_switch(const cr_model* m, cr_field_id id, int k);

/// The side of its value, 1 or -1, to which the derivative by such an entry belongs; 0 if the state
/// decides.
int cri_effective_mass_side(const cr_model* m, cr_field_id id, int k);

#endif
