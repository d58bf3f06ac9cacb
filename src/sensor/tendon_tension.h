// SPDX-License-Identifier: Apache-2.0
// The total force along every spatial tendon, for the bodies on its path.
#ifndef CR_SENSOR_TENDON_TENSION_H
#define CR_SENSOR_TENDON_TENSION_H

#include "model/data.h"

/// Map      (ten_length, ten_velocity, ten_J, ten_bias, qacc, actuator_force, efc_force; springs,
///          dampers, armatures, gears, tendon_range, tendon_margin, tendon_length0, eq_data) -> T
/// Equation T = spring + damper                                    [force/tendon_spring.h, damper.h]
///            + sum of gear_k actuator_force_k over the actuators on the tendon   [reaction.s1]
///            + sum of c_i f_i over its rows, c_i the factor of ten_J in row i of efc_J    [reaction.s2]
///            - a (J qacc + ten_bias), a its armature                             [reaction.s3]
///          so J' T is the joint-space force of the tendon, without the part of [reaction.s3] for which M has no room
///          derivation: docs/derivations/reaction.md
/// Shapes   T[ntendon], 0 for fixed tendons
/// Units    N; positive where it pushes (a rope that pulls has T < 0)
/// Memory   scratch 8 ntendon of `work`
/// Smooth   except where a spring's dead band ends
void cri_tendon_tension(const cr_model* m, const cr_data* d, cr_real* T, cr_data* work);

/// Its tangent.
void cri_tendon_tension_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cr_real* T_tan);

/// Adds to the cotangents of all inputs, with one pair for ten_J.
void cri_tendon_tension_vjp(const cr_model* m, const cr_data* d, cr_data* bar,
                            const cr_real* T_bar);

/// True if some tendon is spatial: else there is nothing to do.
bool cri_has_spatial_tendon(const cr_model* m);

#endif
