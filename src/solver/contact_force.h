// SPDX-License-Identifier: Apache-2.0
// The force of one contact, from the forces of its rows (MuJoCo's mj_contactForce).
#ifndef CR_SOLVER_CONTACT_FORCE_H
#define CR_SOLVER_CONTACT_FORCE_H

#include "model/data.h"

/// Force and torque on the second geom at contact c, in the contact's frame.
/// Map      (efc_force, contact_friction, contact_adhesion) -> w
/// Equation elliptic: w_k = f_k;  pyramidal: w_0 = sum of f, w_k = mu_k (f_2k-2 - f_2k-1);
///          then w_0 -= contact_adhesion                               [constraint.f1]
/// Shapes   w[6]: force along normal and tangents, torque about them; zero beyond the contact's
///          dimension, and all zero if the contact makes no rows
/// Units    N, N m
/// Smooth   everywhere
void cri_contact_force(const cr_model* m, const cr_data* d, int c, cr_real w[6]);

/// Its tangent.
void cri_contact_force_tan(const cr_model* m, const cr_data* d, const cr_data* tan, int c,
                           cr_real w_tan[6]);

/// Adds to the cotangents of efc_force, contact_friction and contact_adhesion.
void cri_contact_force_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c,
                           const cr_real w_bar[6]);

/// Only the normal force w_0, which is linear in efc_force and contact_adhesion: x is d, or a twin
/// for the tangent. The transpose adds to their cotangents.
cr_real cri_contact_normal(const cr_model* m, const cr_data* d, const cr_data* x, int c);
void cri_contact_normal_bar(const cr_model* m, const cr_data* d, cr_data* bar, int c,
                            cr_real w_bar);

#endif
