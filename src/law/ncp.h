// SPDX-License-Identifier: Apache-2.0
// Contact model ncp: the velocity after the step and the contact force are complementary, with Coulomb's friction at
// that velocity, and constraint force mixing. [Stewart and Trinkle 1996; Baumgarte 1972; Smith, Open Dynamics Engine]
#ifndef CR_LAW_NCP_H
#define CR_LAW_NCP_H

#include "carom/contact.h"

/// The law of a contact, as carom/contact.h says it; `user` is not read.
/// Map      (e, D, friction) -> force
/// Equation [ncp.n1] N = max(0, -D_0 e_0): 0 <= N, e_0 + N / D_0 >= 0, one of them 0
///          [ncp.n2] f_j = g_j min(1, N / s), g_j = -D_j e_j, s^2 = sum (g_j / mu_j)^2
/// Shapes   dim rows
/// Units    N, N m
/// Zones    0 open, 1 sticks, 2 slides
/// Smooth   within a zone
/// Derivation docs/derivations/ncp.md
void cri_ncp_force(void* user, cr_contact_call* call);
void cri_ncp_jvp(void* user, cr_contact_call* call);
void cri_ncp_vjp(void* user, cr_contact_call* call);

#endif
