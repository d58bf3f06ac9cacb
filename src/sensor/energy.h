// SPDX-License-Identifier: Apache-2.0
// Potential and kinetic energy (MuJoCo's mj_energyPos and mj_energyVel).
#ifndef CR_SENSOR_ENERGY_H
#define CR_SENSOR_ENERGY_H

#include "model/data.h"

/// Energy of gravity and springs, and of motion.
/// Map      (qpos, qvel, xipos, M, ten_length, gravity, masses, springs)
///          -> energy
/// Equation U = - sum m_b g . xipos_b + sum of P(x) over joint and tendon springs,
///          P(x) = k x^2 / 2 + p_0 x^3 / 3 + p_1 x^4 / 4                   [energy.g1]
///          x: displacement of a slide or hinge, distance or angle from rest of the position and
///          the orientation of free and ball joints, excess of a tendon over its dead band
///          K = qvel' M qvel / 2; M need not be formed                     [energy.g2]
///          derivation: docs/derivations/energy.md. Gravity and springs count only if they are
///          not disabled; gravity compensation, constraints and actuators have no energy here
/// Shapes   energy[2]: potential, kinetic
/// Units    J
/// Errors   none
/// Smooth   except for p_0 where x of a free or ball joint is 0 or an angle is pi, and at the ends of
///          a dead band where k is not 0 there: P' is continuous, P'' is not
cr_status cr_energy(const cr_model* m, cr_data* d);
cr_status cr_energy_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_energy_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
