// SPDX-License-Identifier: Apache-2.0
// Reference acceleration aref from solref and solimp (constraint/solref_impedance.h): the acceleration
// at which each constraint row aims.
#ifndef CR_SOLVER_REFERENCE_H
#define CR_SOLVER_REFERENCE_H

#include "model/data.h"

/// Velocity and reference acceleration of the rows.
/// Map      (qvel, efc_J, efc_pos, efc_margin, efc_KBIP; of connects and welds: xpos, xmat, site_xpos, site_xmat,
///          subtree_com, eq_data, cvel, cdof_dot; of contacts: contact_surfacevel, contact_friction,
///          contact_adhesion, efc_D) -> efc_vel, efc_aref
/// Equation [reference.e1] efc_vel = J v;  [reference.e2] aref = -B efc_vel - K I h,  h = pos - margin, or with contacts
///          from distance on a contact's row h = -s log(1 + exp(-(pos - margin) / s)), see
///          cri_penetration; [reference.e3] aref -= Jdot v on the rows of connect and weld constraints;
///          [reference.e4] efc_vel of a contact's rows contains the velocity of its surfaces along tangents and spin;
///          [reference.e6] contacts of the model ncp: B = 1 / h, K I = ncp_baumgarte / h^2, h the time step;
///          [reference.e5] aref += w / D with a row's share w of the contact's adhesion. [MuJoCo manual,
///          Modeling, "Reference"]
/// Shapes   nefc rows
/// Units    efc_vel m/s|rad/s, efc_aref m/s^2|rad/s^2
/// Memory   scratch 18 nbody + 2 nefc.  Errors: none
/// Smooth   everywhere
/// Derivation docs/derivations/reference.md
cr_status cr_reference(const cr_model* m, cr_data* d);
cr_status cr_reference_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Adds the pair (efc_vel_bar - B aref_bar) (x) qvel to the cotangent of efc_J.
cr_status cr_reference_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// -d aref / d vel of row i.                                              [reference.e2]
cr_real cri_reference_damping(const cr_model* m, const cr_data* d, int i);

#endif
