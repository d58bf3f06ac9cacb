// SPDX-License-Identifier: Apache-2.0
// Transmission at a site: an actuator pushes and turns the site's body, alone or against the body
// of a reference site. transmission/transmission calls these for such actuators.
#ifndef CR_TRANSMISSION_TRANSMISSION_SITE_H
#define CR_TRANSMISSION_TRANSMISSION_SITE_H

#include "model/data.h"

/// e = log(R1' R0), the rotation vector that turns frame 1 into frame 0, in frame 1.
void cri_turn_between(const cr_real R1[9], const cr_real R0[9], cr_real e[3]);

/// The same for two sites with its tangent; and the transpose, which adds to bar->site_xmat.
/// Smooth except at half a turn.
void cri_turn_between_tan(const cr_data* d, const cr_data* tan, const int site[2], cr_real e[3],
                          cr_real e_tan[3]);
void cri_turn_between_vjp(const cr_data* d, cr_data* bar, const int site[2],
                          const cr_real e_bar[3]);

/// Length, moment row and structure of actuator i, whose row starts at moment_rowadr[out].
/// Map      (site_xpos x, site_xmat R, cdof, subtree_com; actuator_gear g)
///          -> actuator_length, actuator_moment
/// Equation f = R_k g_012, t = R_k g_345, k the reference site, or the site where there is none [transmission.s1]
///          F_0 = (t + (x_0 - com) x f, f) on the site's body, F_1 = -(t + (x_1 - com) x f, f) on
///          the reference's                                           [transmission.s2]
///          row_j = s_j . F over the dofs that move one of the two bodies, not both [transmission.s3]
///          length = f . (x_0 - x_1) + g_345 . log(R_1' R_0), 0 without a reference [transmission.s4]
///          derivation: docs/derivations/transmission.md
/// Smooth   except at half a turn between the two sites, where the length jumps
void cri_transmission_site(const cr_model* m, cr_data* d, int i);

/// Tangents of length and row.
void cri_transmission_site_jvp(const cr_model* m, const cr_data* d, cr_data* tan, int i);

/// Transpose, for the cotangent of the length and all pairs of the moment.
void cri_transmission_site_vjp(const cr_model* m, const cr_data* d, cr_data* bar, int i);

#endif
