// SPDX-License-Identifier: Apache-2.0
// The stage that adds up all forces except constraint forces, for the acceleration.
#ifndef CR_ENGINE_SMOOTH_H
#define CR_ENGINE_SMOOTH_H

#include "model/data.h"

/// Sum of all forces except constraint forces.
/// Map      (qfrc_passive, qfrc_bias, qfrc_actuator, qfrc_applied, xfrc_applied; cdof, xipos,
///          subtree_com) -> qfrc_smooth
/// Equation tau = tau_passive - c + tau_actuator + tau_applied + J' x     [smooth.s1]
///          J' x as in force/wrench.h; derivation: docs/derivations/smooth.md
/// Shapes   all nv, x = xfrc_applied[nbody][6]: force, then torque at the body's centre of mass
/// Units    N|N m.  Frames: xfrc_applied in the world
/// Saves    nothing
/// Memory   no allocation; scratch 12 nbody numbers.  The sweep is skipped if xfrc_applied is 0
/// Errors   none
/// Smooth   everywhere; the derivative with respect to xfrc_applied holds at 0 too
cr_status cr_smooth(const cr_model* m, cr_data* d);
cr_status cr_smooth_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_smooth_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
