// SPDX-License-Identifier: Apache-2.0
// Contact model hunt_crossley: a force of penetration and its rate, with regularised friction. [Hunt and Crossley
// 1975; Andersson et al. 2007; Sherman et al. 2011 for Hollars; Brown and McPhee 2016]
#ifndef CR_LAW_HUNT_CROSSLEY_H
#define CR_LAW_HUNT_CROSSLEY_H

#include "carom/contact.h"

/// The law of a contact, as carom/contact.h says it; `user` is not read.
/// Map      (gap, velocity, weight, friction, hunt_crossley) -> force
/// Equation [hunt_crossley.h1] N = w x^n (k - d v_0), x = -gap; 0 where that pulls, and where x <= 0
///          [hunt_crossley.h2] f_j = -N (mu_j^2 / mu_1) psi v_j,  s^2 = sum (mu_j v_j / mu_1)^2
///          [hunt_crossley.h3] psi = phi(s / v_t) / s, phi by the option friction_law
/// Shapes   dim rows; hunt_crossley: k, d, n, v_t, static over sliding friction
/// Units    N, N m
/// Zones    0 no force, 1 pushes, 2 pushes and slides faster than v_t (friction laws coulomb and hollars)
/// Smooth   within a zone
/// Derivation docs/derivations/hunt_crossley.md
void cri_hunt_crossley_force(void* user, cr_contact_call* call);
void cri_hunt_crossley_jvp(void* user, cr_contact_call* call);
void cri_hunt_crossley_vjp(void* user, cr_contact_call* call);

/// Where the force along the normal stops, and where s passes v_t.
void cri_hunt_crossley_bends(void* user, cr_contact_call* call);

#endif
