// SPDX-License-Identifier: Apache-2.0
// Transmission by a slider and a crank: the actuator moves a slider along an axis, and a rod of
// fixed length joins it to a site, the crank's pin. transmission/transmission calls these.
#ifndef CR_TRANSMISSION_TRANSMISSION_SLIDERCRANK_H
#define CR_TRANSMISSION_TRANSMISSION_SLIDERCRANK_H

#include "model/data.h"

/// Length, moment row and structure of actuator i, whose row starts at moment_rowadr[out].
/// Map      (site_xpos x, site_xmat R, cdof, subtree_com; actuator_cranklength r, actuator_gear g)
///          -> actuator_length, actuator_moment
/// Equation v = x_crank - x_slider, a = R_slider e_z, p = v . a      [transmission.c1]
///          s = sqrt(p^2 + r^2 - v . v), length = g_0 (p - s)        [transmission.c2]
///          f = k a + v / s, t = k a x v, k = 1 - p / s: the derivatives of p - s over v and over
///          turns of the slider                                     [transmission.c3]
///          F_0 = g_0 (arm_0 x f, f) on the crank's body, F_1 = g_0 (t - arm_1 x f, -f) on the
///          slider's; row_j = s_j . F over the dofs between the two  [transmission.c4]
///          where the rod does not reach (the root is of a negative number): s = 0, length = g_0 p,
///          f = a, t = a x v; derivation: docs/derivations/transmission.md
/// Smooth   except where the rod just reaches
void cri_transmission_slidercrank(const cr_model* m, cr_data* d, int i);
void cri_transmission_slidercrank_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i);
/// For the cotangent of the length and all pairs of the moment.
void cri_transmission_slidercrank_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i);

#endif
